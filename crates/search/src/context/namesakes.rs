//! Finds first names in a prompt that belong to another person in memory: "Who is Peder Pan?" if memory has a Peder, but nobody
//! called Peder Pan. Pure.

use annals_core::{Found, entity_key, spaced};

/// Returns the namesakes among the first names in the prompt, as lookup keys. `subjects` are the names in the prompt that
/// memory has facts about. Returns nothing for a prompt in which every word is capitalised, because its capitals do not show
/// names.
pub(super) fn namesakes(prompt: &str, subjects: &[String], results: &[Found]) -> Vec<String> {
    let words: Vec<&str> = prompt.split_whitespace().collect();
    if words.iter().all(|word| !word.starts_with(char::is_lowercase)) {
        return Vec::new();
    }
    let is_known = |name: &str| subjects.iter().any(|subject| subject == name) || is_first_name(name, results);
    let names = words.windows(2).filter_map(|pair| full_name(pair[0], pair[1]));
    let unknown = names
        .filter(|(first, last)| is_known(first) && !is_known(last) && !contain(results, &format!("{first} {last}")));
    unknown.map(|(first, _)| first).collect()
}

/// Returns the keys of first and last name if both words are capitalised and no punctuation separates them.
fn full_name(first: &str, last: &str) -> Option<(String, String)> {
    let is_capitalised = |word: &str| word.starts_with(char::is_uppercase) && word.contains(char::is_lowercase);
    let is_joined = first.ends_with(char::is_alphanumeric);
    let last_key = entity_key(last.trim_end_matches(['?', '.', '!']));
    let bare = last_key.strip_suffix("'s").or_else(|| last_key.strip_suffix("’s")).unwrap_or(&last_key);
    (is_joined && is_capitalised(first) && is_capitalised(last)).then(|| (entity_key(first), bare.to_owned()))
}

/// Returns whether the name is the first word of the name of a result's speaker.
fn is_first_name(name: &str, results: &[Found]) -> bool {
    let speakers = results.iter().filter_map(|found| found.memory.speaker());
    speakers.filter_map(|speaker| speaker.split_whitespace().next()).any(|first| entity_key(first) == name)
}

/// Returns whether any result contains the name, or is by a speaker of that name.
fn contain(results: &[Found], name: &str) -> bool {
    let name = spaced(name);
    results.iter().any(|found| {
        spaced(&found.memory.text).contains(&name)
            || found.memory.speaker().is_some_and(|speaker| spaced(speaker) == name)
    })
}

#[cfg(test)]
mod tests {
    use annals_core::{Fit, Role};

    use super::*;
    use crate::fixture::{memory, turn_body};

    /// Returns a turn by this speaker.
    fn turn(speaker: &str, text: &str) -> Found {
        let mut memory = memory("t", "2026-03-04".parse().unwrap(), turn_body(speaker, Role::User));
        memory.text = text.into();
        Found { memory, score: 1.0, fit: Fit::default(), days_outside: 0, parts: Vec::new() }
    }

    #[test]
    fn first_name_with_an_unknown_surname_is_a_namesake() {
        fn check(prompt: &str, expect: &[&str]) {
            let results = [turn("Ann Lee", "I met Peder Holm"), turn("Bob", "Tea, please")];
            let subjects = ["peder".to_owned(), "eve".to_owned()];
            assert_eq!(namesakes(prompt, &subjects, &results), expect, "{prompt:?}");
        }
        check("Who is Peder Pan?", &["peder"]);
        check("what did Peder Pan's crew eat?", &["peder"]);
        check("Tell me about Bob Marley", &["bob"]);
        check("Who is Peder Holm?", &[]);
        check("Where does Ann Lee live?", &[]);
        check("Where does Peder live?", &[]);
        check("Did Peder, Pan or Eve call?", &[]);
        check("Does Peder Eve like?", &[]);
        check("What did the Berlin Wall divide?", &[]);
        check("Where Does Peder Live?", &[]);
        check("where does PEDER LIVE", &[]);
    }
}
