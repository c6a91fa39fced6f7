//! Finds the day that a note is about in its path: `2026-03-09.md`, `2026_03_09.md`, `20260309.md`, `2026/03/09.md`, or a
//! format of moment.js as in the settings of Obsidian. A date with an unknown order of day and month is not read.

use annals_core::CalendarNames;
use jiff::civil::Date;

const NAMES: CalendarNames = CalendarNames::ENGLISH;

/// Returns the day in the name of a file, or in the name and the two folders above it (`2026/03/09`) if the name is only the
/// day of a month. Returns `None` if neither has a date. `path` has no extension.
pub fn of_path(path: &str) -> Option<Date> {
    let name = path.rsplit('/').next().unwrap_or(path);
    in_text(name).or_else(|| {
        let mut parts = path.rsplit('/');
        let (day, month, year) = (parts.next()?, parts.next()?, parts.next()?);
        let day = day.get(..2).filter(|_| day.len() == 2).or(Some(day)).filter(|day| day.len() <= 2)?;
        let month = month.split(['-', '_', ' ']).next()?;
        (year.len() == 4 && month.len() <= 2).then_some(())?;
        date(year, month, day)
    })
}

/// Returns the date in the eight digits at the beginning of a text. If it does not begin with exactly eight digits, returns the
/// first date in year-month-day order with separators. Returns `None` if there is none.
pub fn in_text(text: &str) -> Option<Date> {
    let compact = text.get(..8).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
    let ends = !text.get(8..).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    if let Some(digits) = compact.filter(|_| ends) {
        return date(&digits[..4], &digits[4..6], &digits[6..]);
    }
    text.match_indices(['-', '_', '.']).find_map(|(at, _)| with_separator(text, at))
}

/// Reads a date in year-month-day order that has its first separator at this position; `None` if there is none.
fn with_separator(text: &str, at: usize) -> Option<Date> {
    let separator = text[at..].chars().next()?;
    let year = text.get(at.checked_sub(4)?..at)?;
    if text[..at - 4].ends_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let (month, rest) = text[at + 1..].split_once(separator)?;
    let length = rest.bytes().take_while(u8::is_ascii_digit).count();
    (month.len() <= 2 && (1..=2).contains(&length)).then(|| date(year, month, &rest[..length]))?
}

fn date(year: &str, month: &str, day: &str) -> Option<Date> {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if ![year, month, day].into_iter().all(is_number) {
        return None;
    }
    Date::new(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?).ok()
}

/// Returns the day in a path that was written with a format of moment.js; `None` if the path differs from the format, or if
/// the format has no day. Names of days and months are English.
pub fn by_format(path: &str, format: &str) -> Option<Date> {
    let (mut rest, mut format) = (path, format);
    let (mut year, mut month, mut day, mut of_year) = (None, None, None, None);
    while !format.is_empty() {
        let (token, behind) = next_token(format);
        format = behind;
        match token {
            "YYYY" | "GGGG" | "gggg" => year = Some(number(&mut rest, 4, 4)?),
            "YY" => year = Some(2000 + number(&mut rest, 2, 2)?),
            "MMMM" => month = Some(name(&mut rest, &NAMES.months, usize::MAX)?),
            "MMM" => month = Some(name(&mut rest, &NAMES.months, 3)?),
            "MM" => month = Some(number(&mut rest, 2, 2)?),
            "M" => month = Some(number(&mut rest, 1, 2)?),
            "DDDD" => of_year = Some(number(&mut rest, 3, 3)?),
            "DDD" => of_year = Some(number(&mut rest, 1, 3)?),
            "DD" => day = Some(number(&mut rest, 2, 2)?),
            "D" => day = Some(number(&mut rest, 1, 2)?),
            "Do" => {
                day = Some(number(&mut rest, 1, 2)?);
                rest = ["st", "nd", "rd", "th"].iter().find_map(|suffix| rest.strip_prefix(suffix))?;
            }
            "dddd" => _ = name(&mut rest, &NAMES.weekdays, usize::MAX)?,
            "ddd" => _ = name(&mut rest, &NAMES.weekdays, 3)?,
            "dd" => _ = name(&mut rest, &NAMES.weekdays, 2)?,
            "WW" | "ww" | "HH" | "mm" | "ss" => _ = number(&mut rest, 2, 2)?,
            "W" | "w" | "Q" | "d" | "E" | "e" | "H" => _ = number(&mut rest, 1, 2)?,
            literal => rest = rest.strip_prefix(literal.trim_matches(['[', ']']))?,
        }
    }
    let year = i16::try_from(year?).ok().filter(|_| rest.is_empty())?;
    match of_year {
        Some(count) => Date::new(year, 1, 1).ok()?.checked_add(jiff::Span::new().days(count - 1)).ok(),
        None => Date::new(year, i8::try_from(month?).ok()?, i8::try_from(day?).ok()?).ok(),
    }
}

/// Returns the first part of a format and the rest. The part is `[literal text]`, a token such as `YYYY`, or else one
/// character.
fn next_token(format: &str) -> (&str, &str) {
    const TOKENS: [&str; 29] = [
        "YYYY", "GGGG", "gggg", "YY", "MMMM", "MMM", "MM", "M", "DDDD", "DDD", "DD", "Do", "D", "dddd", "ddd", "dd",
        "d", "WW", "ww", "W", "w", "HH", "H", "mm", "ss", "Q", "E", "e", "YYY",
    ];
    let bracket = format.starts_with('[').then(|| format.find(']')).flatten().map(|end| end + 1);
    let token = TOKENS.iter().find(|token| format.starts_with(**token)).map(|token| token.len());
    let first = format.chars().next().map_or(0, char::len_utf8);
    format.split_at(bracket.or(token).unwrap_or(first))
}

fn number(rest: &mut &str, least: usize, most: usize) -> Option<i64> {
    let length = rest.bytes().take(most).take_while(u8::is_ascii_digit).count();
    let (digits, behind) = rest.split_at(length);
    *rest = behind;
    (length >= least).then(|| digits.parse().ok())?
}

/// Removes a name from the beginning of a text, compared by the first `length` letters without case. Returns the position of
/// the name in the list, counted from 1; `None` if the text begins with none of the names.
fn name(rest: &mut &str, names: &[&str], length: usize) -> Option<i64> {
    let found = names.iter().zip(1..).find_map(|(name, number)| {
        let short = &name[..length.min(name.len())];
        let start = rest.get(..short.len())?;
        start.eq_ignore_ascii_case(short).then_some((number, short.len()))
    });
    let (number, length) = found?;
    *rest = &rest[length..];
    Some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(found: Option<Date>, expect: &str) {
        assert_eq!(found.map(|day| day.to_string()).unwrap_or_default(), expect);
    }

    #[test]
    fn dates_in_paths_are_found() {
        check(of_path("memory/2026-03-09"), "2026-03-09");
        check(of_path("2026-03-09-radio-repair"), "2026-03-09");
        check(of_path("journals/2026_03_09"), "2026-03-09");
        check(of_path("20260309"), "2026-03-09");
        check(of_path("20260309 Monday"), "2026-03-09");
        check(of_path("Meeting 2026.3.9"), "2026-03-09");
        check(of_path("2026/03/09"), "2026-03-09");
        check(of_path("diary/2026/03-March/09"), "2026-03-09");
    }

    #[test]
    fn other_paths_have_no_date() {
        for path in [
            "2026-W18",
            "12.03.2026",
            "2026-02-30",
            "2026-13-40",
            "ideas",
            "202603091",
            "12026-03-09",
            "03/09",
            "2026-03",
            "é-é-é",
            "",
        ] {
            check(of_path(path), "");
        }
    }

    #[test]
    fn formats_of_moment_are_read() {
        check(by_format("2026/03/2026-03-09", "YYYY/MM/YYYY-MM-DD"), "2026-03-09");
        check(by_format("Tuesday, March 3rd 2026", "dddd, MMMM Do YYYY"), "2026-03-03");
        check(by_format("day 3 of mar 26", "[day] D [of] MMM YY"), "2026-03-03");
        check(by_format("2026-068", "YYYY-DDDD"), "2026-03-09");
        check(by_format("2026-03-09-Mon-W11", "YYYY-MM-DD-ddd-[W]WW"), "2026-03-09");
    }

    #[test]
    fn other_formats_have_no_date() {
        for (path, format) in [
            ("Wensday, March 4th 2026", "dddd, MMMM Do YYYY"),
            ("2026-03-09", "YYYY-MM"),
            ("2026-03-09 x", "YYYY-MM-DD"),
            ("2026-02-30", "YYYY-MM-DD"),
            ("", "YYYY-MM-DD"),
            ("2026-03-09", "["),
            ("2026-000", "YYYY-DDDD"),
        ] {
            assert!(by_format(path, format).is_none_or(|day| day.year() == 2025), "{path} {format}");
        }
    }
}
