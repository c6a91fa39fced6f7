//! Reads times that have one end or two ends: "since Easter", "before May 2024", "from Monday to Wednesday", "between March and
//! May". Pure.

use annals_core::Date;
use jiff::{ToSpan, Unit};

use super::calendar::Days;
use super::{Token, Word, pattern};

/// The number of words of a time, and its first and last day. A day is `None` if the time is open at that end.
pub(super) type Found = (usize, (Option<Date>, Option<Date>));

/// Matches the longest time at the beginning of the words. `before` is the token in front of the words.
pub(super) fn days(words: &[Word<'_>], before: Token, today: Date) -> Option<Found> {
    bounded(words, today).or_else(|| {
        let (length, (from, to)) = joined(words, before, today)?;
        Some((length, (Some(from), Some(to))))
    })
}

/// Reads a time with one end, such as "since Easter".
fn bounded(words: &[Word<'_>], today: Date) -> Option<Found> {
    let bound = words.first()?.token;
    if !matches!(bound, Token::Since | Token::Before | Token::After | Token::Until | Token::AgoBefore) {
        return None;
    }
    let skipped = |word: &&Word<'_>| matches!(word.token, Token::Filler | Token::Of | Token::In);
    let fillers = 1 + words[1..].iter().take_while(skipped).count();
    let rest = words.get(fillers..)?;
    let (length, (from, to)) = match bound {
        // "vor zwei Wochen" is read as a time of its own; "vor Ostern" is not.
        Token::AgoBefore if pattern::days(words, Token::Other, today).is_some() => return None,
        _ => pattern::days(rest, Token::In, today)?,
    };
    let days = match bound {
        Token::Since => (Some(from), None),
        Token::After => (Some(to.tomorrow().ok()?), None),
        Token::Until => (None, Some(to)),
        _ => (None, Some(from.yesterday().ok()?)),
    };
    Some((fillers + length, days))
}

/// Reads one time, or two that are joined: "from May to July".
fn joined(words: &[Word<'_>], before: Token, today: Date) -> Option<(usize, Days)> {
    let (length, first) = pattern::days(words, before, today)?;
    Some(until(words, length, before, first, today).unwrap_or((length, first)))
}

/// Reads a second time after the first one and returns the range from the first to the second; `None` if no second time
/// follows.
fn until(words: &[Word<'_>], length: usize, before: Token, first: Days, today: Date) -> Option<(usize, Days)> {
    let is_joined = match words.get(length)?.token {
        Token::To | Token::Until => true,
        Token::And => before == Token::Between,
        _ => false,
    };
    let rest = words.get(length + 1..).filter(|_| is_joined)?;
    let fillers = rest.iter().take_while(|word| matches!(word.token, Token::Filler | Token::In)).count();
    let (more, (_, to)) = pattern::days(&rest[fillers..], Token::In, today)?;
    let from = back_before(first.0, to)?;
    Some((length + 1 + fillers + more, (from, to)))
}

/// Returns the beginning of a range. If it lies after the end, moves it back by a week or by years so that it lies before the
/// end: "Monday to Wednesday", "May to July 2024". `None` if it still lies after the end.
fn back_before(from: Date, to: Date) -> Option<Date> {
    let ahead = to.until((Unit::Day, from)).ok()?.get_days();
    let span = match ahead {
        ..=0 => return Some(from),
        1..=7 => 1.week(),
        _ => (from.year() - to.year()).max(1).years(),
    };
    from.checked_sub(span).ok().filter(|from| *from <= to)
}
