//! Whom a prompt is about: names that facts know, and runs of capitalised words. Pure.

use std::collections::{BTreeMap, BTreeSet};

use annals_core::{Fact, entity_key, folded};

/// More names than this no prompt is about.
const MOST: usize = 8;
/// Shorter names are words of other languages by chance.
const SHORTEST: usize = 3;

/// The entities that the prompt names, the longest names first, each as it is looked up.
pub(super) fn entities(prompt: &str, known: &[Fact]) -> Vec<String> {
    let mut names: BTreeMap<String, usize> = BTreeMap::new();
    let said = format!(" {} ", words(prompt));
    for name in known.iter().flat_map(|fact| [&fact.subject, &fact.object]) {
        let key = words(&entity_key(name));
        if key.chars().count() >= SHORTEST && said.contains(&format!(" {key} ")) {
            names.insert(entity_key(name), key.len());
        }
    }
    for name in capitalised(prompt) {
        let key = entity_key(&name);
        let length = key.len();
        names.entry(key).or_insert(length);
    }
    let mut names: Vec<(String, usize)> = names.into_iter().filter(|(name, _)| !name.is_empty()).collect();
    names.sort_by_key(|(_, length)| std::cmp::Reverse(*length));
    names.into_iter().map(|(name, _)| name).take(MOST).collect()
}

/// A text as words with single spaces, without punctuation.
fn words(text: &str) -> String {
    let folded = folded(text);
    folded.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Runs of words with a capital, and each word of a run alone. A word with which a sentence begins counts too: whether it is a
/// name, the table of facts says.
fn capitalised(prompt: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut run: Vec<&str> = Vec::new();
    for word in prompt.split_whitespace() {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        let bare = bare.strip_suffix("'s").or_else(|| bare.strip_suffix("’s")).unwrap_or(bare);
        if bare.chars().next().is_some_and(char::is_uppercase) {
            run.push(bare);
        }
        let ends = !word.ends_with(char::is_alphanumeric) || !bare.chars().next().is_some_and(char::is_uppercase);
        if ends {
            close(&mut run, &mut names);
        }
    }
    close(&mut run, &mut names);
    names
}

fn close(run: &mut Vec<&str>, names: &mut BTreeSet<String>) {
    if run.len() > 1 {
        names.insert(run.join(" "));
    }
    names.extend(run.drain(..).filter(|word| word.chars().count() >= SHORTEST).map(str::to_owned));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found() {
        fn check(prompt: &str, expect: &[&str]) {
            let found: Vec<String> = capitalised(prompt).into_iter().collect();
            assert_eq!(found, expect, "{prompt:?}");
        }
        check("what does Ann's brother eat?", &["Ann"]);
        check("did New York, Bern or I win", &["Bern", "New", "New York", "York"]);
        check("nothing here", &[]);
        check("", &[]);
    }
}
