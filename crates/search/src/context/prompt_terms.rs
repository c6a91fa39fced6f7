//! The words of a prompt that are compared with facts and sentences. Pure.

use annals_core::folded;

/// Minimum characters of a word. Shorter words occur in too many texts or mean too little.
const MIN_WORD_LENGTH: usize = 4;

/// Returns the words of at least [`MIN_WORD_LENGTH`] characters, in lower case and without accents.
pub(super) fn words(text: &str) -> Vec<String> {
    let folded = folded(text);
    let words = annals_core::words(&folded).filter(|word| word.chars().count() >= MIN_WORD_LENGTH);
    words.map(str::to_owned).collect()
}

/// Returns how many words of a text are among the words of the prompt. A word also matches if one is a prefix of the other,
/// such as "work" and "works".
pub(super) fn shared(query_words: &[String], text: &str) -> usize {
    let is_in_query = |word: &&String| {
        query_words.iter().any(|query_words| query_words.starts_with(*word) || word.starts_with(query_words.as_str()))
    };
    words(text).iter().filter(is_in_query).count()
}
