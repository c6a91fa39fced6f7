//! English times that are relative to another time: "a week ago yesterday", "the day after next Monday", "two weeks from
//! Friday", "moved from Thursday to Friday".

use annals_core::Date;

use super::span::{Span, Unit};
use super::{Found, Sentence, direction, number, phrases, weekdays};

/// Words before an amount that make it a length: "closed for two weeks from Monday", "we have two days before Friday".
const LENGTHS: [&str; 14] =
    ["for", "have", "has", "had", "got", "only", "just", "another", "first", "next", "last", "lasts", "runs", "takes"];

/// Words before a unit that do not mean a single one: "every day after Monday".
const EACH: [&str; 8] = ["every", "each", "any", "per", "most", "some", "no", "all"];

/// An amount of time before another time: "two weeks", or "day" in "the day before".
struct Amount {
    count: i32,
    unit: Unit,
    /// Number of words of the amount.
    length: usize,
    is_counted: bool,
}

/// Parses a time that begins at a word and contains another time. Returns [`Span::Unclear`] if the date is not clear, so that
/// the other time gets no date either.
pub(super) fn find(sentence: Sentence<'_>, at: usize, day: Date) -> Found {
    let words = sentence.words;
    let amount = amount(words, at)?;
    let link = at + amount.length;
    let word = |back: usize| at.checked_sub(back).map_or("", |position| words[position]);
    // "Twice a week from Thursday."
    let is_rate = amount.is_counted && ["once", "twice", "times", "days", "nights", "hours"].contains(&word(1));
    let is_length = LENGTHS.contains(&word(1)) || is_rate;
    let (length, span) = match *words.get(link)? {
        "ago" => ago(sentence, link + 1, day, &amount)?,
        "before" | "after" if !is_length => {
            let sign = if words[link] == "before" { -1 } else { 1 };
            around(sentence, link + 1, day, &amount, sign)?
        }
        "from" if !is_length && amount.is_counted && !is_range(words, link) => {
            around(sentence, link + 1, day, &amount, 1)?
        }
        // British: "a week on Saturday" is a week after Saturday.
        "on" if !is_length && amount.is_counted && amount.unit == Unit::Week => {
            let weekday = phrases::weekday(words.get(link + 1)?)?;
            (1, Span::weekday_in_weeks(day, weekday, amount.count)?)
        }
        _ => return None,
    };
    let end = link + 1 + length;
    sentence.is_joined(at..end).then_some((end - at, span))
}

fn amount(words: &[&str], at: usize) -> Option<Amount> {
    if let Some(count) = number(words[at]) {
        let unit = phrases::unit(words.get(at + 1)?)?;
        return Some(Amount { count, unit, length: 2, is_counted: true });
    }
    let unit = phrases::unit(words[at]).filter(|_| !words[at].ends_with('s'))?;
    let before = at.checked_sub(1).map_or("", |position| words[position]);
    let is_one = !EACH.contains(&before) && number(before).is_none();
    is_one.then_some(Amount { count: 1, unit, length: 1, is_counted: false })
}

/// Parses the time after "a week ago": "yesterday", "last Friday", "Friday", "on Friday".
fn ago(sentence: Sentence<'_>, at: usize, day: Date, amount: &Amount) -> Found {
    let words = sentence.words;
    let is_on = words.get(at) == Some(&"on");
    let named = at + usize::from(is_on);
    let weekday = phrases::weekday(words.get(named)?);
    if let Some(weekday) = weekday.filter(|_| weekdays::is_written_as_day(sentence, named)) {
        let span = match (amount.unit, is_on) {
            (Unit::Week, true) => Span::weekday_weeks_ago(day, weekday, amount.count)?,
            (Unit::Week, false) => Span::weekday_beside(day, weekday, -1)?.moved(Unit::Week, -amount.count)?,
            _ => Span::Unclear,
        };
        return Some((1 + usize::from(is_on), span));
    }
    let (length, span) = super::plain(sentence, at, day)?;
    let is_past_day = matches!(span, Span::Days(first, last) if first == last && last <= day);
    let span = if is_past_day { span.moved(amount.unit, -amount.count)? } else { return None };
    Some((length, span))
}

/// Parses the time after "two days before", "the day after" or "a week from".
fn around(sentence: Sentence<'_>, at: usize, day: Date, amount: &Amount, sign: i32) -> Found {
    let Some((length, span)) = super::plain(sentence, at, day) else {
        return second(sentence.words.get(at)?, day, amount, sign);
    };
    // "The day after yesterday's storm" is about the storm.
    if sentence.words[at + length - 1].ends_with("'s") || !matches!(span, Span::Days(..)) {
        return None;
    }
    let is_day = matches!(span, Span::Days(first, last) if first == last);
    let is_clear = is_day && (amount.is_counted || amount.unit == Unit::Day) || !is_day && amount.unit == Unit::Week;
    let moved = span.moved(amount.unit, sign * amount.count)?;
    Some((length, if is_clear { moved } else { Span::Unclear }))
}

/// Parses "the week before last", "the month after next".
fn second(word: &str, day: Date, amount: &Amount, sign: i32) -> Found {
    if amount.is_counted || word != if sign < 0 { "last" } else { "next" } {
        return None;
    }
    let span = match amount.unit {
        Unit::Week => Span::week(day, 2 * sign)?,
        unit => Span::away(day, unit, 2 * sign)?,
    };
    Some((1, span))
}

/// Returns whether "from" begins a range: "three days from Monday to Wednesday". Also true for "a month from today", which
/// another rule reads as "in a month".
fn is_range(words: &[&str], from: usize) -> bool {
    let is_end = |word: &&str| ["to", "until", "till", "through", "on"].contains(word);
    words.get(from + 1) == Some(&"today") || words.iter().skip(from + 2).take(2).any(is_end)
}

/// Parses what follows a weekday: "in three weeks", "three weeks from now", "two weeks ago". Returns its length with the
/// weekday, and the day.
pub(super) fn weeks_after_weekday(sentence: Sentence<'_>, at: usize, day: Date) -> Found {
    let words = sentence.words;
    let word = |position: usize| words.get(position).copied().unwrap_or_default();
    let weekday = phrases::weekday(words[at])?;
    let is_in = word(at + 1) == "in";
    let first = at + 1 + usize::from(is_in);
    let count = number(word(first)).filter(|_| phrases::unit(word(first + 1)) == Some(Unit::Week))?;
    let is_from_now = word(first + 2) == "from" && ["now", "today"].contains(&word(first + 3));
    let is_ago = !is_in && ["ago", "back"].contains(&word(first + 2));
    let span = match () {
        () if is_ago => Span::weekday_weeks_ago(day, weekday, count)?,
        () if is_from_now || is_in && direction::is_ahead(sentence, at) => Span::weekday_in_weeks(day, weekday, count)?,
        () => return None,
    };
    let end = first + 2 + if is_from_now { 2 } else { usize::from(is_ago) };
    sentence.is_joined(at..end).then_some((end - at, span))
}

/// Returns the date of a weekday that is either end of a move, if both days are ahead in this order: "moved from Thursday to
/// Friday". `None` for any other weekday, and if a day of the month follows.
pub(super) fn end_of_move(words: &[&str], at: usize, day: Date) -> Option<Span> {
    const MOVED: [&str; 4] = ["moved", "moves", "rescheduled", "postponed"];
    const FOR_GOOD: [&str; 4] = ["class", "weekly", "now", "permanently"];
    let word = |position: usize| words.get(position).copied().unwrap_or_default();
    let from = [1, 3].into_iter().find_map(|back| at.checked_sub(back).filter(|from| word(*from) == "from"))?;
    let (first, last) = (phrases::weekday(word(from + 1))?, phrases::weekday(word(from + 3))?);
    let is_move = word(from + 2) == "to" && words[from.saturating_sub(4)..from].iter().any(|word| MOVED.contains(word));
    let is_once = !words.iter().any(|word| FOR_GOOD.contains(word));
    let is_dated = word(from + 4).starts_with(|first: char| first.is_ascii_digit());
    let (first, last) = (Span::weekday_in_weeks(day, first, 0)?, Span::weekday_after(day, last)?);
    let is_ahead = matches!((&first, &last), (Span::Days(first, _), Span::Days(last, _)) if first < last);
    let span = if at == from + 1 { first } else { last };
    (is_move && is_once && !is_dated && is_ahead).then_some(span)
}
