//! Finds the names that a prompt may contain: every run of up to five of its words, normalised as names are. The caller looks
//! them up in the table of facts to find the real names. Pure.

use std::collections::BTreeSet;

use annals_core::entity_key;

/// Maximum number of words of a name.
const MAX_NAME_WORDS: usize = 5;
/// Minimum number of characters of a name. Shorter ones match words of other languages by chance.
const MIN_NAME_LENGTH: usize = 3;
/// Maximum number of words that are read, from the end of the prompt, because people paste text above their question.
const LAST: usize = 1_000;

/// Returns the possible names in the prompt as lookup keys, each once. A name with the ending "'s" is also returned without it.
/// Leaves out names with fewer than [`MIN_NAME_LENGTH`] characters.
pub(super) fn candidates(prompt: &str) -> Vec<String> {
    let words: Vec<&str> = prompt.split_whitespace().collect();
    let words = &words[words.len().saturating_sub(LAST)..];
    let starts = (0..words.len()).map(|start| &words[start..]);
    let runs = starts.flat_map(|rest| (1..=rest.len().min(MAX_NAME_WORDS)).map(|length| rest[..length].join(" ")));
    let keys = runs.flat_map(|run| {
        let key = entity_key(&run);
        let owner = key.strip_suffix("'s").or_else(|| key.strip_suffix("’s")).map(str::to_owned);
        [Some(key), owner]
    });
    let keys = keys.flatten().filter(|key| key.chars().count() >= MIN_NAME_LENGTH);
    keys.collect::<BTreeSet<_>>().into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_runs_of_words_without_possessive_endings() {
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
    fn only_the_end_of_a_long_prompt_is_read() {
        let prompt = format!("Ann {} Bob", "word ".repeat(LAST));
        let found = candidates(&prompt);
        assert!(found.contains(&"bob".to_owned()) && !found.contains(&"ann".to_owned()));
    }
}
