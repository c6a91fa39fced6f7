//! Dates, months and weekdays in a text, in English and in ISO 8601.

use std::sync::LazyLock;

use annals_core::{CalendarNames, Date};
use jiff::civil::Weekday;
use regex::{Captures, Regex};

use super::plain;

/// A written date, possibly without a year.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Written {
    pub(super) year: Option<i16>,
    pub(super) month: i8,
    pub(super) day: i8,
}

impl Written {
    /// Returns whether the written date can mean this day.
    pub(super) fn is(self, date: Date) -> bool {
        self.month == date.month() && self.day == date.day() && self.year.is_none_or(|year| year == date.year())
    }
}

const ENGLISH: CalendarNames = CalendarNames::ENGLISH;

/// Returns the number of a month from its name or its first three or four letters.
pub(super) fn month(word: &str) -> Option<i8> {
    let full = ENGLISH.months.into_iter().find(|name| (3..=4).contains(&word.len()) && name.starts_with(word));
    ENGLISH.month(full.unwrap_or(word))
}

/// Returns a weekday from its name.
pub(super) fn weekday(word: &str) -> Option<Weekday> {
    ENGLISH.weekday(word)
}

static DATES: LazyLock<Regex> = LazyLock::new(|| {
    let month = format!("(?:{})[a-z]*", ENGLISH.months.map(|name| &name[..3]).join("|"));
    let pattern = format!(
        r"(?ix)
        \b(?P<y1>\d{{4}})-(?P<m1>\d{{2}})-(?P<d1>\d{{2}})\b
        | \b(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<m2>{month})\b\.?(?:,?\s+(?P<y2>\d{{4}}))?\b
        | \b(?P<m3>{month})\.?\s+(?P<d3>\d{{1,2}})(?:st|nd|rd|th)?\b(?:,?\s+(?P<y3>\d{{4}})\b)?"
    );
    Regex::new(&pattern).expect("the pattern is a constant, and a test uses it")
});

/// Returns the text without its dates, and the dates.
pub(super) fn take_dates(text: &str) -> (String, Vec<Written>) {
    let mut dates = Vec::new();
    let rest = DATES.replace_all(text, |captures: &Captures<'_>| match written(captures) {
        Some(date) => {
            dates.push(date);
            " ".to_owned()
        }
        None => captures[0].to_owned(),
    });
    (rest.into_owned(), dates)
}

fn written(captures: &Captures<'_>) -> Option<Written> {
    let group = |names: [&str; 3]| names.iter().find_map(|name| captures.name(name)).map(|group| group.as_str());
    let month_name = group(["m1", "m2", "m3"])?;
    let month = month_name.parse().ok().or_else(|| month(&plain(month_name)))?;
    let day = group(["d1", "d2", "d3"])?.parse().ok()?;
    let year = group(["y1", "y2", "y3"]).and_then(|year| year.parse().ok());
    // 2024 is a leap year, so that 29 February without a year is accepted.
    Date::new(year.unwrap_or(2024), month, day).ok().map(|_| Written { year, month, day })
}
