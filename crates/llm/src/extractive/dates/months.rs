//! English months by their name, and weekdays that are counted in a month: "in November", "the first Monday of next month".
//!
//! A month may be of this year or another, and often is of one long past: "we met in May". It gets a year only if the sentence
//! tells of something in the months before, or announces something for the months ahead, and says nothing of another year.

use annals_core::Date;
use jiff::ToSpan;

use super::span::Span;
use super::{Found, Sentence, phrases, tense};
use crate::extractive::tokens::is_in;

/// Words of habits, conditions, and what may be in another year: with one of them, no month gets a year.
const NO_SINGLE_YEAR: &str = "every each always usually never ever often sometimes most once twice born birthday birthdays anniversary married met \
    graduated died childhood when used would if like before after since back year years summer winter semester history";

/// Words of what was arranged for a later month: "I signed up for a marathon in October".
const ARRANGED: &str = "ticket tickets wedding signed registered enrolled applied invited accepted decided agreed pledged proposed asked promised \
    planned plans booked want wants wanted need needs getting having have has";

/// Words that announce something.
const ANNOUNCING: &str = "will shall won't going gonna opens opening starts starting begins beginning ends ending closes launches arrives leaves \
    returns resumes expires retires";

/// Maximum number of months between the message and a month without a year, before and after it.
const NEAR: (i16, i16) = (7, 10);

/// Parses a month or a weekday of a month that begins at a word.
pub(super) fn find(sentence: Sentence<'_>, at: usize, day: Date) -> Found {
    weekday_of_month(sentence.words, at, day).or_else(|| named(sentence, at, day))
}

/// Parses "first Monday of next month", "last Friday of this month".
fn weekday_of_month(words: &[&str], at: usize, day: Date) -> Found {
    let [nth, weekday, "of", side, month, ..] = words.get(at..)? else { return None };
    let nth = match *nth {
        "first" => 1,
        "second" => 2,
        "third" => 3,
        "fourth" => 4,
        "last" => -1,
        _ => return None,
    };
    let months = match *side {
        "last" => -1,
        "this" => 0,
        "next" => 1,
        _ => return None,
    };
    let weekday = phrases::weekday(weekday).filter(|_| *month == "month")?;
    let first = day.first_of_month().checked_add(months.months()).ok()?;
    let found = first.nth_weekday_of_month(nth, weekday).ok()?;
    Some((5, Span::Days(found, found)))
}

/// Parses the month of "in November", "until June". A lower-case name and one with a day or a year get no date.
fn named(sentence: Sentence<'_>, at: usize, day: Date) -> Found {
    let words = sentence.words;
    let month = phrases::full_month(words[at])?;
    // In the month itself, "in May" may mean this year or another.
    let is_clear = at > 0 && month != day.month() && sentence.tokens[at].is_capital() && is_alone(sentence, at);
    let has = |list: &str, words: &[&str]| words.iter().any(|word| is_in(list, word));
    if !is_clear || has(NO_SINGLE_YEAR, words) {
        return None;
    }
    let back = i16::from((day.month() - month).rem_euclid(12));
    let announced = if at == 1 { words } else { &words[..at] };
    let announces = || has(ANNOUNCING, announced) || announced.iter().any(|word| word.ends_with("'ll"));
    let is_past = || tense::is_past(words, at) && !has(ARRANGED, words);
    let months = match words[at - 1] {
        "in" if announces() && 12 - back <= NEAR.1 => 12 - back,
        "in" if is_past() && back <= NEAR.0 && !announces() => -back,
        "by" if announces() && 12 - back <= NEAR.1 => 12 - back,
        "until" | "till" if !tense::is_past(words, at) && 12 - back <= NEAR.1 => 12 - back,
        _ => return None,
    };
    Some((1, Span::month(day, i32::from(months))?))
}

/// Returns whether the words around a month name neither a day nor a year, nor another month, and it is no first name.
fn is_alone(sentence: Sentence<'_>, at: usize) -> bool {
    let words = sentence.words;
    let near = &words[at.saturating_sub(3)..words.len().min(at + 4)];
    let has_year = words.iter().any(|word| word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit()));
    let months = near.iter().filter(|word| phrases::month(word).is_some()).count();
    let next = words.get(at + 1).copied().unwrap_or_default();
    let is_first_name =
        sentence.tokens.get(at + 1).is_some_and(|next| next.is_capital() && !next.lower.starts_with('i'))
            && sentence.is_joined(at..at + 2);
    !super::has_digit(near)
        && !has_year
        && !is_first_name
        && months == 1
        && !["of", "last", "this", "next"].contains(&next)
}
