//! Finds the times in a question: "last week", "im März 2024", "hace dos semanas", "上个月", "before Easter", "2026-Q1". Pure.
//!
//! A question becomes tokens (`words.rs` with the tables of `vocabulary.rs`, `chinese.rs`), and patterns of tokens become
//! days (`pattern.rs`, `span.rs`). It is read in English and in the language in which most of its words have a meaning for times; between equals
//! the agent's language decides. The days only raise the score of what was said then, unless the question asks for the period itself
//! (`about.rs`). They never filter, because most answers are said on another day than the one they are about. A month or day
//! without a year is the latest one that has begun.

mod about;
mod calendar;
mod chinese;
mod pattern;
mod span;
mod vocabulary;
mod words;

use annals_core::{Date, DateRange, TimeExpression};
use jiff::Unit;

pub(crate) use about::{asks_for_a_period, is_neutral};

/// The last words of a question are read, up to this many: people paste text above their question.
const LAST: usize = 400;

/// A word or sign of a question, classified as far as it matters for times.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Token {
    /// "last", "past", "previous".
    Last,
    This,
    /// "ago" after a number of units.
    Ago,
    /// "hace", "il y a", "vor": "ago" before a number of units.
    AgoBefore,
    Since,
    Before,
    After,
    /// "until"; between two times it joins them, as [`Token::To`] does.
    Until,
    /// Joins two times: "from May to July".
    To,
    /// "between": the next "and" joins two times.
    Between,
    And,
    /// "the week before last" is one word: "vorletzte", "avant-dernière".
    BeforeLast,
    Today,
    Yesterday,
    DayBeforeYesterday,
    Unit(Length),
    HalfYear,
    /// "early", "mid", "late": a third of a month or year.
    Third(Third),
    /// "Q3".
    Quarter(i16),
    /// Monday is 0.
    Weekday(i8),
    /// A word that only means a month, from 1.
    Month(i8),
    /// A month name that also has other meanings, such as "may" and "march".
    PerhapsMonth(i8),
    Season(Season),
    Holiday(Holiday),
    /// A number in digits.
    Number(i16),
    /// A number in letters, including "a".
    Count(i16),
    /// "3rd" and the like.
    Ordinal(i16),
    Year(i16),
    /// Days that the word states by itself, such as "2026-W10".
    Days(Date, Date),
    /// "in", "during": the next word is a time rather than something else of that name.
    In,
    /// Like `In`, and may also stand inside a time.
    Of,
    /// "how many": the unit behind it is asked for, and is no time.
    HowMany,
    /// Articles.
    Filler,
    Other,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Length {
    Day,
    Week,
    Weekend,
    Month,
    Quarter,
    Year,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Third {
    Early,
    Mid,
    Late,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Season {
    Spring,
    Summer,
    Autumn,
    Winter,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Holiday {
    Easter,
    Christmas,
    NewYear,
    Halloween,
    ValentinesDay,
}

/// A token with the piece of the question that it was read from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Word<'a> {
    text: &'a str,
    token: Token,
}

/// The times found in a question.
#[derive(Clone, Debug, Default)]
pub(crate) struct Understood {
    /// The times in the order of the question. A time inside a longer one is not listed.
    pub(crate) times: Vec<TimeExpression>,
    /// The question without the times.
    pub(crate) rest: String,
}

/// Returns the times that a text names, read on `today`. `language` is the agent's.
pub fn find_times(text: &str, language: &str, today: Date) -> Vec<TimeExpression> {
    understand(text, language, today).times
}

/// Finds the times in a question that is asked on `today`. `language` is the agent's.
pub(crate) fn understand(text: &str, language: &str, today: Date) -> Understood {
    let text = tail(text);
    let words = words::read(text, language, today);
    let (mut times, mut rest) = (Vec::new(), Vec::new());
    let mut place = 0;
    while place < words.len() {
        if let Some((length, (from, to))) = span::days(&words[place..], before(&words, place), today) {
            times.push(TimeExpression { words: joined(&words[place..place + length]), days: DateRange { from, to } });
            place += length;
        } else {
            rest.push(words[place].text);
            place += 1;
        }
    }
    Understood { times, rest: rest.join(" ") }
}

fn before(words: &[Word<'_>], place: usize) -> Token {
    place.checked_sub(1).map_or(Token::Other, |place| words[place].token)
}

fn tail(text: &str) -> &str {
    let first = text.split_whitespace().rev().take(LAST).last();
    first.map_or("", |first| &text[first.as_ptr() as usize - text.as_ptr() as usize..])
}

/// Returns the words as they stand in the question. Chinese words are joined without spaces.
fn joined<'a>(words: &[Word<'a>]) -> String {
    let is_wide = words.iter().any(|word| word.text.chars().any(annals_core::is_wide));
    let shown = |word: &Word<'a>| Some(words::bare(word.text)).filter(|bare| !bare.is_empty()).unwrap_or(word.text);
    let texts: Vec<&str> = words.iter().map(shown).collect();
    texts.join(if is_wide { "" } else { " " })
}

/// Returns the number of days in a range that has both ends.
pub(crate) fn length(days: DateRange) -> Option<i64> {
    let span = days.from?.until((Unit::Day, days.to?)).ok()?;
    Some(i64::from(span.get_days()) + 1)
}

#[cfg(test)]
mod tests;
