//! English times with "last", "this" or "next": "last night", "this past weekend", "next Friday evening".

use annals_core::Date;
use jiff::ToSpan;

use super::span::Span;
use super::{Found, is_vague, number, part_of_day, phrases, strip, tense, weekdays};

/// Parses the time at the word "last", "this" or "next", or at one with the same meaning. `side` is -1 for "last", 0 for "this"
/// and 1 for "next".
pub(super) fn find(words: &[&str], at: usize, day: Date, side: i32) -> Found {
    let word = |offset: usize| words.get(at + offset).copied().unwrap_or_default();
    if side == 0 && ["past", "coming", "last", "upcoming"].contains(&word(1)) {
        let (length, span) = find(words, at + 1, day, if ["past", "last"].contains(&word(1)) { -1 } else { 1 })?;
        return Some((length + 1, span));
    }
    if side != 0 && (is_vague(word(1)) || number(word(1)).is_some()) && phrases::unit(strip(word(2))).is_some() {
        let is_counted = ["the", "over", "in", "for", "these", "within", "during"].contains(&word_before(words, at));
        return is_counted.then_some((3, if side < 0 { Span::Until } else { Span::From }));
    }
    // "Past" is a preposition too: "walked past this house".
    if is_part_of_something(words, at, side) || words[at] == "past" && side >= 0 {
        return None;
    }
    Some((2 + part_of_day(word(2)), span(words, at, day, side)?))
}

fn word_before<'a>(words: &[&'a str], at: usize) -> &'a str {
    at.checked_sub(1).map_or("", |position| words[position])
}

/// Returns whether the unit belongs to something with a time of its own: "my last semester", "the last week of January", "the last
/// night shift", but "last year, of course".
fn is_part_of_something(words: &[&str], at: usize, side: i32) -> bool {
    let word = |offset: usize| words.get(at + offset).copied().unwrap_or_default();
    let before = word_before(words, at);
    let is_own = side < 0 && weekdays::POSSESSIVES.contains(&before);
    let is_last_of_many = before == "the" && side < 0 && strip(word(1)) == "night";
    let is_tide = ["tide", "tides"].contains(&word(2));
    is_own || is_last_of_many || is_tide || word(2) == "of" && word(3) != "course"
}

fn span(words: &[&str], at: usize, day: Date, side: i32) -> Option<Span> {
    let unit = strip(words.get(at + 1)?);
    // "Over the last week", "in the past year".
    let is_over = word_before(words, at) == "the" && ["past", "last"].contains(&words[at]);
    match unit {
        "day" | "days" => None,
        "week" | "month" | "year" | "quarter" if is_over => Some(Span::Until),
        "night" | "evening" if side == -1 => Span::day(day, -1),
        "morning" | "afternoon" | "evening" | "night" if side == 0 => Span::day(day, 0),
        "week" => Span::week(day, side),
        "weekend" if side == 0 => {
            Span::weekend(day, if tense::is_past(words, at) { tense::this_weekend(day) } else { 0 })
        }
        "weekend" => Span::weekend(day, side),
        "month" => Span::month(day, side),
        "quarter" => Span::quarter(day, side),
        "year" => Span::year(day, side),
        _ => match phrases::weekday(unit) {
            Some(weekday) if ["coming", "upcoming"].contains(&words[at]) => Span::weekday_after(day, weekday),
            Some(weekday) if side == 0 => weekdays::this(words, at, day, weekday),
            Some(weekday) => Span::weekday_beside(day, weekday, side),
            // Late in May, "next summer" is that of the next year.
            None if words[at] == "next" && phrases::full_month(unit).is_none() => {
                phrases::season(unit, day.checked_add(15.days()).ok()?, side)
            }
            None => phrases::season(unit, day, side),
        },
    }
}
