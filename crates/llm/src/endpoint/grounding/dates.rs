//! Dates, months and weekdays in a text: in ISO 8601, in the languages of `CalendarNames`, and in Chinese and Japanese.

use std::collections::HashMap;
use std::sync::LazyLock;

use annals_core::{CalendarNames, Date, chinese_numerals, entity_key};
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

/// Result of [`take_dates`].
#[derive(Debug, Default)]
pub(super) struct Dates {
    /// The text without its dates. The year of a month without a day stays in it, and counts as a number.
    pub(super) rest: String,
    pub(super) days: Vec<Written>,
    /// Months without a day: "June 2031", "2031年6月", "三月".
    pub(super) months: Vec<i8>,
}

const ENGLISH: CalendarNames = CalendarNames::ENGLISH;

/// Names of months and weekdays in all languages, in comparable form.
static MONTHS: LazyLock<HashMap<String, i8>> = LazyLock::new(|| {
    let of = |names: &'static CalendarNames| {
        names.months.iter().filter_map(|name| Some((entity_key(name), names.month(name)?)))
    };
    CalendarNames::all().flat_map(of).collect()
});
static WEEKDAYS: LazyLock<HashMap<String, Weekday>> = LazyLock::new(|| {
    let of = |names: &'static CalendarNames| {
        names.weekdays.iter().filter_map(|name| Some((entity_key(name), names.weekday(name)?)))
    };
    CalendarNames::all().flat_map(of).collect()
});

/// Returns the number of a month from its name in any language, or from the first three or four letters of its English name.
pub(super) fn month(word: &str) -> Option<i8> {
    english_month(word).or_else(|| MONTHS.get(word).copied())
}

fn english_month(word: &str) -> Option<i8> {
    let is_short = (3..=4).contains(&word.len());
    if is_short { ENGLISH.month_beginning_with(word) } else { ENGLISH.month(word) }
}

/// Returns a weekday from its name in any language.
pub(super) fn weekday(word: &str) -> Option<Weekday> {
    WEEKDAYS.get(word).copied()
}

// Word boundaries beside digits are those of ASCII, because in text without spaces a letter may follow a digit: "2031-05-07米娅".
static DATES: LazyLock<Regex> = LazyLock::new(|| {
    let english = format!("(?:{})[a-z]*", ENGLISH.months.map(|name| &name[..3]).join("|"));
    let month = format!("(?:{}|{english})", spellings().join("|"));
    let han = chinese_numerals::UP_TO_TEN;
    let pattern = format!(
        r"(?ix)
        (?-u:\b)(?P<y1>\d{{4}})-(?P<m1>\d{{2}})-(?P<d1>\d{{2}})(?-u:\b)
        | \b(?P<d2>\d{{1,2}})(?:st|nd|rd|th|er|[.°º])?\s+(?:of\s+|de\s+)?(?P<m2>{month})\b\.?(?:,?\s+(?:del?\s+)?(?P<y2>\d{{4}}))?\b
        | \b(?P<m3>{english})\.?\s+(?P<d3>\d{{1,2}})(?:st|nd|rd|th)?\b(?:,?\s+(?P<y3>\d{{4}})\b)?
        | \b(?P<m4>{month})\.?,?\s+(?:del?\s+)?(?P<y4>\d{{4}})\b
        | (?:(?P<y5>\d{{4}})年)?(?P<m5>\d{{1,2}}|[{han}]{{1,3}})月(?:(?P<d5>\d{{1,2}}|[{han}]{{1,3}})[日号號])?"
    );
    Regex::new(&pattern).expect("the pattern is a constant, and a test uses it")
});

/// Returns the names of the months in all languages, with and without accents.
fn spellings() -> Vec<String> {
    let names =
        CalendarNames::all().flat_map(|names| names.months).flat_map(|name| [name.to_owned(), entity_key(name)]);
    let mut names: Vec<String> = names.collect();
    // The longest first: "mar" begins "março".
    names.sort_by_key(|name| (std::cmp::Reverse(name.len()), name.clone()));
    names.dedup();
    names
}

/// Takes the dates out of a text.
pub(super) fn take_dates(text: &str) -> Dates {
    let (mut days, mut months) = (Vec::new(), Vec::new());
    let rest = DATES.replace_all(text, |captures: &Captures<'_>| {
        if let Some(date) = written(captures) {
            days.push(date);
            " ".to_owned()
        } else if let Some((month, year)) = whole_month(captures) {
            months.push(month);
            format!(" {year} ")
        } else {
            captures[0].to_owned()
        }
    });
    let rest = rest.into_owned();
    Dates { rest, days, months }
}

fn group<'t>(captures: &Captures<'t>, names: &[&str]) -> Option<&'t str> {
    names.iter().find_map(|name| captures.name(name)).map(|group| group.as_str())
}

fn written(captures: &Captures<'_>) -> Option<Written> {
    let month_name = group(captures, &["m1", "m2", "m3", "m5"])?;
    let month = if captures.name("m3").is_some() { english_month(&plain(month_name)) } else { numbered(month_name) }?;
    let day = group(captures, &["d1", "d2", "d3", "d5"])?;
    let day = day.parse().ok().or_else(|| i8::try_from(chinese_numerals::number(day)?).ok())?;
    let year = group(captures, &["y1", "y2", "y3", "y5"]).and_then(|year| year.parse().ok());
    // 2024 is a leap year, so that 29 February without a year is accepted.
    Date::new(year.unwrap_or(2024), month, day).ok().map(|_| Written { year, month, day })
}

/// Returns a month without a day, and its year; an empty text if it has none.
fn whole_month<'t>(captures: &Captures<'t>) -> Option<(i8, &'t str)> {
    let month = group(captures, &["m4", "m5"]).filter(|_| captures.name("d5").is_none()).and_then(numbered)?;
    Some((month, group(captures, &["y4", "y5"]).unwrap_or_default()))
}

/// Returns the number of a month from digits, Chinese digits or its name.
fn numbered(month_name: &str) -> Option<i8> {
    let number = month_name.parse().ok().or_else(|| i8::try_from(chinese_numerals::number(month_name)?).ok());
    number.filter(|number| (1..=12).contains(number)).or_else(|| month(&plain(month_name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_every_language_are_taken_out() {
        fn check(text: &str, expect: &str, months: &[i8]) {
            let dates = take_dates(text);
            let days: Vec<String> = dates
                .days
                .iter()
                .map(|date| format!("{}-{}-{}", date.year.unwrap_or_default(), date.month, date.day))
                .collect();
            assert_eq!((days.join(" ").as_str(), dates.months.as_slice()), (expect, months), "{text}");
        }
        check("on 3 June 2031", "2031-6-3", &[]);
        check("am 3. Juni 2031", "2031-6-3", &[]);
        check("am 12. März", "0-3-12", &[]);
        check("le 1er août 2031", "2031-8-1", &[]);
        check("le 1er aout", "0-8-1", &[]);
        check("el 3 de junio de 2031", "2031-6-3", &[]);
        check("a 3 de março", "0-3-3", &[]);
        check("il 3 giugno 2031", "2031-6-3", &[]);
        check("op 3 maart 2031", "2031-3-3", &[]);
        check("2031-05-07米娅", "2031-5-7", &[]);
        check("从2031年6月3日起", "2031-6-3", &[]);
        check("六月三日", "0-6-3", &[]);
        check("十二月二十五号", "0-12-25", &[]);
        check("2031年6月前", "", &[6]);
        check("三月", "", &[3]);
        check("antes de junio de 2031", "", &[6]);
        check("by June 2031", "", &[6]);
        check("3个月", "", &[]);
        check("im Juni 30 Euro", "", &[]);
        check("31 de febrero de 2031", "", &[]);
        check("13月", "", &[]);
        check("12 monkeys march", "", &[]);
    }
}
