//! Stop words: words of a query that do not narrow what is searched for. Rows keep them, so that a query of nothing else finds
//! rows. Leaving them out of queries gains BM25 5 points of nDCG on LoCoMo.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use annals_core::{Settings, function_words};

use super::normalize::normalize;
use super::stem::Stem;

/// Stems of English function words as `Stem` returns them, except those that are also names or months.
const ENGLISH: &[&str] = &[
    "a", "about", "again", "am", "an", "and", "are", "as", "at", "be", "been", "but", "by", "can", "could", "did",
    "do", "doe", "for", "from", "had", "has", "have", "he", "her", "here", "him", "his", "how", "i", "if", "in",
    "into", "is", "it", "just", "me", "might", "must", "my", "no", "nor", "not", "now", "of", "on", "onc", "or", "our",
    "out", "over", "s", "shall", "she", "should", "so", "t", "than", "that", "the", "their", "them", "then", "there",
    "these", "they", "this", "those", "to", "too", "up", "veri", "was", "we", "were", "what", "when", "where", "whi",
    "which", "who", "whom", "with", "would", "you", "your",
];

/// Folded function words of the other languages.
static OTHERS: LazyLock<HashMap<&str, HashSet<String>>> = LazyLock::new(|| {
    let folded = |language| function_words(language).map(normalize).collect();
    Settings::LANGUAGES
        .into_iter()
        .filter(|language| *language != "en")
        .map(|language| (language, folded(language)))
        .collect()
});

/// Returns whether a folded word of a query is a stop word of the language in which it is asked.
pub(crate) fn is_stop_word(word: &str, asked: &Stem) -> bool {
    match OTHERS.get(asked.code()) {
        Some(words) => words.contains(asked.bare(word)) || words.contains(word),
        None => asked.code() == "en" && ENGLISH.binary_search(&asked.stem(word).as_str()).is_ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stop_words_are_sorted() {
        assert!(ENGLISH.is_sorted());
    }

    #[test]
    fn stop_words_depend_on_the_language() {
        fn check(language: &str, word: &str, expect: bool) {
            assert_eq!(is_stop_word(word, &Stem::of(language)), expect, "{word:?} in {language}");
        }
        check("en", "was", true);
        check("de", "was", true);
        check("fr", "was", false);
        check("de", "fur", true);
        check("es", "donde", true);
        check("fr", "d'un", true);
        check("de", "haus", false);
        check("xx", "the", false);
    }
}
