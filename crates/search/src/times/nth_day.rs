//! Reads days and weekends that are named by an article alone, and days without a year: "on the 2nd", "am 2.", "am 5.3.", "le
//! 2", "on 25/12", "the weekend". They are the latest that have begun. Pure.

use annals_core::{Date, folded};

use super::names::ends_phrase;
use super::tokens::bare;
use super::{Length, OWN, Token, Word, calendar};

/// Words directly before the number of a day, by language. In English and Dutch, the number must be an ordinal in digits.
const BEFORE_DAY: [(&str, &[&str]); 7] = [
    ("en", &["the"]),
    ("de", &["am", "vom", "zum", "den", "dem"]),
    ("nl", &["de"]),
    ("fr", &["le", "du", "au"]),
    ("es", &["el", "del", "al", "dia"]),
    ("pt", &["dia"]),
    ("it", &["il", "dal", "al", "del"]),
];
/// Words that may follow a day, besides words for times, because no noun ends the phrase: "the 2nd floor" is not a day.
const FOLLOWS: &[&str] = &[
    "at", "with", "when", "while", "i", "we", "did", "for", "or", "so", "mit", "bei", "con", "com", "avec", "met",
    "cuando",
];

/// Replaces the tokens of these days and weekends by [`Token::Days`].
pub(super) fn read(words: &mut [Word<'_>], language: &str, today: Date) {
    for index in 0..words.len() {
        let days = match words[index].token {
            Token::Number(day) | Token::Ordinal(day) if is_day(words, index, language) => {
                calendar::day_of_month(day, today)
            }
            Token::Unit(Length::Weekend) if is_weekend(words, index, language) => {
                calendar::latest(Length::Weekend, today)
            }
            Token::Other => {
                let day = if language == "de" { german_date(words, index, today) } else { None };
                day.or_else(|| date_with_slash(words, index, language, today))
            }
            _ => None,
        };
        if let Some((first, last)) = days {
            words[index].token = Token::Days(first, last);
        }
    }
}

/// Reads a German day and month without a year: "5.3.". The last dot may be missing after a word such as "am".
fn german_date(words: &[Word<'_>], index: usize, today: Date) -> Option<calendar::Days> {
    let text = words[index].text.trim_matches(|c: char| !c.is_ascii_digit() && c != '.');
    let date = text.strip_suffix('.').or_else(|| is_introduced(words, index, "de").then_some(text))?;
    let (day, month) = date.split_once('.')?;
    calendar::day(day.parse().ok()?, month.parse().ok()?, None, today)
}

/// Reads a day and a month with a slash, after a word such as "on": "on 25/12". The day comes first. In English the order
/// depends on the country, so a date is read only if it has one meaning: one of the numbers is above 12, or both are equal.
fn date_with_slash(words: &[Word<'_>], index: usize, language: &str, today: Date) -> Option<calendar::Days> {
    let (first, second) = bare(words[index].text).split_once('/')?;
    let (first, second): (i8, i8) = (first.parse().ok()?, second.parse().ok()?);
    let (day, month) = match language {
        _ if second > 12 => (second, first),
        "en" if first <= 12 && first != second => return None,
        _ => (first, second),
    };
    // "24/7" means always, and "in 3/4 of the cases" has a fraction.
    let is_fraction = first < second && second <= 4 && is_bounded(words, index);
    let is_date = (first, second) != (24, 7) && !is_fraction && is_introduced(words, index, language);
    calendar::day(day.into(), month, None, today).filter(|_| is_date)
}

/// Returns whether a preposition or an article for days precedes the word: "on 25/12", "el 8/11".
fn is_introduced(words: &[Word<'_>], index: usize, language: &str) -> bool {
    let has_article = |before: &Word<'_>| is_article(*before, language);
    is_bounded(words, index) || index.checked_sub(1).is_some_and(|before| has_article(&words[before]))
}

/// Returns whether the word may precede the number of a day.
fn is_article(word: Word<'_>, language: &str) -> bool {
    BEFORE_DAY.iter().any(|(code, list)| *code == language && list.contains(&key(word).as_str()))
}

fn is_day(words: &[Word<'_>], index: usize, language: &str) -> bool {
    let Some(before) = index.checked_sub(1) else { return false };
    let word = words[index];
    let is_written = match language {
        "en" | "nl" => is_bounded(words, before) && is_ordinal_in_digits(word),
        "de" => word.text.trim_end_matches(['?', '!', ',']).ends_with('.'),
        _ => word.text.starts_with(|c: char| c.is_ascii_digit()),
    };
    is_article(words[before], language) && is_written && ends_clause(words, index, language)
}

/// Returns whether a preposition for times precedes the word, as in "on the 2nd".
fn is_bounded(words: &[Word<'_>], index: usize) -> bool {
    use Token::{After, And, Before, Between, In, Since, To, Until};
    let before = index.checked_sub(1).map(|index| words[index].token);
    matches!(before, Some(In | And | To | Since | Until | Between | Before | After))
}

fn is_ordinal_in_digits(word: Word<'_>) -> bool {
    matches!(word.token, Token::Ordinal(_)) && word.text.starts_with(|c: char| c.is_ascii_digit())
}

fn is_weekend(words: &[Word<'_>], index: usize, language: &str) -> bool {
    let Some(before) = index.checked_sub(1).map(|before| words[before]) else { return false };
    let is_named =
        matches!(before.token, Token::In | Token::Over | Token::Filler) || OWN.contains(&key(before).as_str());
    is_named && ends_clause(words, index, language)
}

/// Returns whether a word ends its phrase, so that it does not describe a noun: "on the 2nd", but not "on the 2nd
/// floor". In "on the 2nd and 3rd of May" and "the weekend of 3 May" the phrase continues.
fn ends_clause(words: &[Word<'_>], index: usize, language: &str) -> bool {
    use Token::{And, BeforeLast, Filler, In, Last, Number, Of, Ordinal, Other, To, Unit, Until};
    let text = words[index].text;
    let is_over = ends_phrase(if language == "de" { text.trim_end_matches('.') } else { text });
    let Some(next) = words.get(index + 1).filter(|_| !is_over) else { return true };
    match next.token {
        Other => is_follower(*next, language),
        And | To | Until => {
            let second = (index + 2..words.len()).find(|index| !matches!(words[*index].token, Filler | In));
            second.is_none_or(|second| {
                !matches!(words[second].token, Number(_) | Ordinal(_)) || ends_clause(words, second, language)
            })
        }
        token => !matches!(
            token,
            Of | Unit(_)
                | Last
                | BeforeLast
                | Token::Before
                | Token::After
                | Token::AgoBefore
                | Token::Ago
                | Token::Month(_)
                | Token::PerhapsMonth(_)
                | Token::Year(_)
                | Token::Days(..)
                | Number(_)
                | Ordinal(_)
        ),
    }
}

/// Returns whether a word after a day is not a noun. In German, nouns have a capital letter.
fn is_follower(word: Word<'_>, language: &str) -> bool {
    let is_lower = bare(word.text).starts_with(char::is_lowercase);
    (language == "de" && is_lower) || FOLLOWS.contains(&key(word).as_str()) || bare(word.text).is_empty()
}

fn key(word: Word<'_>) -> String {
    folded(bare(word.text))
}
