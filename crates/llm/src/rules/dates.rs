//! Dates in a clause: calendar dates, and dates relative to the day of the message.
//!
//! English only; `languages/dates.rs` translates other languages. For a fact, the date is taken out of the clause and has a
//! precision. `extractive/dates.rs` leaves the text as it is and appends dates to it. So the two share words, but no grammar.

use std::ops::RangeInclusive;

use annals_core::{CalendarNames, Date, Grain, Period, number_words};
use interim::{Dialect, parse_date_string};
use jiff::civil::Weekday;
use jiff::tz::TimeZone;
use jiff::{Span, ToSpan};
use regex::{Captures, Regex};

use super::grammar::{capitalised, pattern};

const ENGLISH: CalendarNames = CalendarNames::ENGLISH;

/// Direction of an ambiguous date: "on Friday", "in May".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Past,
    Future,
}

/// A date, with the precision in which it was given: day, week, month or year.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct When {
    /// First day. If the date is the current week, month or year, or a month ahead that has begun, it is today: only the rest
    /// is meant.
    pub(super) day: Date,
    /// First day after the date.
    pub(super) end: Date,
    /// `2026-05-05`, `2026-05` or `2026`. A week has the label of its Monday, a weekend that of its Saturday.
    pub(super) label: String,
    /// Whether the date is a start: "since 2019", "for two years".
    pub(super) since: bool,
}

impl When {
    /// Returns whether the date is one day. The label does not show it, because a week has that of its Monday.
    pub(super) fn is_a_day(&self) -> bool {
        self.day.tomorrow().is_ok_and(|next| next == self.end)
    }
}

/// Returns the clause without the first date that can be read, and that date. Resolves ambiguous dates to the given side of
/// `today`. A date that cannot be read stays in the clause.
pub(super) fn take(clause: &str, today: Date, side: Side) -> (String, Option<When>) {
    for found in DATE.captures_iter(clause) {
        if let Some(mut when) = read(clause, &found, today, side) {
            let preposition = found.name("preposition").map(|word| word.as_str().to_lowercase());
            when.since = preposition.as_deref() == Some("since") || found.name("for").is_some();
            let date = found.get(0).expect("group 0 is the whole match").range();
            let rest = format!("{} {}", clause[..date.start].trim_end(), clause[date.end..].trim_start());
            return (rest.trim_matches([' ', ',']).replace(" ,", ","), Some(when));
        }
    }
    (clause.to_owned(), None)
}

fn read(clause: &str, found: &Captures<'_>, today: Date, side: Side) -> Option<When> {
    let part = |name: &str| found.name(name).map(|part| part.as_str().to_lowercase());
    if let Some(word) = part("word") {
        return near(&word, today);
    }
    if let (Some(count), Some(unit)) = (part("ago"), part("ago_unit")) {
        return ago(&format!("{} {unit} ago", number(&count)?), &unit, today);
    }
    if let (Some(count), Some(unit)) = (part("for"), part("for_unit")) {
        if !PERFECT.is_match(clause) {
            return None;
        }
        return ago(&format!("{} {unit} ago", number(&count)?), &unit, today);
    }
    if let (Some(count), Some(unit)) = (part("in"), part("in_unit")) {
        return ago(&format!("{} {unit}", number(&count)?), &unit, today);
    }
    if let (Some(which), Some(unit)) = (part("which"), part("unit")) {
        return beside(&which, &unit, today, side);
    }
    let is_placed = found.name("preposition").is_some();
    if let Some(name) = part("weekday").filter(|_| is_placed) {
        return toward(side, ENGLISH.weekday(&name)?, today).map(day);
    }
    if let Some(month) = part("month") {
        let (number, year) = (part("day").or_else(|| part("day_after")), part("month_year"));
        let is_date = is_placed || number.is_some() || year.is_some();
        return is_date.then(|| of_month(&month, number, year, today, side)).flatten();
    }
    let year: i16 = part("year").filter(|_| is_placed)?.parse().ok()?;
    Some(in_year(year))
}

fn near(word: &str, today: Date) -> Option<When> {
    let distance = match word {
        "the day before yesterday" => -2,
        "yesterday" | "yesterday morning" | "yesterday evening" | "yesterday afternoon" | "last night" => -1,
        "tomorrow" | "tomorrow morning" | "tomorrow evening" | "tomorrow night" | "tomorrow afternoon" => 1,
        "the day after tomorrow" => 2,
        _ => 0,
    };
    today.checked_add(distance.days()).ok().map(day)
}

/// Parses "2 weeks ago" and "2 weeks" as a day, and amounts of months and years as a whole month or year: "two years ago" does
/// not mean the exact day.
fn ago(phrase: &str, unit: &str, today: Date) -> Option<When> {
    let date = parsed(phrase, today)?;
    Some(match unit.trim_end_matches('s') {
        "month" => in_month(date),
        "year" => in_year(date.year()),
        _ => day(date),
    })
}

/// Parses "last week", "next May", "this Friday".
fn beside(which: &str, unit: &str, today: Date, side: Side) -> Option<When> {
    let step: i64 = match which {
        "last" | "past" => -1,
        "next" | "coming" | "upcoming" => 1,
        _ => 0,
    };
    let shifted = |span: Span| today.checked_add(span).ok();
    match unit {
        // Within the current week, month or year only today is certain to be included.
        "week" if step == 0 => Some(When { day: today, ..days(monday(today), 7) }),
        "month" if step == 0 => Some(When { day: today, ..in_month(today) }),
        "year" if step == 0 => Some(When { day: today, ..in_year(today.year()) }),
        "week" => shifted(step.weeks()).map(|date| days(monday(date), 7)),
        // Weekends count by calendar week: on a Sunday, "last weekend" is the one a week before.
        "weekend" => {
            let saturday = shifted(step.weeks()).map(monday)?.checked_add(5.days()).ok();
            saturday.map(|saturday| days(saturday, 2))
        }
        "month" => shifted(step.months()).map(in_month),
        "year" => shifted(step.years()).map(|date| in_year(date.year())),
        name => match ENGLISH.weekday(name) {
            Some(name) if step > 0 => {
                let since_monday = i64::from(name.to_monday_zero_offset());
                shifted(1.week()).map(monday)?.checked_add(since_monday.days()).ok().map(day)
            }
            Some(name) => toward(if step < 0 { Side::Past } else { side }, name, today).map(day),
            None if step < 0 => of_month(name, None, None, today.first_of_month().yesterday().ok()?, Side::Past),
            None if step > 0 => of_month(name, None, None, today.last_of_month().tomorrow().ok()?, Side::Future),
            None => of_month(name, None, None, today, side),
        },
    }
}

/// Returns the date, or the month if there is no day. Without a year, it is the nearest one on the given side, out of last,
/// this and next year.
fn of_month(month: &str, number: Option<String>, year: Option<String>, today: Date, side: Side) -> Option<When> {
    let is_month = number.is_none();
    let to_its_unit = if is_month { in_month } else { day };
    let number = number.as_deref().unwrap_or("1");
    let in_year = |year: &str| parsed(&format!("{number} {month} {year}"), today);
    if let Some(year) = year {
        return in_year(&year).map(to_its_unit);
    }
    let mut days = (-1..=1).filter_map(|years| in_year(&(today.year() + years).to_string()));
    let nearest = match side {
        Side::Past => days.rfind(|day| *day <= today),
        Side::Future => days.find(|day| *day >= today || is_month && day.last_of_month() >= today),
    }?;
    // Of the current month only the days to come are meant.
    let when = to_its_unit(nearest);
    Some(if side == Side::Future { When { day: when.day.max(today), ..when } } else { when })
}

/// Returns the nearest day with this weekday on the given side, other than today.
fn toward(side: Side, weekday: Weekday, today: Date) -> Option<Date> {
    today.nth_weekday(if side == Side::Past { -1 } else { 1 }, weekday).ok()
}

/// Parses an English date relative to `today`. In a date of digits, the day comes before the month.
fn parsed(phrase: &str, today: Date) -> Option<Date> {
    let now = today.to_zoned(TimeZone::UTC).ok()?;
    parse_date_string(phrase, now, Dialect::Uk).ok().map(|moment| moment.date())
}

fn day(day: Date) -> When {
    days(day, 1)
}

/// Returns a span of `count` days, labelled with the first.
fn days(first: Date, count: i64) -> When {
    When { day: first, end: first.saturating_add(count.days()), label: first.to_string(), since: false }
}

fn in_month(date: Date) -> When {
    let first = date.first_of_month();
    let label = date.strftime("%Y-%m").to_string();
    When { day: first, end: first.saturating_add(1.month()), label, since: false }
}

fn in_year(year: i16) -> When {
    let first = Date::constant(year, 1, 1);
    When { day: first, end: first.saturating_add(1.year()), label: format!("{year:04}"), since: false }
}

fn monday(date: Date) -> Date {
    Period::of(Grain::Weekly, date).first_day()
}

fn number(word: &str) -> Option<u32> {
    match word {
        "a" | "an" => Some(1),
        "a couple of" | "a couple" | "couple of" => Some(2),
        "a few" | "few" => Some(3),
        _ => word.parse().ok().or_else(|| number_words::english(word).filter(|number| *number <= 12)),
    }
}

/// Returns the words for the numbers of a range as alternatives of a pattern: `two|three`.
fn alternatives(range: RangeInclusive<u32>) -> String {
    let words = number_words::entries("en").filter(|(_, number)| range.contains(number));
    words.map(|(word, _)| word).collect::<Vec<_>>().join("|")
}

/// Returns the names of months that are not also verbs, as alternatives of a pattern.
fn sure_months() -> String {
    let sure = ENGLISH.months.into_iter().filter(|name| !["march", "may"].contains(name));
    sure.collect::<Vec<_>>().join("|")
}

pattern!(
    DATE,
    r"(?xi)(?:,\s*)?
    (?:\b(?P<preposition>back\ in|on|in|since|by|from|starting|around|early|late|at\ the\ end\ of|at\ the\ beginning\ of|during)\s+)?
    (?:
      \b(?P<word>the\ day\ before\ yesterday|the\ day\ after\ tomorrow|yesterday(?:\ (?:morning|afternoon|evening))?|last\ night|today|
         tonight|this\ (?:morning|afternoon|evening)|tomorrow(?:\ (?:morning|afternoon|evening|night))?)
      |\b(?P<ago>\d{1,3}|an?|an?\ couple\ of|a\ couple|couple\ of|an?\ few|few|{number})
         \ (?P<ago_unit>days?|weeks?|months?|years?)\ ago
      |\b(?:for|over)\ (?:about\ |over\ |almost\ )?(?P<for>\d{1,2}|a|a\ couple\ of|a\ few|{number})
         \ (?P<for_unit>months?|years?)(?:\ now)?
      |\b(?:in|within)\ (?P<in>\d{1,2}|a|a\ couple\ of|a\ few|{small_number})
         \ (?P<in_unit>days?|weeks?|months?|years?)(?:'\ time)?
      |\b(?:the\ )?(?P<which>last|this|next|past|coming|upcoming)
         \ (?P<unit>week|weekend|month|year|{weekday}|{month})
      |\b(?P<weekday>{weekday})
      |\b(?:(?:the\ )?(?P<day>\d{1,2})(?:st|nd|rd|th)?\ (?:of\ )?)?
         (?P<month>(?-i:{Month})|{sure_month})
         (?:\ (?P<day_after>\d{1,2})(?:st|nd|rd|th)?\b)?(?:,?\ (?P<month_year>\d{4}))?
      |\b(?P<year>(?:19|20)\d\d)
    )\b"
    .replace("{number}", &alternatives(1..=12))
    .replace("{small_number}", &alternatives(2..=10))
    .replace("{sure_month}", &sure_months())
    .replace("{weekday}", &ENGLISH.weekdays.join("|"))
    .replace("{month}", &ENGLISH.months.join("|"))
    .replace("{Month}", &ENGLISH.months.map(capitalised).join("|"))
    .as_str()
);
// "I have lived there for two years" began two years ago; "I go there for two years" did not.
pattern!(PERFECT, r"(?i)\b(?:have|has|been)\b|'ve\b");

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks a clause from Wednesday, 10 May 2023.
    fn check(side: Side, clause: &str, rest: &str, label: &str, first_day: &str) {
        let (left, when) = take(clause, Date::constant(2023, 5, 10), side);
        let when = when.unwrap_or_else(|| panic!("{clause}: no date"));
        assert_eq!(
            (left.as_str(), when.label.as_str(), when.day.to_string().as_str()),
            (rest, label, first_day),
            "{clause}"
        );
    }

    #[test]
    fn past_dates_are_read_and_removed() {
        let check = |clause, rest, label, day| check(Side::Past, clause, rest, label, day);
        check("I moved to Oslo yesterday", "I moved to Oslo", "2023-05-09", "2023-05-09");
        check("Last night, I got a dog", "I got a dog", "2023-05-09", "2023-05-09");
        check("I moved two weeks ago to Oslo", "I moved to Oslo", "2023-04-26", "2023-04-26");
        check("I moved 3 years ago", "I moved", "2020", "2020-01-01");
        check("I moved a month ago", "I moved", "2023-04", "2023-04-01");
        check("I moved last Friday", "I moved", "2023-05-05", "2023-05-05");
        check("I moved last Wednesday", "I moved", "2023-05-03", "2023-05-03");
        check("I moved on Friday", "I moved", "2023-05-05", "2023-05-05");
        check("I moved last week", "I moved", "2023-05-01", "2023-05-01");
        check("I moved last weekend", "I moved", "2023-05-06", "2023-05-06");
        check("I moved last month", "I moved", "2023-04", "2023-04-01");
        check("I moved last year", "I moved", "2022", "2022-01-01");
        check("I moved last August", "I moved", "2022-08", "2022-08-01");
        check("In 2019, I moved", "I moved", "2019", "2019-01-01");
        check("I moved in March 2019", "I moved", "2019-03", "2019-03-01");
        check("I moved in March", "I moved", "2023-03", "2023-03-01");
        check("I moved in August", "I moved", "2022-08", "2022-08-01");
        check("I moved on 5 May", "I moved", "2023-05-05", "2023-05-05");
        check("I moved on June 7th", "I moved", "2022-06-07", "2022-06-07");
        check("I moved on the 7th of June, 2021", "I moved", "2021-06-07", "2021-06-07");
        check("I've lived in Rome for ten years now", "I've lived in Rome", "2013", "2013-01-01");
        check("I moved this week", "I moved", "2023-05-08", "2023-05-10");
    }

    #[test]
    fn future_dates_are_read_and_removed() {
        let check = |clause, rest, label, day| check(Side::Future, clause, rest, label, day);
        check("I'll go tomorrow", "I'll go", "2023-05-11", "2023-05-11");
        check("I'll go on Friday", "I'll go", "2023-05-12", "2023-05-12");
        check("I'll go next month", "I'll go", "2023-06", "2023-06-01");
        check("I'll go next year", "I'll go", "2024", "2024-01-01");
        check("I'll go in two weeks", "I'll go", "2023-05-24", "2023-05-24");
        check("I'll go on May 5", "I'll go", "2024-05-05", "2024-05-05");
        check("I'll go next Friday", "I'll go", "2023-05-19", "2023-05-19");
        check("I'll go next May", "I'll go", "2024-05", "2024-05-01");
        check("I'll go in August", "I'll go", "2023-08", "2023-08-01");
        check("I'll go in May", "I'll go", "2023-05", "2023-05-10");
        check("I'll go in April", "I'll go", "2024-04", "2024-04-01");
        check("I'll go this weekend", "I'll go", "2023-05-13", "2023-05-13");
    }

    #[test]
    fn text_that_is_not_a_date_stays() {
        for clause in [
            "I have 2000 books",
            "I may go",
            "April is nice",
            "I go there for two years",
            "I moved on 31 February",
            "I like Friday for that",
        ] {
            assert_eq!(take(clause, Date::constant(2023, 5, 10), Side::Past), (clause.to_owned(), None));
        }
    }
}
