//! Stems of words, by language.

use annals_core::Settings;
use rust_stemmers::{Algorithm, Stemmer};

/// The longest stem in bytes; longer words (hashes, encoded data) are cut.
pub(super) const MAX_STEM_LENGTH: usize = 40;

/// Separates a stem from its language in a token. No word contains it.
pub(super) const TAG: char = ':';

/// The stemmer of a language. Without a stemmer, words stay whole.
#[derive(Clone, Copy)]
pub(crate) struct Stem {
    code: &'static str,
    algorithm: Option<Algorithm>,
}

impl Stem {
    pub(crate) const ENGLISH: Stem = Stem { code: "en", algorithm: Some(Algorithm::English) };

    /// Returns the stemmer for a two-letter language code.
    pub(crate) fn of(language: &str) -> Stem {
        let code = Settings::LANGUAGES.into_iter().find(|code| *code == language).unwrap_or_default();
        Stem { code, algorithm: algorithm(code) }
    }

    /// Returns the code of the language. Empty for a language without a stemmer.
    pub(crate) fn code(&self) -> &'static str {
        self.code
    }

    /// Returns the token of a folded word in a row of this language: the stem with the language, as in `haus:de`. English stems
    /// are untagged. A word of another script, such as a Latin name in a Russian text, has the token that it has in English.
    pub(crate) fn token(&self, word: &str) -> String {
        match self.tagged(word) {
            Some(token) => token,
            None if self.algorithm.is_some() => Stem::ENGLISH.stem(word),
            None => self.stem(word),
        }
    }

    /// Returns the stem of a folded word with the language. None for English, for a language without a stemmer, and for a word
    /// that is not in the language's script.
    pub(crate) fn tagged(&self, word: &str) -> Option<String> {
        let is_tagged = self.algorithm.is_some() && self.code != "en" && self.writes(word);
        is_tagged.then(|| format!("{}{TAG}{}", self.stem(word), self.code))
    }

    /// Returns the stem of a folded word without the language. It is not empty.
    pub(crate) fn stem(&self, word: &str) -> String {
        let bare = self.bare(word);
        let mut stem = match self.algorithm {
            Some(algorithm) => Stemmer::create(algorithm).stem(bare).into_owned(),
            None => bare.to_owned(),
        };
        while stem.len() > MAX_STEM_LENGTH {
            stem.pop();
        }
        stem
    }

    /// Removes a possessive ending, and an elided article in languages that have them.
    pub(crate) fn bare<'a>(&self, word: &'a str) -> &'a str {
        let is_apostrophe = |c| c == '\'' || c == '\u{2019}';
        match word.rsplit_once(is_apostrophe) {
            Some((owner, "s")) => owner,
            Some((_, rest)) if self.elides() => rest,
            _ => word,
        }
    }

    /// Returns whether the language joins articles to words with an apostrophe, as in "l'eau".
    fn elides(&self) -> bool {
        matches!(self.algorithm, Some(Algorithm::French | Algorithm::Italian))
    }

    /// Returns whether the first letter of a word belongs to the script of the language.
    fn writes(&self, word: &str) -> bool {
        let Some(letter) = word.chars().find(|c| c.is_alphabetic()) else { return false };
        match self.code {
            "ar" => matches!(letter, '\u{600}'..='\u{77f}' | '\u{8a0}'..='\u{8ff}'),
            "el" => matches!(letter, '\u{370}'..='\u{3ff}'),
            "ru" => matches!(letter, '\u{400}'..='\u{52f}'),
            "ta" => matches!(letter, '\u{b80}'..='\u{bff}'),
            _ => letter < '\u{250}',
        }
    }
}

fn algorithm(language: &str) -> Option<Algorithm> {
    Some(match language {
        "ar" => Algorithm::Arabic,
        "da" => Algorithm::Danish,
        "de" => Algorithm::German,
        "el" => Algorithm::Greek,
        "en" => Algorithm::English,
        "es" => Algorithm::Spanish,
        "fi" => Algorithm::Finnish,
        "fr" => Algorithm::French,
        "hu" => Algorithm::Hungarian,
        "it" => Algorithm::Italian,
        "nl" => Algorithm::Dutch,
        "no" => Algorithm::Norwegian,
        "pt" => Algorithm::Portuguese,
        "ro" => Algorithm::Romanian,
        "ru" => Algorithm::Russian,
        "sv" => Algorithm::Swedish,
        "ta" => Algorithm::Tamil,
        "tr" => Algorithm::Turkish,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_that_can_be_set_has_a_stemmer() {
        assert!(Settings::LANGUAGES.iter().all(|language| algorithm(language).is_some()));
    }

    #[test]
    fn tokens_have_the_language_unless_it_is_english() {
        fn check(language: &str, word: &str, expect: &str) {
            assert_eq!(Stem::of(language).token(word), expect, "{word:?} in {language}");
        }
        check("en", "houses", "hous");
        check("de", "hauser", "haus:de");
        check("xx", "houses", "houses");
        check("ru", "книги", "книг:ru");
        check("ru", "houses", "hous");
        check("en", "книги", "книги");
        check("de", "книги", "книги");
        check("fr", "l'eau", "eau:fr");
        check("de", "anna's", "anna:de");
    }
}
