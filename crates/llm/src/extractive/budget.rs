//! Lengths of texts and their limits, in words.

use annals_core::{Base, Date, Grain, Memory};

use crate::word_limit::word_limit;

/// Minimum budget of a working or daily summary: a short day is quoted in full where it has content.
const FLOOR: usize = 60;

/// Maximum columns of a word. A longer token counts as several words, because a URL or a text without spaces is a single token.
/// Few words of European languages are longer.
const COLUMNS: usize = 20;

/// Columns of a Chinese, Japanese or Korean character: two of them make a word.
const WIDE: usize = COLUMNS / 2;

/// Maximum length of one summary.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget {
    /// Maximum number of words of a summary of the grain, with those that are added to the quotes.
    limit: usize,
    /// Maximum number of tokens that are separated by whitespace, without those that are added to the quotes.
    tokens: usize,
    /// Maximum number of words as counted by [`length`], without those that are added. It is at least the number of tokens.
    words: usize,
    /// Number of words below which a summary is filled up with lines that say less than the grain requires.
    filled: usize,
}

impl Budget {
    /// Returns the budget of a summary. For a working or daily summary, it is a quarter of the words of the turns, at least
    /// [`FLOOR`] and at most the limit of the grain. The base of a sealed day counts in full: it is a quarter of text that is
    /// no longer available. For coarser grains, the budget is the limit of the grain; of a year, a share of it
    /// ([`share_of_year`]).
    pub(super) fn of(grain: Grain, base: Option<&Base>, sources: &[&Memory]) -> Budget {
        let limit = word_limit(grain);
        if grain > Grain::Daily {
            let share = if grain == Grain::Yearly { share_of_year(base, sources) } else { 1.0 };
            let of_share = |words: usize| (words as f64 * share) as usize;
            let limit = of_share(limit);
            return Budget { limit, tokens: limit, words: limit, filled: of_share(filled(grain)) };
        }
        let quarter = |of: fn(&str) -> usize| {
            let words: usize = sources.iter().map(|turn| of(&turn.text)).sum();
            let kept = base.map_or(0, |base| of(&base.text));
            limit.min(FLOOR.max(kept + words / 4))
        };
        Budget { limit, tokens: quarter(|text| text.split_whitespace().count()), words: quarter(length), filled: 0 }
    }

    /// Returns whether the text is within the budget. `added` is the number of words added to the quotes, names and dates:
    /// they count only against the limit of the grain.
    pub(super) fn fits(self, text: &str, added: usize) -> bool {
        let words = length(text);
        words <= self.limit
            && words <= self.words + added
            && text.split_whitespace().count() <= (self.tokens + added).min(self.limit)
    }

    /// Returns whether the text is so short that lines which say little are added.
    pub(super) fn is_to_fill(self, text: &str) -> bool {
        length(text) < self.filled
    }

    /// Returns the maximum length of a sentence after this head of a line; zero if the head uses up the budget.
    pub(super) fn room(self, head: &str) -> usize {
        self.tokens.min(self.words).saturating_sub(length(head))
    }
}

/// Returns the share of its limit that a year gets whose sources cover only a part of it: four months have ten things that last, and not
/// the thirty lines of a whole year. It is the root of the share of the days from the first source to the last, and at least half: with
/// the share itself, a third fewer of the important events of four months are quoted.
fn share_of_year(base: Option<&Base>, sources: &[&Memory]) -> f64 {
    let kept = base.into_iter().flat_map(|base| &base.sentences).map(|sentence| sentence.day);
    let days: Vec<Date> = sources.iter().flat_map(|source| [source.days.0, source.days.1]).chain(kept).collect();
    let first_and_last = days.iter().min().zip(days.iter().max());
    let covered = first_and_last.map_or(0, |(first, last)| (*last - *first).get_days() + 1);
    (f64::from(covered) / 365.0).sqrt().clamp(0.5, 1.0)
}

fn filled(grain: Grain) -> usize {
    match grain {
        Grain::Working | Grain::Daily => 0,
        Grain::Weekly => 60,
        Grain::Monthly => 140,
        Grain::Quarterly => 240,
        Grain::Yearly => 360,
    }
}

/// Returns the length of a text in words: tokens between whitespace; very long tokens count as several.
pub(super) fn length(text: &str) -> usize {
    text.split_whitespace().map(token_length).sum()
}

/// Shortens a text to at most `words` words, on one line. Marks a cut with "…".
pub(super) fn cut(text: &str, words: usize) -> String {
    let mut left = words;
    let mut kept: Vec<&str> = Vec::new();
    for token in text.split_whitespace() {
        let length = token_length(token);
        if length > left {
            // A token is cut only if nothing would remain otherwise.
            if kept.is_empty() {
                kept.push(first_columns(token, left * COLUMNS));
            }
            return format!("{}…", kept.join(" ").trim_end_matches([',', ';', ':', '.', '—', '-']));
        }
        left -= length;
        kept.push(token);
    }
    kept.join(" ")
}

fn token_length(token: &str) -> usize {
    // In ASCII, bytes are columns, so short tokens need no counting.
    if token.is_ascii() && token.len() <= COLUMNS { 1 } else { columns(token).div_ceil(COLUMNS).max(1) }
}

fn columns(token: &str) -> usize {
    token.chars().map(width).sum()
}

fn width(character: char) -> usize {
    match character {
        '…' => 0,
        _ if annals_core::is_wide(character) => WIDE,
        _ => 1,
    }
}

fn first_columns(token: &str, columns: usize) -> &str {
    let mut used = 0;
    let end = token.char_indices().find(|(_, character)| {
        used += width(*character);
        used > columns
    });
    end.map_or(token, |(end, _)| &token[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_tokens_and_wide_scripts_count_as_several_words() {
        fn check(text: &str, expect: usize) {
            assert_eq!(length(text), expect, "{text}");
        }
        check("", 0);
        check(" one\ntwo ", 2);
        check("Responsibilities, — …", 3);
        check(&"x".repeat(41), 3);
        check("我今天去了北京", 4);
    }

    #[test]
    fn cut_is_at_a_word_and_marked() {
        fn check(text: &str, words: usize, expect: &str) {
            let cut = cut(text, words);
            assert_eq!(cut, expect);
            assert!(length(&cut) <= words);
        }
        check("one  two\nthree", 3, "one two three");
        check("one two, three", 2, "one two…");
        check("我今天去了北京", 2, "我今天去…");
        check(&"x".repeat(100), 1, &format!("{}…", "x".repeat(20)));
    }
}
