//! Reads turns that are forms: lines such as "Job: nurse" under a name or a heading. Rewrites each line to a clause in the first person, so
//! that the rules of the table can match it. The subject is the person whom the form names; the speaker, if it names nobody and its
//! heading or a key says that it is theirs: "About me", "My job: nurse". Other forms are not read. Pure.

use regex::Regex;

use super::aliases::is_form_of;
use super::framing;
use super::grammar::pattern;

/// Minimum of lines with a known key.
const LEAST_LINES: usize = 2;

/// A clause that a line of a form stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// Whom the form is about; `None` for the speaker.
    pub(super) person: Option<String>,
    pub(super) clause: String,
}

/// Returns what a turn says that is a form; an empty list for any other turn.
pub(super) fn entries(text: &str, speaker: &str) -> Vec<Entry> {
    let Some(form) = Form::of(text).filter(|_| !framing::is_foreign(text)) else { return Vec::new() };
    let person = match form.name() {
        Some(name) if is_form_of(speaker, name) => None,
        Some(name) if FULL_NAME.is_match(name) => Some(name.to_owned()),
        None if form.is_own => None,
        _ => return Vec::new(),
    };
    let clauses = form.lines.iter().flat_map(|(key, value)| clauses(key, value));
    clauses.map(|clause| Entry { person: person.clone(), clause }).collect()
}

/// The lines of a form, each a key in small letters and its value.
struct Form<'a> {
    lines: Vec<(String, &'a str)>,
    /// Whether the heading or a key says that the form is about the speaker.
    is_own: bool,
}

impl Form<'_> {
    /// Returns the form that a text is. It may have a heading, and no other text.
    fn of(text: &str) -> Option<Form<'_>> {
        let mut form = Form { lines: Vec::new(), is_own: false };
        for (index, line) in text.lines().map(str::trim).filter(|line| !line.is_empty()).enumerate() {
            match LINE
                .captures(line)
                .and_then(|found| Some((found.name("key")?.as_str(), found.name("value")?.as_str())))
            {
                Some((key, value)) => {
                    let key = key.to_lowercase();
                    form.is_own |= key.starts_with("my ");
                    form.lines.push((key.trim_start_matches("my ").to_owned(), value));
                }
                None if index == 0 => form.is_own = OWN_HEADING.is_match(line),
                None => return None,
            }
        }
        let known = form.lines.iter().filter(|(key, _)| NAME_KEY.is_match(key) || !clauses(key, "x").is_empty());
        (known.count() >= LEAST_LINES).then_some(form)
    }

    fn name(&self) -> Option<&str> {
        self.lines.iter().find(|(key, _)| NAME_KEY.is_match(key)).map(|(_, value)| *value)
    }
}

/// Returns the clauses for a line. A value such as "none" gives none.
fn clauses(key: &str, value: &str) -> Vec<String> {
    if NOTHING.is_match(value) {
        return Vec::new();
    }
    let one = |before: &str| vec![format!("{before} {value}")];
    match key {
        "job" | "occupation" | "profession" | "role" | "position" | "title" | "job title" | "works as" => {
            one("I work as a")
        }
        "employer" | "company" | "works at" | "works for" | "workplace" | "employed by" => one("I work at"),
        "age" => one("I'm aged"),
        "birthday" | "date of birth" | "dob" => {
            vec![format!("my birthday is on {value}"), format!("I was born on {value}")]
        }
        "city" | "town" | "lives in" | "location" | "based in" | "home" | "residence" => one("I live in"),
        "from" | "hometown" | "home town" | "originally from" | "origin" => one("I'm from"),
        "diet" => one("I'm"),
        "allergy" | "allergies" | "allergic to" => one("I'm allergic to"),
        "condition" | "conditions" | "medical conditions" | "diagnosis" | "diagnoses" => {
            value.split([',', ';']).map(|condition| format!("I have {}", condition.trim())).collect()
        }
        "medication" | "medications" | "meds" | "medicine" | "medicines" | "takes" => one("I take"),
        "language" | "languages" | "speaks" => one("I speak"),
        "studies" | "major" | "degree" | "field of study" => one("I'm studying"),
        "university" | "school" | "college" => one("I study at"),
        "email" | "e-mail" | "mail" => one("my email is"),
        "phone" | "mobile" | "cell" | "tel" | "telephone" | "phone number" => one("my number is"),
        "marital status" | "status" => one("I'm"),
        "wife" | "husband" | "partner" | "spouse" | "girlfriend" | "boyfriend" | "son" | "daughter" | "mother"
        | "father" | "mum" | "mom" | "dad" | "sister" | "brother" => vec![format!("my {key} {value}")],
        "kids" | "children" | "sons" | "daughters" | "siblings" | "brothers" | "sisters" => {
            vec![format!("my {key} are called {value}")]
        }
        "pet" | "pets" => one("I have"),
        "hobby" | "hobbies" | "likes" | "interests" => one("I like"),
        "dislikes" => one("I dislike"),
        _ => Vec::new(),
    }
}

pattern!(LINE, r"^(?:[-*•·]\s*)?(?P<key>\p{L}[\p{L} -]{1,24}?)\s*[:=]\s*(?P<value>\S.*?)[.;,]?$");
pattern!(
    OWN_HEADING,
    r"(?i)^\W*(?:about me|my (?:profile|details|info|information|data|facts|basics)|(?:some |a few )?(?:facts|things|info) about me|me)\W*$"
);
pattern!(
    NAME_KEY,
    r"^(?:name|full name|client|patient|customer|contact|resident|guest|student|employee|member|tenant|participant|candidate)$"
);
pattern!(FULL_NAME, r"^\p{Lu}\p{L}+(?:[ -]\p{Lu}\p{L}+){1,3}$");
pattern!(NOTHING, r"(?i)^(?:none|no|nothing|nil|n/?a|unknown|not known|tbc|tbd|\?+|-+|none known|no known .*)\W*$");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_form_are_clauses() {
        fn check(text: &str, expect: &[(Option<&str>, &str)]) {
            let found = entries(text, "Ann");
            let found: Vec<(Option<&str>, &str)> =
                found.iter().map(|entry| (entry.person.as_deref(), entry.clause.as_str())).collect();
            assert_eq!(found, expect, "{text}");
        }
        let ann = [(None, "I work as a nurse"), (None, "I live in Leeds")];
        check("Name: Ann Cole\nJob: nurse\nCity: Leeds", &ann);
        check("About me\n- Job: nurse\n- City: Leeds", &ann);
        check("My job: nurse\nMy city: Leeds", &ann);
        let tom = Some("Tom Baker");
        check("Client: Tom Baker\nAllergies: nuts\nDiet: none", &[(tom, "I'm allergic to nuts")]);
        for other in [
            "Job: nurse\nCity: Leeds",
            "Client: Acme\nCity: Leeds",
            "Name: Ann",
            "Name: Ann\nJob: nurse\nSee you tomorrow!",
            "Budget: 300\nDeadline: Friday",
            "",
        ] {
            check(other, &[]);
        }
    }
}
