//! Stems of words, by language.

use rust_stemmers::{Algorithm, Stemmer};

/// The stemmer of a language. Without a stemmer, words stay whole.
pub(crate) struct Stem {
    algorithm: Option<Algorithm>,
}

impl Stem {
    /// Returns the stemmer for a two-letter language code.
    pub(crate) fn of(language: &str) -> Stem {
        Stem { algorithm: algorithm(language) }
    }

    /// Returns the stem of a folded word.
    pub(crate) fn of_word(&self, word: &str) -> String {
        match self.algorithm {
            Some(algorithm) => Stemmer::create(algorithm).stem(word).into_owned(),
            None => word.to_owned(),
        }
    }

    /// Returns whether the language joins articles to words with an apostrophe, as in "l'eau".
    pub(crate) fn elides(&self) -> bool {
        matches!(self.algorithm, Some(Algorithm::French | Algorithm::Italian))
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
    use annals_core::Settings;

    #[test]
    fn every_language_that_can_be_set_has_a_stemmer() {
        assert!(Settings::LANGUAGES.iter().all(|language| algorithm(language).is_some()));
    }
}
