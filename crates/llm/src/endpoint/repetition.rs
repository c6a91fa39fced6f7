//! Recognises answers in which a small model repeats itself until the limit of tokens.
//!
//! Such an answer is useless, and waiting for its end costs most of the time of a slow machine.

use std::collections::HashSet;

use unicode_segmentation::UnicodeSegmentation;

/// Number of words at the end of an answer that are examined.
const EXAMINED: usize = 240;

/// Number of words that are compared at a time. Shorter runs, such as field names, recur in every answer.
const RUN: usize = 6;

/// An answer repeats itself if fewer than one in this many runs of words are distinct. Lists of facts about one person, the
/// most repetitive useful answers, have one in two.
const NEW: usize = 4;

/// Returns whether the last words of a text repeat one another. A text of fewer than [`EXAMINED`] words never does.
pub(super) fn repeats_itself(text: &str) -> bool {
    let mut words: Vec<&str> = text.unicode_words().rev().take(EXAMINED).collect();
    words.reverse();
    let runs: HashSet<&[&str]> = words.windows(RUN).collect();
    words.len() == EXAMINED && runs.len() * NEW < EXAMINED
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loops_are_told_from_monotonous_answers() {
        fn check(text: &str, expect: bool) {
            assert_eq!(repeats_itself(text), expect, "{text}");
        }
        let sentence = "the fate of the world was about to change the future of all mankind, ";
        check(&sentence.repeat(30), true);
        check(&format!("Ann signed for a flat in Lisbon on Wednesday. {}", sentence.repeat(30)), true);
        check(&sentence.repeat(3), false);
        check("我们今天去公园。".repeat(60).as_str(), true);
        // Equal sentences about different lines are accepted here; parsing keeps one of them.
        let counted: String =
            (1..60).map(|n| format!(r#"{{"text": "Ann met Bob again", "sources": [{n}]}},"#)).collect();
        check(&counted, false);
        let facts: String = ["tea", "rain", "Oslo", "chess", "figs", "jazz", "tulips", "rowing", "ferns", "Bach", "clay", "kites"]
            .iter()
            .enumerate()
            .map(|(at, thing)| {
                format!(
                    r#"{{"op": "INSERT", "subject": "Ann", "predicate": "likes", "object": "{thing}", "replaces": null, "confidence": 0.9, "when": null, "source": {}}},"#,
                    at / 4
                )
            })
            .collect();
        check(&facts.repeat(2), false);
        check("", false);
    }
}
