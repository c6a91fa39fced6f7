//! Finds statements about people whom the speaker names: "My sister Jo lives in Bath", "my husband Tom, who is vegan, …", and "she
//! works at Siemens" right after one of them. Rewrites them to the first person, so that the rules of the table can match them; the
//! person is the subject. A name without a relation counts only if a fact of the speaker says who it is. Pure.

use regex::Regex;

use super::classes::{EMPHASISED, NOT_NAMES, PETS};
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
    pub(super) person: String,
    /// What the clause says, as if the person said it: "I live in Bath".
    pub(super) clause: String,
}

/// Returns the person whom a pronoun in the next clause means: the one whom this clause is about, or names with a relation at its
/// beginning. `last` is the person of the clause before. `None` if the clause names a pet too, which "he" may mean as well.
pub(super) fn next_person(clause: &str, about: Option<About>, last: Option<Person>) -> Option<Person> {
    let names_pet = clause.split(|c: char| !c.is_alphabetic()).any(|word| PETS.has_any_number(word));
    match about {
        _ if names_pet => None,
        // The pronoun of the person stays known.
        Some(about) if last.as_ref().is_some_and(|last| last.name == about.person) => last,
        about => subject(clause).or(about.map(|about| Person { name: about.person, pronoun: None })),
    }
}

/// Returns the person whom a clause names with a relation at its beginning, if the relation shows which pronoun means the person:
/// "My brother Alan flew in".
fn subject(clause: &str) -> Option<Person> {
    let found = BEGINS_WITH_RELATIVE.captures(clause)?;
    let pronoun = match grammar::relation(&found["kin"]).as_str() {
        "has_sister" | "has_mother" | "has_daughter" | "has_aunt" | "has_grandmother" | "has_granddaughter"
        | "has_niece" => "she",
        "has_brother" | "has_father" | "has_son" | "has_uncle" | "has_grandfather" | "has_grandson" | "has_nephew" => {
            "he"
        }
        _ => return None,
    };
    Some(Person { name: found["name"].to_owned(), pronoun: Some(pronoun) }).filter(|person| is_name(&person.name))
}

/// Returns whom a clause is about and what it says. `is_known` returns whether a name is that of somebody whom the speaker has named
/// before; `last` is the person of the clause before, whom "he" or "she" means.
pub(super) fn about(clause: &str, is_known: impl Fn(&str) -> bool, last: Option<&Person>) -> Option<About> {
    let clause = SHORT_IS.replace(clause, "$subject is $next");
    let found = ABOUT.captures(&clause)?;
    let person = match (found.name("relative"), found.name("person")) {
        (Some(name), _) => Some(name.as_str()).filter(|name| is_name(name))?,
        (None, Some(name)) => Some(name.as_str()).filter(|name| is_known(name))?,
        (None, None) => {
            let said = found.name("pronoun").map_or("", |pronoun| pronoun.as_str());
            // "… and works in Rome" goes on about the same person.
            let is_meant = |pronoun: &str| said.is_empty() || said.eq_ignore_ascii_case(pronoun);
            last.filter(|last| last.pronoun.is_none_or(is_meant))?.name.as_str()
        }
    };
    let rest = &found["rest"];
    // "My brother Tom, who is a nurse, visits us."
    let said = if found.name("who").is_some() { rest.split(',').next().unwrap_or_default() } else { rest };
    Some(About { person: person.to_owned(), clause: format!("{}{said}", in_first_person(&found["verb"])) })
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
const VERBS: &str = "is|has|lives|works|studies|teaches|speaks|suffers|comes|takes|eats|keeps|moved|relocated|graduated|became|got|\
    started|joined|quit|lost|retired|can't|cannot|doesn't|does not";

pattern!(
    ABOUT,
    &spelled(&format!(
        r"^(?:(?:(?i:my|our) (?i:{{relative}}),? (?P<relative>{{name}}),?(?P<who> who)?|(?P<pronoun>(?i:he|she))|(?P<person>{{name}})) |)(?i:(?P<verb>{VERBS}))(?P<rest> .+)$"
    ))
);
pattern!(BEGINS_WITH_RELATIVE, &spelled(r"^(?i:my|our) (?i:{relative}),? (?P<name>{name})\b"));
// "Jo's a nurse" is a statement, "Jo's car" is none.
pattern!(
    SHORT_IS,
    r"^(?P<subject>[\p{L}, ]{2,40})'s (?P<next>(?:an?|from|based|living|working|studying|allergic|vegan|vegetarian|married|engaged|\d\d)\b)"
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statement_about_a_named_person_is_in_first_person() {
        fn check(clause: &str, expect: Option<(&str, &str)>) {
            let ida = Person { name: "Ida".into(), pronoun: Some("she") };
            let about = about(clause, |name| name == "Eva", Some(&ida));
            assert_eq!(about.as_ref().map(|about| (about.person.as_str(), about.clause.as_str())), expect, "{clause}");
        }
        check("My sister Jo lives in Bath", Some(("Jo", "I live in Bath")));
        check("my older brother Tom, who is a nurse, visits us", Some(("Tom", "I'm a nurse")));
        check("my husband Anders doesn't eat meat", Some(("Anders", "I don't eat meat")));
        check("Our son Max's allergic to nuts", Some(("Max", "I'm allergic to nuts")));
        check("Eva works at Siemens", Some(("Eva", "I work at Siemens")));
        check("She is 71", Some(("Ida", "I'm 71")));
        check("she's 71", Some(("Ida", "I'm 71")));
        check("works in Rome", Some(("Ida", "I work in Rome")));
        for nobody in [
            "Tom works at Siemens",
            "My sister lives in Bath",
            "My sister Jo's car is red",
            "Eva hopes to live in Rome",
            "he's 71",
        ] {
            check(nobody, None);
        }
        assert_eq!(about("she's 71", |_| true, None), None);
    }
}
