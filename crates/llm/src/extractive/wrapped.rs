//! Joins the lines of a paragraph that was wrapped at a column, as in mail, commit messages and change logs. Lines of a log, a
//! list or a chat stay apart.

use std::borrow::Cow;

/// Columns at which texts are wrapped. Shorter lines end where their writers ended them, and longer ones were never wrapped.
const WIDTHS: std::ops::RangeInclusive<usize> = 60..=120;

/// Returns the text with wrapped lines joined. Joins a line that does not end a sentence with the next one, if that begins with
/// a small letter and its first word would not have fitted into the line. Joins nothing in a text that begins with a small
/// letter.
pub(super) fn joined(text: &str) -> Cow<'_, str> {
    let lines: Vec<&str> = text.lines().collect();
    let pairs = lines.windows(2).filter(|pair| is_open(pair[0], pair[1]));
    let width = pairs.map(|pair| pair[0].trim_end().chars().count()).max().unwrap_or_default();
    let is_capitalized = text.trim_start_matches(|c: char| !c.is_alphabetic()).starts_with(char::is_uppercase);
    if !WIDTHS.contains(&width) || !is_capitalized {
        return Cow::Borrowed(text);
    }
    let mut joined = String::with_capacity(text.len());
    for (position, line) in lines.iter().enumerate() {
        let goes_on = position > 0 && is_open(lines[position - 1], line) && is_full(lines[position - 1], line, width);
        joined.push_str(if goes_on {
            " "
        } else if position > 0 {
            "\n"
        } else {
            ""
        });
        joined.push_str(if goes_on { line.trim() } else { line });
    }
    Cow::Owned(joined)
}

/// Returns whether `line` does not end a sentence, and `next` begins with a small letter.
fn is_open(line: &str, next: &str) -> bool {
    let line = line.trim_end();
    let ends = line.is_empty() || line.ends_with(['.', '!', '?', ':', ';', '…', '|']);
    let first = next.trim_start().trim_start_matches(['`', '(', '"', '“']);
    !ends && first.starts_with(char::is_lowercase)
}

/// Returns whether the first word of `next` would not have fitted into `line`, if lines have at most `width` columns.
fn is_full(line: &str, next: &str, width: usize) -> bool {
    let first = next.split_whitespace().next().unwrap_or_default();
    line.trim_end().chars().count() + 1 + first.chars().count() > width
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lines_that_were_wrapped_are_joined() {
        fn check(text: &str, expect: &str) {
            assert_eq!(joined(text), expect);
        }
        check(
            "- The walk over the graph is done in memory, because the other\n  way takes three times as long.\n- Next.",
            "- The walk over the graph is done in memory, because the other way takes three times as long.\n- Next.",
        );
        check(
            "The walk over the graph is done in memory, because the other.\nway",
            "The walk over the graph is done in memory, because the other.\nway",
        );
        // Not joined: the next word would have fitted into the line.
        check(
            "The walk over the graph is done in memory.\nThe walk over it\ntakes three times as long as the walk over the graph did.",
            "The walk over the graph is done in memory.\nThe walk over it\ntakes three times as long as the walk over the graph did.",
        );
        // Not joined: a log without capitals.
        check(
            "moved the build from one machine to the other, which took six hours\ntodo call the dentist",
            "moved the build from one machine to the other, which took six hours\ntodo call the dentist",
        );
    }
}
