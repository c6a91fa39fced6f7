//! How long things are and may be, in words.

use annals_core::{Base, Grain, Memory};

/// A day never has to do with less: of a short one, all that tells something is kept.
const FLOOR: usize = 60;

/// A token between whitespace is one word for every so many columns, so that addresses and texts written without spaces
/// are not one word however long. Few words of any European language are longer.
const COLUMNS: usize = 20;

/// Columns of a Chinese, Japanese or Korean character: two of them make a word.
const WIDE: usize = COLUMNS / 2;

/// The most words that a summary of the grain may have.
pub(super) fn limit(grain: Grain) -> usize {
    match grain {
        Grain::Working | Grain::Daily => 200,
        Grain::Weekly => 300,
        Grain::Monthly => 400,
        Grain::Quarterly => 500,
        Grain::Yearly => 600,
    }
}

/// How long one summary may be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget {
    /// Words that no summary of the grain exceeds, whatever they are.
    limit: usize,
    /// Tokens between whitespace.
    tokens: usize,
    /// Words by [`length`], which is never less than the tokens.
    words: usize,
}

impl Budget {
    /// For a day a quarter of what was said, if that is less than the grain's limit. A sealed day's base is a quarter of
    /// what can no longer be counted, and counts whole.
    pub(super) fn of(grain: Grain, base: Option<&Base>, sources: &[&Memory]) -> Budget {
        let limit = limit(grain);
        if grain > Grain::Daily {
            return Budget { limit, tokens: limit, words: limit };
        }
        let quarter = |of: fn(&str) -> usize| {
            let said: usize = sources.iter().map(|turn| of(&turn.text)).sum();
            let kept = base.map_or(0, |base| of(&base.text));
            limit.min(FLOOR.max(kept + said / 4))
        };
        Budget { limit, tokens: quarter(|text| text.split_whitespace().count()), words: quarter(length) }
    }

    /// Whether the text is within it. Of its words so many, names and dates, were added to what was said; they count only against the
    /// limit of the grain.
    pub(super) fn holds(self, text: &str, added: usize) -> bool {
        let words = length(text);
        words <= self.limit
            && words <= self.words + added
            && text.split_whitespace().count() <= (self.tokens + added).min(self.limit)
    }

    /// The length of a sentence that fits behind this head of a line.
    pub(super) fn room(self, head: &str) -> usize {
        self.tokens.min(self.words).saturating_sub(length(head))
    }
}

/// The length of a text in words: the tokens between whitespace, or more where they are very long.
pub(super) fn length(text: &str) -> usize {
    text.split_whitespace().map(token_length).sum()
}

/// The text up to so many words, at least one, on one line; what was cut is marked with "…".
pub(super) fn cut(text: &str, words: usize) -> String {
    let mut left = words;
    let mut kept: Vec<&str> = Vec::new();
    for token in text.split_whitespace() {
        let length = token_length(token);
        if length > left {
            // Only a token that would leave nothing is itself cut.
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
    // Bytes bound columns from above in all but the wide scripts, and cost nothing to count.
    if token.is_ascii() && token.len() <= COLUMNS { 1 } else { columns(token).div_ceil(COLUMNS).max(1) }
}

fn columns(token: &str) -> usize {
    token.chars().map(width).sum()
}

fn width(character: char) -> usize {
    match character {
        '…' => 0,
        '\u{2E80}'.. => WIDE,
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
    fn long_tokens_and_wide_scripts_are_several_words() {
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
    fn cuts_at_a_word_and_says_so() {
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
