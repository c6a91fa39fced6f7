//! The words of a prompt that may say which fact or sentence is asked for. Pure.

use annals_core::folded;

/// Shorter words are in too many texts, or say too little.
const SHORTEST: usize = 4;

/// The words of a text in lower case, without accents.
pub(super) fn words(text: &str) -> Vec<String> {
    let folded = folded(text);
    let words = folded.split(|c: char| !c.is_alphanumeric()).filter(|word| word.chars().count() >= SHORTEST);
    words.map(str::to_owned).collect()
}

/// How many words of a text are asked for; "work" and "works" are the same.
pub(super) fn shared(asked: &[String], text: &str) -> usize {
    let is_asked =
        |word: &&String| asked.iter().any(|asked| asked.starts_with(*word) || word.starts_with(asked.as_str()));
    words(text).iter().filter(is_asked).count()
}
