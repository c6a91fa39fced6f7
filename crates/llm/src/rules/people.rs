//! Finds statements about people around the speaker: "My sister Jo lives in Bath", "my husband Tom, who is vegan, …", "my dad is a
//! nurse", and "she works at Siemens" right after one of them. Rewrites them to the first person, so that the rules of the table can
//! match them; the person is the subject. A name without a relation counts only if a fact of the speaker says who it is. A relation
//! without a name means the one person of this relation whose name is known, otherwise "Ann's father". Pure.

use annals_core::entity_key;
use regex::{Captures, Regex};

use super::classes::{EMPHASISED, NOT_NAMES, OCCUPATIONS, PETS};
use super::grammar::{self, pattern, spelled};

/// Predicates of what others may be said to be, have or do. Others come from a speaker's passing remark, so pets, belongings, plans
/// and tastes are left out.
const PREDICATES: [&str; 19] = [
    "lives_in",
    "is_from",
    "born_in",
    "has_birthday",
    "age",
    "works_at",
    "works_as",
    "is_a",
    "studies",
    "studies_at",
    "graduated_from",
    "speaks",
    "allergic_to",
    "diet",
    "does_not_eat",
    "has_condition",
    "takes",
    "married_to",
    "engaged_to",
];

/// The people around a speaker whose names are known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Around<'a> {
    pub(super) speaker: &'a str,
    /// Predicate and name: `has_sister` and "Jo".
    pub(super) named: Vec<(&'a str, &'a str)>,
}

impl Around<'_> {
    fn has(&self, name: &str) -> bool {
        self.named.iter().any(|(_, named)| entity_key(named) == entity_key(name))
    }

    /// Returns how the person of a relation is called: by the name, if one is known, otherwise "Ann's younger brother". `None` if several
    /// are known.
    fn person(&self, kin: &str, which: Option<&str>) -> Option<String> {
        let relation = grammar::relation(kin);
        let mut names: Vec<String> = Vec::new();
        for (_, name) in self.named.iter().filter(|(predicate, _)| *predicate == relation) {
            if !names.contains(&entity_key(name)) {
                names.push(entity_key(name));
            }
        }
        let named = |key: &String| self.named.iter().find(|(_, name)| entity_key(name) == *key);
        match names.as_slice() {
            [] => Some(format!("{}'s {}{}", self.speaker, which.unwrap_or_default(), grammar::relative(kin))),
            [only] => named(only).map(|(_, name)| (*name).to_owned()),
            _ => None,
        }
    }
}

/// A person whom the next clause may mean by a pronoun.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Person {
    pub(super) name: String,
    /// "she" or "he", if it is known.
    pub(super) pronoun: Option<&'static str>,
}

/// A clause about somebody else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct About {
    pub(super) person: Person,
    /// What the clause says, as if the person said it: "I live in Bath".
    pub(super) clause: String,
}

/// Returns the person whom a pronoun in the next clause means: the one about whom this clause states something, or whom it names with a
/// relation at its beginning. `None` if the clause names a pet too, which "he" may mean as well.
pub(super) fn next_person(clause: &str, stated: Option<Person>) -> Option<Person> {
    let names_pet = clause.split(|c: char| !c.is_alphabetic()).any(|word| PETS.has_any_number(word));
    if names_pet { None } else { subject(clause).or(stated) }
}

/// Returns the person whom a clause names with a relation at its beginning, if the relation shows which pronoun means the person:
/// "My brother Alan flew in".
fn subject(clause: &str) -> Option<Person> {
    let found = BEGINS_WITH_RELATIVE.captures(clause)?;
    let person = Person { name: found["name"].to_owned(), pronoun: Some(pronoun(&found["kin"])?) };
    Some(person).filter(|person| is_name(&person.name))
}

/// Returns the pronoun of a relation; `None` if people of both sexes have it.
fn pronoun(kin: &str) -> Option<&'static str> {
    match grammar::relative(kin).as_str() {
        "sister" | "mother" | "daughter" | "aunt" | "grandmother" | "granddaughter" | "niece" | "wife"
        | "girlfriend" => Some("she"),
        "brother" | "father" | "son" | "uncle" | "grandfather" | "grandson" | "nephew" | "husband" | "boyfriend" => {
            Some("he")
        }
        _ => None,
    }
}

/// Returns whom a clause is about and what it says. `last` is the person of the clause before, whom "he" or "she" means.
pub(super) fn about(clause: &str, around: &Around<'_>, last: Option<&Person>) -> Option<About> {
    let clause = SHORT_IS.replace(clause, "$subject is $next");
    let found = ABOUT.captures(&clause)?;
    // "My brother lost his job" is his own job.
    let rest = OWN.replace_all(&found["rest"], "my");
    // "My brother Tom, who is a nurse, visits us."
    let said = if found.name("who").is_some() { rest.split(',').next().unwrap_or_default() } else { &rest };
    let clause = match IS_AGED.captures(&format!("{}{said}", &found["verb"])) {
        // "Mein Vater ist Bäcker" has no article.
        None if &found["verb"] == "is" && OCCUPATIONS.has(said.trim()) => format!("I'm a{said}"),
        Some(age) => format!("I'm aged {}{}", &age[1], age.name("day").map_or("", |day| day.as_str())),
        None => format!("{}{said}", in_first_person(&found["verb"])),
    };
    Some(About { person: person(&found, around, last)?, clause })
}

fn person(found: &Captures<'_>, around: &Around<'_>, last: Option<&Person>) -> Option<Person> {
    let part = |group: &str| found.name(group).map(|part| part.as_str());
    let name = match (part("kin"), part("relative"), part("person")) {
        (Some(_), Some(name), _) => Some(name).filter(|name| is_name(name))?.to_owned(),
        (Some(kin), None, _) if IS_ONE.is_match(kin) => around.person(kin, part("which"))?,
        (Some(_), None, _) => return None,
        (None, _, Some(name)) => Some(name).filter(|name| around.has(name))?.to_owned(),
        (None, _, None) => {
            // "… and works in Rome" goes on about the same person.
            let said = part("pronoun").unwrap_or_default();
            let is_meant = |pronoun: &str| said.is_empty() || said.eq_ignore_ascii_case(pronoun);
            return last.filter(|last| last.pronoun.is_none_or(is_meant)).cloned();
        }
    };
    Some(Person { name, pronoun: part("kin").and_then(pronoun) })
}

/// Returns whether a predicate can be read from a statement about somebody else.
pub(super) fn may_have(predicate: &str) -> bool {
    PREDICATES.contains(&predicate)
}

/// Returns whether a predicate names a person who belongs to the speaker.
pub(super) fn is_relation(predicate: &str) -> bool {
    let is_thing = matches!(predicate, "has_pet" | "has_children" | "has_condition" | "has_birthday" | "has_favorite");
    matches!(predicate, "married_to" | "engaged_to") || (predicate.starts_with("has_") && !is_thing)
}

fn is_name(name: &str) -> bool {
    let names_nobody = |word: &str| NOT_NAMES.has(word) || EMPHASISED.has(word);
    !name.split([' ', '-']).any(names_nobody)
}

/// Returns the subject and the verb in the first person: "lives" becomes "I live", "'s" becomes "I'm".
fn in_first_person(verb: &str) -> String {
    let verb = verb.to_lowercase();
    match verb.as_str() {
        "is" => "I'm".to_owned(),
        "has" => "I have".to_owned(),
        "studies" => "I study".to_owned(),
        "teaches" => "I teach".to_owned(),
        "doesn't" | "does not" => "I don't".to_owned(),
        "lives" | "works" | "speaks" | "suffers" | "takes" | "comes" | "eats" | "keeps" => {
            format!("I {}", verb.trim_end_matches('s'))
        }
        _ => format!("I {verb}"),
    }
}

/// Verbs of a statement about somebody. Other verbs tell what happened rather than what holds.
const VERBS: &str = "is|was|turned|has|lives|works|studies|teaches|speaks|suffers|comes|takes|eats|keeps|moved|relocated|graduated|became|got|\
    started|joined|quit|lost|retired|can't|cannot|doesn't|does not";

pattern!(
    ABOUT,
    &spelled(&format!(
        r"^(?:(?:(?i:my|our) (?P<which>(?i:older|younger|eldest|oldest|youngest|twin) )?(?i:{{relative}})(?:,? (?P<relative>{{name}}))?,?(?P<who> who)?|(?P<pronoun>(?i:he|she))|(?P<person>{{name}})) |)(?i:(?P<verb>{VERBS}))(?P<rest> .+)$"
    ))
);
// Relations that few people have twice. "My friend is a nurse" says of nobody in particular.
pattern!(
    IS_ONE,
    r"(?i)^(?:mother|father|mom|mum|mam|mama|papa|dad|wife|wifey|husband|hubby|spouse|partner|girlfriend|boyfriend|gf|bf|fianc[eé]e?|boss|line manager|manager|sister|sis|brother|bro|son|daughter|grandmother|grandma|gran|granny|nan|nana|grandfather|grandpa|grandad|granddad|(?:mother|father)-in-law)$"
);
pattern!(BEGINS_WITH_RELATIVE, &spelled(r"^(?i:my|our) (?i:{relative}),? (?P<name>{name})\b"));
pattern!(OWN, r"\b(?:his|her|their)\b");
// Children are of an age that no speaker has.
pattern!(IS_AGED, r"(?i)^is (?:now |already |only |just )*(\d{1,2})(?: years old| now)?(?P<day> today)?$");
// "Jo's a nurse" is a statement, "Jo's car" is none.
pattern!(
    SHORT_IS,
    r"^(?P<subject>[\p{L}, ]{2,40})'s (?P<next>(?:an?|from|based|living|working|studying|allergic|vegan|vegetarian|married|engaged|\d\d?)\b)"
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statement_about_a_named_person_is_in_first_person() {
        fn check(clause: &str, expect: Option<(&str, &str)>) {
            let ida = Person { name: "Ida".into(), pronoun: Some("she") };
            let named =
                vec![("has_friend", "Eva"), ("has_son", "Ole"), ("has_daughter", "Liv"), ("has_daughter", "Kaja")];
            let about = about(clause, &Around { speaker: "Ann", named }, Some(&ida));
            let found = about.as_ref().map(|about| (about.person.name.as_str(), about.clause.as_str()));
            assert_eq!(found, expect, "{clause}");
        }
        check("My sister Jo lives in Bath", Some(("Jo", "I live in Bath")));
        check("my older brother Tom, who is a nurse, visits us", Some(("Tom", "I'm a nurse")));
        check("my husband Anders doesn't eat meat", Some(("Anders", "I don't eat meat")));
        check("Our son Max's allergic to nuts", Some(("Max", "I'm allergic to nuts")));
        check("Eva works at Siemens", Some(("Eva", "I work at Siemens")));
        check("She is 71", Some(("Ida", "I'm aged 71")));
        check("she's 6 now", Some(("Ida", "I'm aged 6")));
        check("works in Rome", Some(("Ida", "I work in Rome")));
        check("My sister lives in Bath", Some(("Ann's sister", "I live in Bath")));
        check("my mum's a nurse", Some(("Ann's mother", "I'm a nurse")));
        check("Our younger brother has asthma", Some(("Ann's younger brother", "I have asthma")));
        check("my son is vegan", Some(("Ole", "I'm vegan")));
        check("my brother lost his job at Ford", Some(("Ann's brother", "I lost my job at Ford")));
        for nobody in [
            "Tom works at Siemens",
            "My friend lives in Bath",
            "my daughter is vegan",
            "My ex-wife lives in Bath",
            "My sister Jo's car is red",
            "Eva hopes to live in Rome",
            "he's 71",
        ] {
            check(nobody, None);
        }
        assert_eq!(about("she's 71", &Around::default(), None), None);
    }
}
