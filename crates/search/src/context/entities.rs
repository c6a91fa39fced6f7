//! Whom a prompt may be about: every run of a few of its words, as names are compared. Which of them are names, the table of
//! facts says. Pure.

use std::collections::BTreeSet;

use annals_core::entity_key;

/// More words than this are no name.
const LONGEST: usize = 5;
/// Shorter names are words of other languages by chance.
const SHORTEST: usize = 3;
/// Words of a prompt that are looked at, the last: what is asked stands below what is pasted.
const LAST: usize = 1_000;

/// The names that may stand in the prompt, each once, as they are looked up.
pub(super) fn candidates(prompt: &str) -> Vec<String> {
    let words: Vec<&str> = prompt.split_whitespace().collect();
    let words = &words[words.len().saturating_sub(LAST)..];
    let starts = (0..words.len()).map(|start| &words[start..]);
    let runs = starts.flat_map(|rest| (1..=rest.len().min(LONGEST)).map(|length| rest[..length].join(" ")));
    let keys = runs.flat_map(|run| {
        let key = entity_key(&run);
        let owner = key.strip_suffix("'s").or_else(|| key.strip_suffix("’s")).map(str::to_owned);
        [Some(key), owner]
    });
    let keys = keys.flatten().filter(|key| key.chars().count() >= SHORTEST);
    keys.collect::<BTreeSet<_>>().into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_runs_of_words_without_what_surrounds_them() {
        fn check(prompt: &str, expect: &[&str]) {
            assert_eq!(candidates(prompt), expect, "{prompt:?}");
        }
        check("Ann's tea?", &["ann", "ann's", "ann's tea", "tea"]);
        check(
            "in New York, I",
            &["in new", "in new york", "in new york, i", "new", "new york", "new york, i", "york", "york, i"],
        );
        let six = candidates("one two three four five six");
        assert!(
            six.contains(&"one two three four five".to_owned())
                && !six.iter().any(|name| name.ends_with("five six") && name.starts_with("one"))
        );
        check("the Museum", &["museum", "the"]);
        check("", &[]);
    }

    #[test]
    fn of_a_long_prompt_the_end_is_looked_at() {
        let prompt = format!("Ann {} Bob", "word ".repeat(LAST));
        let found = candidates(&prompt);
        assert!(found.contains(&"bob".to_owned()) && !found.contains(&"ann".to_owned()));
    }
}
