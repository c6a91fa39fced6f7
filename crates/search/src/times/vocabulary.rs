//! The words of English and of the other languages, each with its token.
//!
//! A table lists the words of each token without accents and in lower case. `_` joins the words of an entry that has several.
//! The names of months and weekdays come from [`CalendarNames`], numbers from [`number_words`], days and units from
//! [`TimeWords`]; the tables add other forms of them, and the words that only questions need.

mod germanic;
mod romance;

use std::collections::HashMap;
use std::sync::LazyLock;

use annals_core::{CalendarNames, TimeWords, folded, number_words};
use jiff::Unit;

use super::Token::{Count, Month, PerhapsMonth, Weekday};
use super::{Length, Token};
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

/// The number words that are read as amounts, by language: all up to the first number, and multiples of ten up to the second.
const AMOUNTS: [(&str, u32, u32); 7] =
    [("en", 12, 30), ("de", 12, 30), ("fr", 12, 90), ("es", 12, 90), ("pt", 10, 90), ("it", 10, 90), ("nl", 10, 90)];

/// The token of each word of one language. Words are in lower case, without accents.
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

/// Returns the language with the vocabulary that contains most of these words; between equals, or if no vocabulary contains
/// any, the first of `preferred`.
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

/// Returns the words of one language. Entries of its table replace those of the shared lists, so that "may" and "march" are
/// read as `PerhapsMonth`.
fn words_of(language: &str) -> Vocabulary {
    let mut words = HashMap::new();
    if let Some(CalendarNames { months, weekdays }) = CalendarNames::of(language) {
        words.extend(months.iter().zip(1..).map(|(name, number)| (folded(name), Month(number))));
        words.extend(weekdays.iter().zip(0..).map(|(name, number)| (folded(name), Weekday(number))));
    }
    if language == "en" {
        let months = CalendarNames::ENGLISH.months.iter().zip(1..);
        words.extend(months.map(|(name, number)| (name[..3].to_owned(), PerhapsMonth(number))));
    }
    let amounts = number_words::entries(language).filter(|(_, number)| is_amount(language, *number));
    words.extend(amounts.filter_map(|(word, number)| Some((folded(word), Count(i16::try_from(number).ok()?)))));
    if let Some(times) = TimeWords::of(language) {
        words.extend(times.days.iter().filter_map(|(word, distance)| Some((folded(word), day(*distance)?))));
        words.extend(times.units().filter_map(|(word, unit)| Some((folded(word), Token::Unit(length(unit)?)))));
    }
    for (entries, token) in table(language) {
        words.extend(entries.split(' ').map(|entry| (entry.replace('_', " "), *token)));
    }
    words
}

/// Returns whether the word for a number is read as an amount of units.
fn is_amount(language: &str, number: u32) -> bool {
    let limits = AMOUNTS.iter().find(|(code, ..)| *code == language);
    limits.is_some_and(|(_, small, tens)| number <= *small || (20..=*tens).contains(&number))
}

/// Returns the token for a day at a distance from today. `None` for coming days, which are not searched for, and for days more
/// than three days ago.
fn day(distance: i32) -> Option<Token> {
    match distance {
        0 => Some(Token::Today),
        -1 => Some(Token::Yesterday),
        -2 => Some(Token::DayBeforeYesterday),
        -3 => Some(Token::ThreeDaysAgo),
        _ => None,
    }
}

fn length(unit: Unit) -> Option<Length> {
    match unit {
        Unit::Day => Some(Length::Day),
        Unit::Week => Some(Length::Week),
        Unit::Month => Some(Length::Month),
        Unit::Year => Some(Length::Year),
        _ => None,
    }
}
