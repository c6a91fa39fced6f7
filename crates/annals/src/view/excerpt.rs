//! Chooses the lines of a summary to show in an answer: those that share most words with the question, with the best one
//! marked. If no line shares a word, chooses the first ones.

use std::collections::HashSet;

use annals_core::is_wide;

/// Maximum number of lines shown of a summary.
const LINES: usize = 3;

/// Minimum length of a word that is compared, in characters; shorter ones are mostly function words. Does not apply to scripts
/// without spaces.
const MIN_WORD_LENGTH: usize = 4;

/// Some lines of a text, in their order.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Excerpt<'a> {
    pub lines: Vec<Line<'a>>,
    /// Number of lines not shown.
    pub left_out: usize,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Line<'a> {
    /// The line as it stands in the text.
    pub text: &'a str,
    /// Whether this line shares most words with the question. Of several such lines, only the first is marked; none is marked
    /// if no line shares a word.
    pub is_best: bool,
}

impl<'a> Excerpt<'a> {
    /// Returns the lines of a text that match a question best, or the first lines if none shares a word with it.
    pub(crate) fn of(text: &'a str, question: &str) -> Excerpt<'a> {
        let query_words: HashSet<String> = words(question).collect();
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        let shared = |line: &str| words(line).collect::<HashSet<_>>().intersection(&query_words).count();
        let scores: Vec<usize> = lines.iter().map(|line| shared(line)).collect();
        let mut best: Vec<usize> = (0..lines.len()).collect();
        best.sort_by_key(|index| (std::cmp::Reverse(scores[*index]), *index));
        best.truncate(LINES);
        let marked = best.first().copied().filter(|index| scores[*index] > 0);
        best.sort_unstable();
        let line = |index: &usize| Line { text: lines[*index], is_best: Some(*index) == marked };
        Excerpt { lines: best.iter().map(line).collect(), left_out: lines.len() - best.len() }
    }
}

/// Returns lower-case words without their endings, so that "moving" matches "moved". In scripts without spaces, each character
/// is a word.
fn words(text: &str) -> impl Iterator<Item = String> {
    let spaced =
        text.split(|c: char| !c.is_alphanumeric() || is_wide(c)).filter(|word| word.chars().count() >= MIN_WORD_LENGTH);
    let stems = spaced.map(|word| stem(&word.to_lowercase())).collect::<Vec<_>>();
    let unspaced = text.chars().filter(|c| c.is_alphanumeric() && is_wide(*c)).map(String::from);
    stems.into_iter().chain(unspaced.collect::<Vec<_>>())
}

fn stem(word: &str) -> String {
    let ends = ["ing", "ed", "es", "s", "e"];
    let bare = ends.iter().find_map(|end| word.strip_suffix(end).filter(|rest| rest.chars().count() >= 3));
    bare.unwrap_or(word).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn best_matching_line_is_marked_and_other_lines_are_left_out() {
        #[track_caller]
        fn check(question: &str, expect: &[(&str, bool)], left_out: usize) {
            let text =
                "Ann: I moved to Bern.\nBob: We sold the boat.\nAnn: The cat died.\nBob: I paint.\nAnn: 我搬家了";
            let excerpt = Excerpt::of(text, question);
            let lines: Vec<(&str, bool)> = excerpt.lines.iter().map(|line| (line.text, line.is_best)).collect();
            assert_eq!((lines.as_slice(), excerpt.left_out), (expect, left_out), "{question}");
        }
        let first =
            [("Ann: I moved to Bern.", false), ("Bob: We sold the boat.", false), ("Ann: The cat died.", false)];
        check("", &first, 2);
        check("What about the weather?", &first, 2);
        check("when did he paint", &[first[0], first[1], ("Bob: I paint.", true)], 2);
        check("moving to Bern", &[("Ann: I moved to Bern.", true), first[1], first[2]], 2);
        check("什么时候搬家", &[first[0], first[1], ("Ann: 我搬家了", true)], 2);
    }
}
