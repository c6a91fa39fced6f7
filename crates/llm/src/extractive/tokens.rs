//! Splits a sentence into words with their positions.

use std::ops::Range;

/// A word: letters and digits with the apostrophes and hyphens inside them.
#[derive(Clone, Debug)]
pub(super) struct Token<'a> {
    /// Byte range in the text.
    pub(super) span: Range<usize>,
    /// The word as written.
    pub(super) raw: &'a str,
    /// The word in lower case, with plain apostrophes and hyphens. English short forms have their apostrophe even if it was left
    /// out: "hes" is "he's".
    pub(super) lower: String,
    /// Whether the whole text is in capitals, so that those of the word mean nothing: "THEY OFFERED ME THE JOB".
    is_shouted: bool,
}

impl Token<'_> {
    pub(super) fn is_capital(&self) -> bool {
        !self.is_shouted && self.raw.starts_with(char::is_uppercase)
    }
}

/// Minimum number of words in capitals, and of letters in one of them, that make a text shouted. "UNESCO, NATO, WHO" is not.
const SHOUTED: (usize, usize) = (4, 5);

fn is_shouted(text: &str) -> bool {
    if text.contains(char::is_lowercase) {
        return false;
    }
    let letters =
        text.split(|c: char| !c.is_alphanumeric()).map(|word| word.chars().filter(|c| c.is_uppercase()).count());
    let words: Vec<usize> = letters.filter(|letters| *letters > 0).collect();
    words.len() >= SHOUTED.0 && words.into_iter().max() >= Some(SHOUTED.1)
}

/// Returns whether a list of words, separated by white space, contains the word.
pub(super) fn is_in(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|one| one == word)
}

pub(super) fn tokens(text: &str) -> Vec<Token<'_>> {
    let is_shouted = is_shouted(text);
    let mut found = Vec::new();
    let mut start = None;
    for (at, character) in text.char_indices().chain([(text.len(), ' ')]) {
        let is_inside = character.is_alphanumeric() || (start.is_some() && is_joint(character));
        match start {
            None if is_inside => start = Some(at),
            Some(from) if !is_inside => {
                found.push(token(text, from, at, is_shouted));
                start = None;
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
pub(super) fn lower(tokens: &[Token]) -> Vec<String> {
    tokens.iter().map(|token| token.lower.clone()).collect()
}

fn is_joint(character: char) -> bool {
    matches!(character, '\'' | '’' | '-' | '‑')
}

fn token(text: &str, start: usize, end: usize, is_shouted: bool) -> Token<'_> {
    let raw = text[start..end].trim_end_matches(is_joint);
    let lower = raw.to_lowercase().replace('’', "'").replace('‑', "-");
    let lower = with_apostrophe(&lower).map_or(lower, str::to_owned);
    Token { span: start..start + raw.len(), raw, lower, is_shouted }
}

/// Returns the full spelling of a short form that is written without its apostrophe, as is usual in chats. Words of other languages
/// are not listed ("im", "dont"), nor are forms that are words of their own ("its", "were", "ill").
fn with_apostrophe(lower: &str) -> Option<&'static str> {
    const FORMS: [&str; 30] = [
        "he's",
        "she's",
        "they're",
        "that's",
        "there's",
        "what's",
        "where's",
        "who's",
        "how's",
        "you're",
        "you've",
        "we've",
        "they've",
        "i've",
        "let's",
        "didn't",
        "doesn't",
        "isn't",
        "wasn't",
        "aren't",
        "weren't",
        "haven't",
        "hasn't",
        "hadn't",
        "couldn't",
        "wouldn't",
        "shouldn't",
        "won't",
        "can't",
        "ain't",
    ];
    let is_of =
        |form: &&&str| form.len() == lower.len() + 1 && form.bytes().filter(|byte| *byte != b'\'').eq(lower.bytes());
    FORMS.iter().find(is_of).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_keep_positions_apostrophes_and_hyphens() {
        fn check(text: &str, expect: &[&str]) {
            let found = tokens(text);
            assert_eq!(lower(&found), expect, "{text}");
            assert!(found.iter().all(|token| text[token.span.clone()] == *token.raw));
        }
        check("", &[]);
        check("“It’s Ann's half-time,” she said…", &["it's", "ann's", "half-time", "she", "said"]);
        check("dogs' tails - 3.5 km", &["dogs", "tails", "3", "5", "km"]);
        check("昨天 我去了北京。", &["昨天", "我去了北京"]);
        assert!(!tokens("THEY OFFERED ME THE JOB")[4].is_capital());
        assert!(tokens("NATO and the EU")[0].is_capital() && tokens("BBC, NATO, EU")[0].is_capital());
        check("Hes at work, didnt ring, its ill", &["he's", "at", "work", "didn't", "ring", "its", "ill"]);
    }
}
