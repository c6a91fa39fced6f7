//! Times that a question speaks of, in English: "last week", "in March 2024", "on Friday", "2026-Q1". Pure.
//!
//! They only raise what was said then, and say which grain may answer: most answers are said on another day than the day they
//! are about, so what is understood here must never hide anything. A month or day without a year is the last one that has begun.

use annals_core::{Date, DateRange, Grain, Period, Said};
use interim::{Dialect, parse_date_string};
use jiff::tz::TimeZone;
use jiff::{ToSpan, Unit};

/// The most words of one time: "on the 3rd of March 2024" less what is skipped.
const LONGEST: usize = 4;
const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
const WEEKDAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
/// What stands before "march" and "may" where they are months.
const BEFORE_MONTHS: [&str; 9] = ["in", "of", "since", "during", "last", "until", "by", "this", "from"];

/// The times in a question that is asked on `today`, in their order; longer ones hide those inside them.
pub(crate) fn said(text: &str, today: Date) -> Vec<Said> {
    let words: Vec<&str> = text.split_whitespace().map(bare).collect();
    let mut found = Vec::new();
    let mut start = 0;
    while start < words.len() {
        let lengths = (1..=LONGEST.min(words.len() - start)).rev();
        let before = start.checked_sub(1).map(|place| words[place].to_lowercase()).unwrap_or_default();
        let time = lengths.into_iter().find_map(|length| {
            let phrase = words[start..start + length].join(" ");
            let (from, to) = days(&phrase.to_lowercase(), &before, today)?;
            Some((length, Said { words: phrase, days: DateRange { from: Some(from), to: Some(to) } }))
        });
        start += time.as_ref().map_or(1, |(length, _)| *length);
        found.extend(time.map(|(_, said)| said));
    }
    found
}

fn bare(word: &str) -> &str {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    word.strip_suffix("'s").or_else(|| word.strip_suffix('’')).unwrap_or(word)
}

/// First and last day of a phrase in lower case that stands behind a word.
fn days(phrase: &str, before: &str, today: Date) -> Option<(Date, Date)> {
    let words: Vec<&str> = phrase.split(' ').collect();
    match words[..] {
        ["today"] => Some((today, today)),
        ["yesterday"] => one(today.yesterday().ok()?),
        [which, unit] if ["last", "this", "past", "previous"].contains(&which) => relative(which, unit, today),
        [month, year] if is_year(year) => of(Grain::Monthly, Date::new(year.parse().ok()?, month_of(month)?, 1).ok()?),
        [month] if month_of(month).is_some() => {
            let sure = !["march", "may"].contains(&month) || BEFORE_MONTHS.contains(&before);
            if sure { latest_month(month_of(month)?, today) } else { None }
        }
        [label] => label_of(label),
        _ => point(phrase, &words, today),
    }
    .or_else(|| if words.len() > 1 { point(phrase, &words, today) } else { None })
}

fn one(day: Date) -> Option<(Date, Date)> {
    Some((day, day))
}

/// The days of the week, month, quarter or year that a day lies in: what people mean by a month, not the weeks that are summed
/// up in it.
fn of(grain: Grain, day: Date) -> Option<(Date, Date)> {
    let (year, month) = (day.year(), day.month());
    let label = match grain {
        Grain::Weekly => Period::of(grain, day).to_string(),
        Grain::Monthly => format!("{year:04}-{month:02}"),
        Grain::Quarterly => format!("{year:04}-Q{}", (month + 2) / 3),
        _ => format!("{year:04}"),
    };
    label_days(&label)
}

fn label_days(label: &str) -> Option<(Date, Date)> {
    let period: Period = label.parse().ok()?;
    Some((period.first_day(), period.last_day()))
}

fn relative(which: &str, unit: &str, today: Date) -> Option<(Date, Date)> {
    if let Some(weekday) = WEEKDAYS.iter().position(|name| *name == unit) {
        let since = (i64::from(today.weekday().to_monday_zero_offset()) - i64::try_from(weekday).ok()?).rem_euclid(7);
        let since = if since == 0 && which != "this" { 7 } else { since };
        return one(today.checked_sub(since.days()).ok()?);
    }
    let back = i64::from(which != "this");
    match unit {
        "week" => {
            let day = today.checked_sub((7 * back).days()).ok()?;
            of(Grain::Weekly, day)
        }
        "weekend" => {
            let (monday, _) = of(Grain::Weekly, today)?;
            let saturday = monday.checked_add((5 - 7 * back).days()).ok()?;
            Some((saturday, saturday.tomorrow().ok()?))
        }
        "month" => of(Grain::Monthly, today.first_of_month().checked_sub(back.months()).ok()?),
        "quarter" => of(Grain::Quarterly, today.first_of_month().checked_sub((3 * back).months()).ok()?),
        "year" => of(Grain::Yearly, today.first_of_month().checked_sub(back.years()).ok()?),
        _ => latest_month(month_of(unit)?, today),
    }
}

fn month_of(word: &str) -> Option<i8> {
    let place =
        MONTHS.iter().position(|name| *name == word || (word.len() == 3 && word != "may" && name.starts_with(word)));
    place.and_then(|place| i8::try_from(place + 1).ok())
}

fn latest_month(month: i8, today: Date) -> Option<(Date, Date)> {
    let year = if month > today.month() { today.year() - 1 } else { today.year() };
    of(Grain::Monthly, Date::new(year, month, 1).ok()?)
}

fn is_year(word: &str) -> bool {
    word.len() == 4
        && (word.starts_with("19") || word.starts_with("20"))
        && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// A year, or a label with a hyphen.
fn label_of(word: &str) -> Option<(Date, Date)> {
    if !is_year(word) && !word.contains('-') {
        return None;
    }
    label_days(&word.to_uppercase())
}

/// A single day, or about as long as the unit is: "3 March 2024", "May 3rd", "2 weeks ago".
fn point(phrase: &str, words: &[&str], today: Date) -> Option<(Date, Date)> {
    let is_ago = words.last() == Some(&"ago");
    let is_date =
        words.iter().any(|word| month_of(word).is_some()) && words.iter().any(|word| day_number(word).is_some());
    if (!is_ago && !is_date) || words[0] == "the" || words[0] == "of" {
        return None;
    }
    let plain: Vec<String> = words
        .iter()
        .filter(|word| **word != "of" && **word != "the")
        .map(|word| day_number(word).map_or_else(|| (*word).to_owned(), |day| day.to_string()))
        .collect();
    let now = today.at(12, 0, 0, 0).to_zoned(TimeZone::UTC).ok()?;
    let day = parse_date_string(&plain.join(" "), now, Dialect::Uk).ok()?.date();
    let day =
        if day > today && !words.iter().any(|word| is_year(word)) { day.checked_sub(1.year()).ok()? } else { day };
    match words {
        [_, unit, "ago"] if unit.starts_with("week") => of(Grain::Weekly, day),
        [_, unit, "ago"] if unit.starts_with("month") => of(Grain::Monthly, day),
        [_, unit, "ago"] if unit.starts_with("year") => of(Grain::Yearly, day),
        [_, unit, "ago"] if !unit.starts_with("day") => None,
        _ if phrase.contains(':') => None,
        _ => one(day),
    }
}

/// 1 to 31, as in "3" and "3rd".
fn day_number(word: &str) -> Option<u8> {
    let digits = word.trim_end_matches(|c: char| c.is_ascii_lowercase());
    let ending = &word[digits.len()..];
    let is_one = ["", "st", "nd", "rd", "th"].contains(&ending);
    digits.parse().ok().filter(|day| is_one && (1..=31).contains(day))
}

/// How many days lie in a range that has both ends.
pub(crate) fn length(days: DateRange) -> Option<i64> {
    let span = days.from?.until((Unit::Day, days.to?)).ok()?;
    Some(i64::from(span.get_days()) + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asked on Wednesday, 2026-03-04; expects `words=from..to`.
    #[track_caller]
    fn check(text: &str, expect: &[&str]) {
        let found = said(text, "2026-03-04".parse().unwrap());
        let shown: Vec<String> = found
            .iter()
            .map(|said| format!("{}={}..{}", said.words, said.days.from.unwrap(), said.days.to.unwrap()))
            .collect();
        assert_eq!(shown, expect, "{text:?}");
    }

    #[test]
    fn days_and_weeks() {
        check("what did Ann say yesterday?", &["yesterday=2026-03-03..2026-03-03"]);
        check(
            "last week, or last Friday?",
            &["last week=2026-02-23..2026-03-01", "last Friday=2026-02-27..2026-02-27"],
        );
        check("this Wednesday", &["this Wednesday=2026-03-04..2026-03-04"]);
        check("last weekend", &["last weekend=2026-02-28..2026-03-01"]);
        check("2 weeks ago", &["2 weeks ago=2026-02-16..2026-02-22"]);
        check("3 days ago", &["3 days ago=2026-03-01..2026-03-01"]);
    }

    #[test]
    fn months_and_years() {
        check("in May 2024", &["May 2024=2024-05-01..2024-05-31"]);
        check("in may and in March", &["may=2025-05-01..2025-05-31", "March=2026-03-01..2026-03-31"]);
        check("in June's heat", &["June=2025-06-01..2025-06-30"]);
        check("May I march?", &[]);
        check("last year and 2019", &["last year=2025-01-01..2025-12-31", "2019=2019-01-01..2019-12-31"]);
        check("last quarter", &["last quarter=2025-10-01..2025-12-31"]);
        check("2026-Q1 or 2026-w10", &["2026-Q1=2026-01-01..2026-03-31", "2026-w10=2026-03-02..2026-03-08"]);
    }

    #[test]
    fn dates() {
        check("on 3 May 2024", &["3 May 2024=2024-05-03..2024-05-03"]);
        check("on May 3rd", &["May 3rd=2025-05-03..2025-05-03"]);
        check("the 3rd of March", &["3rd of March=2026-03-03..2026-03-03"]);
        check("on 2026-01-31", &["2026-01-31=2026-01-31..2026-01-31"]);
    }

    #[test]
    fn what_is_no_time() {
        check("", &[]);
        check("the second of five, 12 sat in 3019", &[]);
        check("last of the 10 boats ago", &[]);
        check("2026-13-45", &[]);
    }

    #[test]
    fn lengths() {
        let range = |from: &str, to: &str| DateRange { from: from.parse().ok(), to: to.parse().ok() };
        assert_eq!(length(range("2026-03-04", "2026-03-04")), Some(1));
        assert_eq!(length(range("2025-01-01", "2025-12-31")), Some(365));
        assert_eq!(length(DateRange::default()), None);
    }
}
