//! Building blocks of the patterns.
//!
//! A pattern of the table is a regular expression that matches a whole clause, ignoring case; `{word}` stands for an entry of
//! [`WORDS`]. Its groups are `o` (the object), `former` (the value that ends), `kind` and `kin` (what sort of thing or relative
//! the object is), and groups that are checked for their class: `place`, `employer`, `occupation`, `pet`, `thing`, `name` and
//! so on.

/// Defines a static regular expression that is compiled once.
macro_rules! pattern {
    ($name:ident, $pattern:expr) => {
        static $name: std::sync::LazyLock<Regex> =
            std::sync::LazyLock::new(|| Regex::new($pattern).expect("a pattern of the rules is valid"));
    };
}
pub(super) use pattern;

/// Words that patterns contain in braces, each with the pattern that replaces it. An entry may refer to entries below it.
const WORDS: [(&str, &str); 35] = [
    ("i_want", r"(?:{i} want|(?:i'?ve|i have|we've|we have|i|we) always wanted)"),
    (
        "i_work",
        r"{i} work(?:,? full[- ]time| part[- ]time|(?: the)? (?:night|day|early|late|evening|morning|weekend) shifts?| nights)?",
    ),
    ("i_am_not", r"(?:{i_am} not|(?:we|{and_i}) aren't)"),
    ("i", r"(?:i|we|{and_i}){adv}"),
    ("i_am", r"(?:i'?m|i am|we're|we are|{and_i} are){adv}"),
    ("i_have", r"(?:i'?ve|i have|we've|we have|i|we|{and_i}(?: have)?){adv}"),
    ("i_own", r"(?:i|we|{and_i}){adv} (?:have|own|have got)|(?:i|we)'ve{adv} got"),
    // The speaker with somebody else: "my wife Clara and I".
    (
        "and_i",
        r"(?:(?:my|our) (?:wife|husband|partner|girlfriend|boyfriend|fianc[eé]e?|spouse|hubby|bf|gf|brother|sister|family)(?: {name})?|{name}) and i",
    ),
    ("i_have_been", r"(?:i'?ve been|i have been|we've been|we have been){adv}"),
    ("o", r"(?P<o>.+?)"),
    // Whom or what somebody lives with.
    ("with", r"(?:,? with (?:my|our) [\p{L}' ]{2,40})?"),
    ("names", r"(?P<o>{name}(?:(?:,? and |, | & ){name})*)"),
    // A number that the names after it must match: "two dogs, Rex and Max".
    ("count", r"(?P<count>two|three|four|five|six|[2-6])"),
    ("name", r"(?-i:\p{Lu}\p{Ll}+(?:-\p{Lu}\p{Ll}+)?(?: \p{Lu}\p{Ll}+)?)"),
    ("small_name", r"(?P<o>(?-i:\p{Ll}{3,14}))"),
    (
        "adv",
        r"(?: (?:really|just|also|still|absolutely|truly|actually|recently|finally|now|currently|always|both|definitely|happily|officially|only just|all))*",
    ),
    ("at", r"(?: (?:at|for|with) (?P<employer>.+?))?(?: (?:here )?in (?P<place>.+?))?"),
    (
        "named",
        r"(?:,? (?:named|called|who is called|whose name is|by the name of|who are called|whose names are)|'s name is|'s called| is called| is named)",
    ),
    (
        "relative",
        r"(?:(?:best|older|elder|younger|little|big|oldest|eldest|youngest|twin|good|close|dear|baby|only|lovely|own|eldest|first[- ]born|line) )*(?P<kin>{kin})",
    ),
    // Relatives only. A neighbor or a partner may also be a country or a company: "our neighbor Canada", "our partner Siemens".
    (
        "of_ours",
        r"(?:(?:older|elder|younger|little|big|oldest|eldest|youngest|twin|only|first[- ]born) )*(?P<kin>son|daughter|grandson|granddaughter|mother|mom|mum|father|dad|sister|brother|grandmother|grandma|grandfather|grandpa|nephew|niece)",
    ),
    ("kids", r"(?P<kin>kids|children|sons|daughters|twins|brothers|sisters|siblings|parents|grandchildren|grandkids)"),
    ("degree", r"(?:phd|ph\.d\.|doctorate|mba|(?:master|bachelor)(?:'?s)?(?: degree)?|degree|apprenticeship)"),
    ("partly", r"(?: strictly| mostly)?"),
    (
        "kin",
        r"(?:mother|father|sister|brother|son|daughter)-in-law|sister|sis|brother|bro|mother|mom|mum|mam|mama|papa|father|dad|wife|husband|spouse|son|daughter|cousin|aunt|uncle|grandmother|grandma|gran|granny|nan|nana|grandfather|grandpa|grandad|granddad|grandson|granddaughter|nephew|niece|friend|mate|bestie|bff|boss|line manager|manager|colleague|coworker|neighbou?r|roommate|flatmate|boyfriend|girlfriend|bf|gf|hubby|wifey|partner|fianc[eé]e?|stepson|stepdaughter|stepmother|stepmum|stepmom|stepfather|stepdad|stepbrother|stepsister|godson|goddaughter|godmother|godfather|housemate",
    ),
    ("pet", r"(?P<kind>[\w' -]+?)"),
    (
        "died",
        r"(?:has |have |just )?(?:died|passed away|passed on|crossed the rainbow bridge)(?: peacefully| last night| this morning| in the night| in (?:his|her|their) sleep)*",
    ),
    ("couple", r"(?:wife|husband|spouse|girlfriend|boyfriend|partner|fianc[eé]e?)"),
    ("diet", r"(?:vegetarian|vegan|pescatarian|pescetarian|lactose[- ]intolerant|gluten[- ]free)"),
    (
        "kind",
        r"(?P<kind>color|colour|food|dish|meal|snack|dessert|drink|fruit|vegetable|animal|flower|music genre|genre|kind of music|cuisine|sport|hobby|pastime|subject|instrument|language|season|city|country|town|book|novel|movie|film|show|opera|musical|play|ballet|manga|anime|cartoon|mountain|river|restaurant|brand|car|holiday|bird|dog breed|cheese|tea|beer|wine|pizza topping|ice cream flavou?r|tv show|series|game|video game|board game|song|album|band|singer|author|artist|writer|poet|painter|actor|actress|director|composer|comic|podcast|team)",
    ),
    ("email", r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"),
    ("phone", r"\+?\d(?:[\d ()/.-]{5,18})\d"),
    ("introduced", r"(?:i'm|i am|my name is|my name's)"),
    ("off", r"(?:has been|was|got|is) (?:cancell?ed|called off|off)"),
    ("after_all", r"(?:,? (?:after all|any ?more|any longer))?"),
    ("job", r"(?:job|position|role|internship|gig)"),
];

/// Returns an ASCII word with a capital letter.
pub(super) fn capitalised(word: &str) -> String {
    let (first, rest) = word.split_at(1);
    first.to_uppercase() + rest
}

/// Returns the pattern with every `{word}` replaced by its entry in [`WORDS`].
pub(super) fn spelled(pattern: &str) -> String {
    WORDS.iter().fold(pattern.to_owned(), |pattern, (word, meaning)| pattern.replace(&format!("{{{word}}}"), meaning))
}

/// Returns the noun for a kind of relative: "mother" for "mum".
pub(super) fn relative(kin: &str) -> String {
    match kin.to_lowercase().as_str() {
        "wifey" => "wife".to_owned(),
        "hubby" => "husband".to_owned(),
        "gf" => "girlfriend".to_owned(),
        "bf" => "boyfriend".to_owned(),
        own @ ("wife" | "husband" | "spouse" | "girlfriend" | "boyfriend" | "partner") => own.to_owned(),
        engaged if engaged.starts_with("fianc") => engaged.to_owned(),
        other => relation(other).trim_start_matches("has_").replace('_', "-"),
    }
}

/// Returns the predicate for a kind of relative.
pub(super) fn relation(kin: &str) -> String {
    match kin.to_lowercase().as_str() {
        "kids" | "children" | "twins" => "has_child".to_owned(),
        "siblings" | "parents" | "sons" | "daughters" | "brothers" | "sisters" => {
            format!("has_{}", kin.to_lowercase().trim_end_matches('s'))
        }
        "grandchildren" | "grandkids" => "has_grandchild".to_owned(),
        "wife" | "husband" | "spouse" | "hubby" | "wifey" => "married_to".to_owned(),
        "boyfriend" | "girlfriend" | "partner" | "bf" | "gf" => "has_partner".to_owned(),
        "sis" => "has_sister".to_owned(),
        "bro" => "has_brother".to_owned(),
        "mom" | "mum" | "mam" | "mama" => "has_mother".to_owned(),
        "mate" | "bestie" | "bff" => "has_friend".to_owned(),
        "manager" | "line manager" => "has_boss".to_owned(),
        "dad" | "papa" => "has_father".to_owned(),
        "grandma" | "gran" | "granny" | "nan" | "nana" => "has_grandmother".to_owned(),
        "grandpa" | "grandad" | "granddad" => "has_grandfather".to_owned(),
        "coworker" => "has_colleague".to_owned(),
        "flatmate" | "housemate" => "has_roommate".to_owned(),
        "neighbour" => "has_neighbor".to_owned(),
        engaged if engaged.starts_with("fianc") => "engaged_to".to_owned(),
        other => format!("has_{}", other.replace('-', "_")),
    }
}
