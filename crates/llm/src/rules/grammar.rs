//! The words that patterns are made of.
//!
//! A pattern of the table is a regular expression in lower case, matched whatever the case, in which `{word}` stands for an entry here.
//! What a pattern captures is known by the group's name: `who` (the speaker or somebody named), `anyone` (the same, where the
//! verb shows that even a name never met before is a person's), `o` (the object), `former` (the value that ends), `kind` and `kin` (what
//! sort of thing or relative the object is).

/// A regular expression that is compiled once.
macro_rules! pattern {
    ($name:ident, $pattern:expr) => {
        static $name: std::sync::LazyLock<Regex> =
            std::sync::LazyLock::new(|| Regex::new($pattern).expect("a pattern of the rules is valid"));
    };
}
pub(super) use pattern;

/// Entries may use those below them.
const WORDS: [(&str, &str); 27] = [
    ("who", r"(?P<who>{somebody})"),
    ("anyone", r"(?P<anyone>{somebody})"),
    ("somebody", r"(?:i|we|(?:(?:my|our) {adj}(?:{kin}),? )?{name})"),
    ("o", r"(?P<o>.+)"),
    ("names", r"(?P<o>{name}(?:(?:, | and |, and ){name})*)"),
    ("name", r"(?-i:[A-Z]\p{Ll}+(?:-[A-Z]\p{Ll}+)?(?: [A-Z]\p{Ll}+)?)"),
    ("be", r"(?:'m| am|'re| are|'s| is| be)"),
    ("been", r"(?: have been| has been|'ve been|'s been)"),
    ("have", r"(?: have|'ve| has|'s)?"),
    (
        "adv",
        r"(?: (?:really|just|also|still|absolutely|totally|truly|actually|recently|finally|now|already|always|currently|both|even|definitely|especially|particularly|simply|do|myself|personally|usually|often|mostly|originally|officially|lately|all|so|deeply|kinda|literally|only|mainly))*",
    ),
    ("buy", r"(?:bought|purchased|got|adopted|rescued)(?: (?:myself|ourselves))?"),
    (
        "own",
        r"(?:a|an|one|two|three|four|five|six|\d+|some|another|several|a few|a couple of|my|our|his|her|their)(?: own)?",
    ),
    ("adj", r"(?:[\w'-]+ ){0,3}?"),
    (
        "end",
        r"(?:$|[,.!;]| (?:and|who|that|which|at|too|now|with|in|from|for|where|last|this|today|recently|together|here|yesterday|again|as|but|so|or)\b)",
    ),
    (
        "kept",
        r"(?:$|[,.!;]| (?:and|who|that|which|at|too|now|with|in|from|where|last|this|today|recently|together|here|yesterday|again|but|so|or)\b)",
    ),
    (
        "named",
        r"(?:,? (?:named|called|who is called|whose name is|by the name of)|'s name is|'s called| is called| is named)",
    ),
    (
        "relative",
        r"(?:best |older |elder |younger |little |big |oldest |youngest |twin |good |close |old |late |baby |step-?)*(?P<kin>{kin})",
    ),
    (
        "kin",
        r"sister|brother|mother|mom|mum|father|dad|wife|husband|spouse|son|daughter|cousin|aunt|uncle|grandmother|grandma|grandfather|grandpa|nephew|niece|friend|buddy|boss|colleague|coworker|neighbou?r|coach|mentor|roommate|therapist|boyfriend|girlfriend|partner|fianc[eé]e?",
    ),
    (
        "pet",
        r"(?P<kind>dog|cat|puppy|pup|kitten|kitty|turtle|rabbit|bunny|hamster|guinea pig|parrot|bird|fish|goldfish|horse|snake|lizard|python|pet|ferret|gecko)(?:s|es)?",
    ),
    ("child", r"(?:kids?|child|children|sons?|daughters?|bab(?:y|ies)|twins?)"),
    (
        "occupation",
        r"(?:nurse|doctor|surgeon|dentist|vet|veterinarian|teacher|professor|tutor|lecturer|engineer|programmer|developer|designer|architect|lawyer|attorney|paralegal|judge|accountant|banker|broker|analyst|consultant|manager|assistant|secretary|receptionist|clerk|cashier|barista|bartender|waiter|waitress|chef|cook|baker|butcher|farmer|gardener|florist|carpenter|plumber|electrician|mechanic|welder|driver|pilot|sailor|soldier|firefighter|policeman|officer|detective|journalist|reporter|editor|writer|author|novelist|screenwriter|poet|translator|interpreter|librarian|photographer|videographer|filmmaker|director|producer|actor|actress|musician|singer|rapper|guitarist|drummer|pianist|composer|dj|dancer|choreographer|painter|sculptor|illustrator|artist|potter|athlete|coach|trainer|instructor|therapist|counselor|counsellor|psychologist|psychiatrist|social worker|pharmacist|scientist|researcher|physicist|chemist|biologist|economist|historian|salesman|salesperson|realtor|entrepreneur|founder|contractor|janitor|nanny|babysitter|streamer|blogger|gamer|technician)",
    ),
    (
        "diet",
        r"(?:vegetarian|vegan|pescatarian|pescetarian|lactose[- ]intolerant|gluten[- ]free|coeliac|celiac|diabetic)",
    ),
    (
        "language",
        r"(?:english|spanish|french|german|italian|portuguese|dutch|swedish|norwegian|danish|finnish|polish|czech|russian|ukrainian|greek|turkish|arabic|hebrew|persian|farsi|hindi|urdu|bengali|tamil|chinese|mandarin|cantonese|japanese|korean|vietnamese|thai|indonesian|swahili|catalan|romanian|hungarian|latin|esperanto|sign language)",
    ),
    (
        "hobby",
        r"(?:surfing|running|jogging|painting|drawing|sketching|writing|hiking|cooking|baking|gardening|knitting|crocheting|sewing|dancing|singing|swimming|cycling|biking|climbing|bouldering|skiing|snowboarding|skateboarding|yoga|pilates|meditating|meditation|pottery|photography|boxing|kickboxing|karate|judo|taekwondo|martial arts|lifting weights|weightlifting|working out|rowing|sailing|kayaking|fishing|bird ?watching|camping|horseback riding|horse riding|making \w+|collecting \w+)",
    ),
    (
        "club",
        r"(?:group|club|team|band|gym|church|choir|forum|organi[sz]ation|community|board|council|league|army|military|navy|association|union|society|crew|squad|network|orchestra|troupe|charity|platform)s?",
    ),
    (
        "course",
        r"(?:class|classes|course|courses|lesson|lessons|workshop|workshops|tournament|program|training|bootcamp|marathon|race|competition|seminar|retreat)",
    ),
    (
        "thing",
        r"(?:car|truck|van|motorcycle|motorbike|bike|bicycle|boat|house|home|apartment|flat|condo|cabin|cottage|farm|mansion|studio|shop|store|bakery|caf[eé]|restaurant|bar|business|company|agency|startup|guitar|piano|violin|cello|ukulele|keyboard|drums|drum set|saxophone|clarinet|flute|camera|drone|telescope|console|laptop|computer|pc|tablet|phone|watch|tent|kayak|surfboard|skateboard|snowboard|garden|allotment|caravan|camper|rv|treadmill|bookshelf|necklace|car shop|farmhouse|collection)s?",
    ),
];

/// The pattern with every `{word}` written out.
pub(super) fn spelled(pattern: &str) -> String {
    WORDS.iter().fold(pattern.to_owned(), |pattern, (word, meaning)| pattern.replace(&format!("{{{word}}}"), meaning))
}

/// The predicate that ties somebody to a relative.
pub(super) fn relation(kin: &str) -> String {
    match kin.to_lowercase().as_str() {
        "wife" | "husband" | "spouse" => "married_to".to_owned(),
        "boyfriend" | "girlfriend" | "partner" => "has_partner".to_owned(),
        "mom" | "mum" => "has_mother".to_owned(),
        "dad" => "has_father".to_owned(),
        "grandma" => "has_grandmother".to_owned(),
        "grandpa" => "has_grandfather".to_owned(),
        "buddy" => "has_friend".to_owned(),
        "coworker" => "has_colleague".to_owned(),
        "neighbour" => "has_neighbor".to_owned(),
        engaged if engaged.starts_with("fianc") => "engaged_to".to_owned(),
        other => format!("has_{other}"),
    }
}
