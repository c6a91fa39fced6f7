//! The words of English and of the other languages, each with its token.
//!
//! A table lists the words of each token without accents and in lower case. `_` joins the words of an entry that has several.
//! The names of months and weekdays come from [`CalendarNames`]; the tables add other forms of them.

mod germanic;
mod romance;

use std::collections::HashMap;
use std::sync::LazyLock;

use annals_core::{CalendarNames, folded};

use super::Token;
use super::Token::{Month, Weekday};
use germanic::{DUTCH, ENGLISH, GERMAN};
use romance::{FRENCH, ITALIAN, PORTUGUESE, SPANISH};

type Table = &'static [(&'static str, Token)];

fn table(language: &str) -> Table {
    match language {
        "en" => ENGLISH,
        "de" => GERMAN,
        "fr" => FRENCH,
        "es" => SPANISH,
        "pt" => PORTUGUESE,
        "it" => ITALIAN,
        "nl" => DUTCH,
        _ => &[],
    }
}

/// The words of one language.
type Vocabulary = HashMap<String, Token>;

/// The languages that are read besides Chinese, each with its words.
static LANGUAGES: LazyLock<[(&str, Vocabulary); 7]> =
    LazyLock::new(|| ["en", "de", "fr", "es", "pt", "it", "nl"].map(|language| (language, words_of(language))));

/// The words of English and of a second language. The second language takes precedence.
pub(super) struct Words {
    own: Option<&'static Vocabulary>,
    english: &'static Vocabulary,
}

impl Words {
    /// Returns the words of a language and of English; for a language without a vocabulary, those of English alone.
    pub(super) fn of(language: &str) -> Words {
        let own = LANGUAGES[1..].iter().find(|(code, _)| *code == language);
        Words { own: own.map(|(_, words)| words), english: &LANGUAGES[0].1 }
    }

    pub(super) fn get(&self, word: &str) -> Option<Token> {
        self.own.and_then(|own| own.get(word)).or_else(|| self.english.get(word)).copied()
    }
}

/// Returns the language whose vocabulary contains most of these words; between equals, the first of `preferred`.
pub(super) fn language_of<'l>(words: &[String], preferred: [&'l str; 2]) -> &'l str {
    let others = LANGUAGES.iter().map(|(language, _)| *language);
    let mut best = (preferred[0], 0);
    for language in preferred.into_iter().chain(others) {
        let Some((_, own)) = LANGUAGES.iter().find(|(code, _)| *code == language) else { continue };
        let known = words.iter().filter(|word| own.contains_key(*word)).count();
        if known > best.1 {
            best = (language, known);
        }
    }
    best.0
}

/// Returns the words of one language. Entries of its table replace names of the calendar, so that "may" and "march" are read as
/// `PerhapsMonth`.
fn words_of(language: &str) -> Vocabulary {
    let mut words = HashMap::new();
    if let Some(CalendarNames { months, weekdays }) = CalendarNames::of(language) {
        words.extend(months.iter().zip(1..).map(|(name, number)| (folded(name), Month(number))));
        words.extend(weekdays.iter().zip(0..).map(|(name, number)| (folded(name), Weekday(number))));
    }
    for (entries, token) in table(language) {
        words.extend(entries.split(' ').map(|entry| (entry.replace('_', " "), *token)));
    }
    words
}
