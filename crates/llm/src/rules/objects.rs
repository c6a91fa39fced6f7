//! Reads the text in the place of an object: returns its objects if all of it is of the class that the rule requires, otherwise
//! nothing.

mod pets;

use regex::Regex;

use super::classes::{
    ALLERGENS, AMBIGUOUS_PLACES, BELONGING_MODIFIERS, BELONGINGS, COMPANIES, CONDITIONS, Class, EMPHASISED, FIELDS,
    FIRST_NAMES, GAMES, HOBBIES, INSTRUMENTS, LANGUAGES, MEDICINES, NOT_NAMES, OCCUPATION_MODIFIERS, OCCUPATIONS,
    PLACES, TASTE_KINDS, TASTE_MODIFIERS, TASTES, WORKPLACES,
};
use super::grammar::pattern;
use super::is_assistant;
pub(super) use pets::{count, kind_of_pet};
use pets::{is_of_breed, pets};

/// Maximum words in the name of an organisation or a title.
const LONGEST_TITLE: usize = 7;

/// Class to which the object of a rule must belong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// Any text that the pattern matches: the pattern itself lists the words.
    Listed,
    /// A country, region or city: "Rome", "Portland, Oregon".
    Place,
    /// A place that is not also a first name: not "Florence".
    Destination,
    /// An employer with a name, or a kind of workplace: "Siemens", "a small bakery".
    Employer,
    /// A university or school with a name.
    School,
    /// An occupation: "senior software engineer".
    Occupation,
    /// Names of people or pets, one or more.
    Names,
    /// Common given names, one or more. Used where any other word could be the name of a thing.
    FirstName,
    /// A common given name, written small: "my brother eli".
    SmallFirstName,
    /// A pet's name, written small: "a cat called mustard".
    SmallName,
    /// A pet's name after a comma ("a dog, Rex"). A first name there could address somebody, so it does not count.
    PetName,
    /// Another name of the speaker.
    Alias,
    /// Pets: "a black cat", "two dogs".
    Pets,
    /// Sons and daughters: "two kids".
    Children,
    /// Things that people own.
    Belonging,
    /// A car of a known make: "Toyota Yaris".
    Vehicle,
    /// Things and activities that people like or dislike in general.
    Taste,
    /// A favourite thing, which must fit the kind that the clause names: colour, food and so on.
    Favorite,
    Allergen,
    /// Food that somebody does not eat.
    Food,
    Condition,
    Medicine,
    /// "a pottery class".
    Course,
    /// "a hiking club".
    Club,
    Field,
    Language,
    /// An instrument, a sport or a game.
    Play,
    /// An instrument or a language.
    Skill,
    Hobby,
    /// The date in the clause. No text is read for it.
    Date,
    /// The date in the clause, as a day of the year. No text is read for it.
    Birthday,
    /// No object is named: all values of the predicate are meant.
    All,
}

/// Returns the objects in a text; an empty list if any part of it is of another class. `kind` is the kind of a favourite.
/// Returns one empty object for [`Shape::All`], and none for the date of a clause, which is read elsewhere.
pub(super) fn objects(shape: Shape, text: &str, kind: Option<&str>) -> Vec<String> {
    let text = text.trim();
    let one = |fits: bool, object: &str| if fits { vec![object.to_owned()] } else { Vec::new() };
    match shape {
        Shape::Listed => one(true, text),
        Shape::All => vec![String::new()],
        // Read from the date instead.
        Shape::Date | Shape::Birthday => Vec::new(),
        Shape::Place => one(is_place(text), text),
        Shape::Destination => one(is_place(text) && !FIRST_NAME.is_match(text), text),
        Shape::Employer => employer(text).into_iter().collect(),
        Shape::School => one(is_title(text) && SCHOOL.is_match(text), text),
        Shape::Occupation => one(has_head(text, &OCCUPATIONS, &OCCUPATION_MODIFIERS), text),
        Shape::Names | Shape::Alias => members(text, is_name),
        Shape::FirstName => members(text, is_first_name),
        Shape::SmallFirstName => one(FIRST_NAMES.has(text) && !WORD.is_match(text), text),
        Shape::SmallName => one(SMALL_NAME.is_match(text) && !NOT_NAMES.has(text) && !EMPHASISED.has(text), text),
        Shape::PetName => one(is_name(text) && !may_be_addressed(text) && !is_of_breed(text), text),
        Shape::Pets => pets(text),
        Shape::Children => one(CHILDREN.is_match(text), text.strip_prefix("a ").unwrap_or(text)),
        Shape::Belonging => belonging(text).into_iter().collect(),
        Shape::Vehicle => one(VEHICLE.is_match(text), text),
        Shape::Taste => members(text, is_taste),
        Shape::Favorite => one(is_favorite(text, kind.unwrap_or_default()), text.trim_matches('"')),
        Shape::Allergen => members(text, |text| ALLERGENS.has(text) || MEDICINES.has(text)),
        Shape::Food => members(&OR.replace_all(text, ", "), |text| FOOD.is_match(text)),
        Shape::Course => subject_of(text, &COURSE, false).into_iter().collect(),
        Shape::Club => subject_of(text, &CLUB, true).into_iter().collect(),
        Shape::Condition => one(CONDITIONS.has(text), text),
        Shape::Medicine => members(&DOSE.replace_all(text, ""), |text| MEDICINES.has(text)),
        Shape::Field => one(FIELDS.has(text), text),
        Shape::Language => languages(text),
        Shape::Play => members(text, |text| INSTRUMENTS.has(bare(text)) || GAMES.has(text)),
        Shape::Skill => members(text, |text| INSTRUMENTS.has(bare(text)) || LANGUAGES.has(text)),
        Shape::Hobby => members(text, |text| HOBBIES.has(text)),
    }
}

/// Returns the whole text if it fits, or the members of an enumeration if all fit.
fn members(text: &str, fits: impl Fn(&str) -> bool) -> Vec<String> {
    if fits(text) {
        return vec![text.to_owned()];
    }
    let members: Vec<String> = AND.split(text).map(|member| member.trim().to_owned()).collect();
    if members.iter().all(|member| fits(member)) { members } else { Vec::new() }
}

/// Returns the languages in a text, without one that is spoken only a little: "Farsi and some Turkish" gives Farsi.
fn languages(text: &str) -> Vec<String> {
    members(&SOME.replace_all(text, ""), |text| LANGUAGES.has(text))
}

fn bare(text: &str) -> &str {
    text.strip_prefix("the ").unwrap_or(text)
}

/// Returns whether the text ends in a word of `heads`, and the words before it are in `modifiers`.
fn has_head(text: &str, heads: &Class, modifiers: &Class) -> bool {
    heads.has(text)
        || text.match_indices([' ', '-']).any(|(at, _)| heads.has(&text[at + 1..]) && are_all(&text[..at], modifiers))
}

/// Returns whether the text consists of words or phrases of a class.
fn are_all(text: &str, class: &Class) -> bool {
    class.has(text)
        || text.match_indices(' ').any(|(at, _)| class.has(&text[..at]) && are_all(text[at + 1..].trim(), class))
}

/// Returns whether the text is a known place, or something in a known place: "Vaduz, Liechtenstein". A place that is also
/// another word needs a capital letter.
fn is_place(text: &str) -> bool {
    let is_known = |text: &str| PLACES.has(text) && (text.contains(char::is_uppercase) || !AMBIGUOUS_PLACES.has(text));
    match text.split_once(", ") {
        Some((inner, outer)) => (is_known(outer) || STATE.is_match(outer)) && (is_known(inner) || is_title(inner)),
        None => is_known(text),
    }
}

fn employer(text: &str) -> Option<String> {
    // "Airbus in Toulouse" is the employer and its place.
    if let Some((employer_name, _)) = text.rsplit_once(" in ").filter(|(_, location)| is_place(location)) {
        return employer(employer_name);
    }
    if let Some(workplace) = WORKPLACE.captures(text).and_then(|found| found.name("workplace")) {
        let workplace = workplace.as_str();
        if WORKPLACES.has(workplace) || COMPANY.is_match(workplace) {
            return Some(workplace.to_owned());
        }
    }
    if COMPANIES.has(text) {
        return Some(text.to_owned());
    }
    let is_person = FIRST_NAMES.has(text.strip_suffix("'s").unwrap_or(text));
    let is_other = PLACES.has(text) || NOT_EMPLOYER.is_match(text) || EMPHASISED.has(text) || is_person;
    (is_title(text) && !is_other).then(|| text.to_owned())
}

/// Returns whether the text is capitalised like a title, has at most [`LONGEST_TITLE`] words and names no day or month; also
/// accepts "University of Oulu".
fn is_title(text: &str) -> bool {
    TITLE.is_match(text) && text.split_whitespace().count() <= LONGEST_TITLE && !has_day_or_month(text)
}

fn has_day_or_month(text: &str) -> bool {
    DAY_OR_MONTH.is_match(text)
}

fn is_name(text: &str) -> bool {
    let names_nobody = |text: &str| NOT_NAMES.has(text) || EMPHASISED.has(text);
    NAME.is_match(text) && !text.split([' ', '-']).any(names_nobody) && !names_nobody(text)
}

/// Returns whether a name begins with a common given name that is not also an adjective or a language: "My brother is
/// Christian".
fn is_first_name(text: &str) -> bool {
    let is_name = |name: &str| FIRST_NAMES.has(name) && !LANGUAGES.has(name) && !ADJECTIVE.is_match(name);
    NAME.is_match(text) && text.split(' ').next().is_some_and(is_name)
}

/// Returns whether a name after a statement may be that of the person or program to whom the speaker speaks.
fn may_be_addressed(name: &str) -> bool {
    name.split(' ').any(|part| FIRST_NAMES.has(part) || is_assistant(part) || ADDRESS.is_match(part))
}

/// Returns a class or club for a known activity or subject; `None` for any other. Some clubs need no subject.
fn subject_of(text: &str, pattern: &Regex, may_be_bare: bool) -> Option<String> {
    let found = pattern.captures(text)?;
    let (whole, subject) =
        (found.name("whole")?.as_str(), found.name("subject").map(|subject| subject.as_str().trim()));
    let is_known = |subject: &str| {
        [&HOBBIES, &FIELDS, &INSTRUMENTS, &GAMES, &LANGUAGES, &TASTES].iter().any(|class| class.has(subject))
            || KINDS_OF_CLUBS.is_match(subject)
    };
    let is_bare = subject.is_none_or(str::is_empty);
    let fits = if is_bare { may_be_bare && BARE_CLUB.is_match(whole) } else { subject.is_some_and(is_known) };
    fits.then(|| whole.to_owned())
}

fn belonging(text: &str) -> Option<String> {
    let thing = DETERMINER.replace(text, "");
    let thing = without_new(&thing);
    (has_head(thing, &BELONGINGS, &BELONGING_MODIFIERS) || VEHICLE.is_match(thing)).then(|| thing.to_owned())
}

/// Removes "new", which is soon no longer true.
fn without_new(thing: &str) -> &str {
    thing.strip_prefix("new ").or_else(|| thing.strip_prefix("brand new ")).unwrap_or(thing)
}

/// Returns whether the text is a taste: "jazz", "horror movies", "playing the piano", "reading crime novels".
fn is_taste(text: &str) -> bool {
    if let Some(done) = DOING.captures(text) {
        let (verb, rest) = (done[1].to_lowercase(), &done[2]);
        return if verb == "playing" { INSTRUMENTS.has(bare(rest)) || GAMES.has(rest) } else { is_taste(rest) };
    }
    TASTES.has(text)
        || text.rsplit_once(' ').is_some_and(|(modifier, kind)| {
            TASTE_KINDS.has(kind) && (TASTE_MODIFIERS.has(modifier) || are_all(modifier, &TASTE_MODIFIERS))
        })
}

fn is_favorite(text: &str, kind: &str) -> bool {
    let has = |classes: &[&Class]| classes.iter().any(|class| class.has(text));
    match kind.to_lowercase().as_str() {
        "color" | "colour" => COLOR.is_match(text),
        "food" | "dish" | "meal" | "snack" | "dessert" | "drink" | "fruit" | "vegetable" | "animal" | "flower"
        | "music genre" | "genre" | "kind of music" | "cuisine" | "ice cream" => is_taste(text),
        "sport" | "hobby" | "pastime" => has(&[&GAMES, &HOBBIES, &TASTES]),
        "subject" => has(&[&FIELDS]),
        "instrument" => INSTRUMENTS.has(bare(text)),
        "language" => has(&[&LANGUAGES]),
        "season" => SEASON.is_match(text),
        "city" | "country" | "place" | "town" => is_place(text),
        "" => false,
        _ => is_title(text.trim_matches('"')),
    }
}

pattern!(
    FIRST_NAME,
    r"(?i)^(?:florence|victoria|charlotte|sofia|jordan|virginia|madison|savannah|georgia|regina|eugene|lincoln|austin|dallas|sydney|chester|adelaide|hamilton|kent|devon|columbus|salvador|braga|chad|valencia|lourdes)$"
);
pattern!(
    STATE,
    r"^(?:A[LKZR]|C[AOT]|D[EC]|FL|GA|HI|I[DLNA]|K[SY]|LA|M[EDAINSOT]|N[EVHJMYCD]|O[HKR]|PA|RI|S[CD]|T[NX]|UT|V[TA]|W[AVIY]|ON|QC|BC|AB|MB|SK|NS|NB|NSW|QLD|VIC|WA)$"
);
pattern!(OR, r"(?i),? or | nor ");
pattern!(SOME, r"(?i)(?:,? and|,) (?:a (?:bit of|little)|some|basic|broken) \p{L}+$");
pattern!(
    ADDRESS,
    r"(?i)^(?:honey|darling|dear|babe|baby|love|sweetie|sweetheart|bro|bruh|dude|man|mate|buddy|pal|sir|madam|ma'am|miss|grandma|grandpa|granny|gran|nan|nana|auntie|uncle|aunt|doc|doctor|professor|teacher|boss|chief|guys|folks|friends|team|alexa|cortana|gemini|bard|llama|mistral)$"
);
pattern!(SMALL_NAME, r"^\p{Ll}{2,14}$");
// First names that are other words when they are written small.
pattern!(
    WORD,
    r"(?x)^(?:will|said|mark|bill|grace|rob|sue|frank|may|max|art|jack|pat|ray|rose|drew|don|gene|dean|hope|joy|faith|chase|miles|iris|dawn|eve|rich|nick|jean|carol|april|june|august|olive|pearl|penny|poppy|ivy|
        violet|ruby|bea|dev|mei|noor|lies|laurence|guy|art|norman|morgan|ross|stan|luc|basil|clay|cliff|dale|grant|harry|herb|josh|lance|mike|peg|pierce|randy|reed|rusty|skip|spike|tanner|tuck|wade|
        bud|buck|buddy|bob|jim|kelly|lily|daisy|holly|heather|summer|autumn|amber|crystal|ginger|sandy|misty|sunny|star|robin|jay|martin|piper|victor|constance|felicity|mercy|patience|charity|prudence|ted)$"
);
pattern!(AND, r"(?i),\s*(?:and\s+)?|\s+and\s+(?:also\s+)?|\s*&\s*");
pattern!(NAME, r"^\p{Lu}\p{Ll}+(?:-\p{Lu}\p{Ll}+)?(?: \p{Lu}\p{Ll}+)?$");
pattern!(
    TITLE,
    r"^(?:The |the )?[\p{Lu}\d][\p{L}\d&'.:!-]*(?:,? (?:(?:of|the|and|in|de|for|to|a|at|on|&) )*[\p{Lu}\d][\p{L}\d&'.:!-]*)*$"
);
pattern!(
    DAY_OR_MONTH,
    r"\b(?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|January|February|April|June|July|August|September|October|November|December)\b"
);
// Words that follow "work at" but are not employers: numbers, times, people with a title.
pattern!(
    NOT_EMPLOYER,
    r"(?i)^(?:\W*\d.*|[ap]m|hq|home|christmas.*|easter.*|thanksgiving.*|halloween.*|new year.*|mom|mum|dad|night|noon|midnight|god|jesus|(?:mr|mrs|ms|dr|uncle|aunt)\b.*|utc.*|gmt.*|[ecpm]st|cet|it|hr|i|me|myself|him|her|them|us|you|nacht|tag|tageslicht|regen|hitze|kälte|wind|schnee|musik|lärm|licht|kerzenlicht|bedarf|freunden|kunden|mama|papa|oma|opa|uns|ihm|ihr|ihnen|moi|toi|lui|elle|nous|eux|navidad|casa|verano|invierno)$"
);
pattern!(
    SCHOOL,
    r"\b(?:University|Universität|Universidad|Universitat|Université|Università|Hochschule|Sorbonne|Sciences Po|RWTH|LMU|Complutense|UNAM|College|School|Institute|Academy|Polytechnic|Conservatory|Yale|Harvard|Oxford|Cambridge|MIT|Stanford|Princeton|Columbia|Cornell|Berkeley|UCLA|USC|NYU|Caltech|ETH|EPFL|LSE|KTH|TU \p{Lu}\p{Ll}+|Brown|Dartmouth|Duke|Georgetown)\b"
);
pattern!(
    WORKPLACE,
    r"(?i)^(?:a|an|the|my|our)(?: (?:small|big|large|little|local|new|public|private|family|tiny|busy|nearby|medium-sized|nice))* (?P<workplace>.+)$"
);
pattern!(
    COMPANY,
    r"^(?:[a-z-]+ing|[a-z]+ware|design|insurance|tech|media|law|film|game|oil|energy|steel|car|pharmaceutical|biotech)(?: [a-z]+)? (?:company|firm|agency|studio)$"
);
pattern!(
    COURSE,
    r"(?i)^(?:an?|some|my|the) (?:(?:new|local|online|weekly|beginner'?s?|advanced|evening) )*(?P<whole>(?P<subject>.+? )?(?:class|classes|course|courses|lessons|workshop|workshops|bootcamp))$"
);
pattern!(
    CLUB,
    r"(?i)^(?:an?|my|the|our) (?:(?:new|local|online|weekly|nearby|amateur) )*(?P<whole>(?P<subject>.+? )??(?:club|group|choir|band|team|league|gym|orchestra|church))$"
);
pattern!(BARE_CLUB, r"(?i)^(?:choir|gym|orchestra)$");
pattern!(KINDS_OF_CLUBS, r"(?i)^(?:book|writers?'?|walking|support|debate|drama|church|community|youth|student)$");
pattern!(
    CHILDREN,
    r"(?i)^(?:a|one|two|three|four|five|six|seven)(?: (?:little|young|small|adult|grown|teenage|beautiful|wonderful|lovely|grown-up|\w+-year-old))*(?: (?:kids?|child|children|sons?|daughters?|boys|girls|twins|grandchildren|grandkids|grandsons?|granddaughters?))$"
);
pattern!(DETERMINER, r"(?i)^(?:an?|my(?: own)?|our(?: own)?|the|his|her|their) ");
pattern!(DOING, r"(?i)^(playing|reading|watching|eating|drinking|listening to|making|baking|cooking) (.+)$");
pattern!(
    FOOD,
    r"(?i)^(?:red )?(?:meat|pork|beef|lamb|chicken|poultry|fish|seafood|shellfish|shrimp|dairy|gluten|wheat|sugar|eggs|nuts|peanuts|mushrooms|olives|onions|garlic|cheese|honey|animal products|rabbit|venison|veal|duck|turkey|ham|bacon|sausages|goat|mutton|offal|liver|salmon|tuna|prawns|crab|lobster|squid|oysters|mussels|milk|butter|yogh?urt|bread|pasta|rice|soy|tofu|beans|lentils|peanut butter|tomatoes|potatoes|aubergines?|eggplant|peppers|celery|cucumber|spinach|broccoli|cauliflower|cabbage|kale|avocado|bananas|coconut|chocolate|sweets|candy|cilantro|coriander|pineapple|spicy food|fried food|fast food|raw fish|sushi)$"
);
pattern!(
    COLOR,
    r"(?i)^(?:(?:dark|light|navy|sky|royal|forest|baby|hot|pale|emerald) )?(?:red|blue|green|yellow|orange|purple|violet|pink|black|white|brown|gray|grey|turquoise|teal|gold|silver|maroon|magenta|indigo|lavender|beige|cyan|navy)$"
);
// Makes of cars, with a model: "Toyota Yaris", "VW Golf". Other things that people drive may belong to their work.
pattern!(
    VEHICLE,
    r"^(?:(?i:toyota|honda|ford|mini|brompton|polestar|cupra|smart|royal enfield|lambretta|piaggio|volkswagen|vw|audi|bmw|mercedes|volvo|saab|skoda|škoda|seat|opel|vauxhall|renault|peugeot|citroën|citroen|fiat|dacia|kia|hyundai|mazda|nissan|subaru|suzuki|tesla|porsche|jeep|chevrolet|chevy|dodge|lexus|mitsubishi|land rover|mini cooper|alfa romeo|harley(?: davidson)?|ducati|yamaha|kawasaki|vespa))(?: (?:[\p{Lu}\d][\p{L}\d-]*)){0,2}$"
);
// Given names that are adjectives too.
pattern!(ADJECTIVE, r"(?i)^(?:christian|roman|norman|frank|art|rich|stormy|sunny|major|noble|ernest|gay|happy|merry)$");
// "20 mg of".
pattern!(DOSE, r"(?i)\b\d+(?:[.,]\d+)? ?(?:mg|mcg|µg|micrograms?|ml|units?)(?: of)? ?|\b(?:some|my|the|a daily) ");
pattern!(SEASON, r"(?i)^(?:spring|summer|autumn|fall|winter)$");

#[cfg(test)]
mod tests {
    use super::*;

    fn check(shape: Shape, text: &str, expect: &[&str]) {
        assert_eq!(objects(shape, text, None), expect, "{shape:?} {text:?}");
    }

    #[test]
    fn object_of_another_class_is_refused() {
        check(Shape::Place, "Portland, Oregon", &["Portland, Oregon"]);
        check(Shape::Place, "oslo", &["oslo"]);
        check(Shape::Place, "Nice", &["Nice"]);
        check(Shape::Place, "nice", &[]);
        check(Shape::Place, "Docker", &[]);
        check(Shape::Employer, "Siemens", &["Siemens"]);
        check(Shape::Employer, "the University of Oulu", &["the University of Oulu"]);
        check(Shape::Employer, "a small bakery", &["bakery"]);
        check(Shape::Employer, "free", &[]);
        check(Shape::Employer, "10", &[]);
        check(Shape::Employer, "a snail's pace", &[]);
        check(Shape::Occupation, "senior software engineer", &["senior software engineer"]);
        check(Shape::Occupation, "terrible cook", &[]);
        check(Shape::Names, "Eva and Ida", &["Eva", "Ida"]);
        check(Shape::Names, "Thursday", &[]);
        check(Shape::Pets, "a dog and two black cats", &["dog", "two black cats"]);
        check(Shape::Pets, "a hot dog", &[]);
        check(Shape::Belonging, "my new car", &["car"]);
        check(Shape::Taste, "tea, horror movies and playing the piano", &["tea", "horror movies", "playing the piano"]);
        check(Shape::Taste, "getting woken up", &[]);
    }
}
