//! Finds a time of day in a heading or at the beginning of a line: `14:05`, `2:45 PM`, `Deploy (21:15 UTC)`.
//!
//! An hour with one digit is read only with AM or PM, or at the beginning of the text, because other things are written in the
//! same way: `John 3:16` is not a time.

use jiff::civil::{DateTime, Time};
use jiff::tz::{Offset, TimeZone};
use jiff::{Timestamp, civil::Date};

use crate::kinds::texts::window;

/// Maximum number of bytes of a heading that are searched for a time. Text after them is not read.
const MAX_HEADING_LENGTH: usize = 512;

/// A time of day, with its zone if the text names one.
#[derive(Clone, Debug, PartialEq)]
pub struct Clock {
    time: Time,
    zone: Option<TimeZone>,
}

impl Clock {
    /// Returns the instant of this time on a day, in the zone of the text or else in `zone`. A local time that the zone skips
    /// is moved forward past the gap. Returns `None` if the instant is out of range.
    pub fn on(&self, day: Date, zone: &TimeZone) -> Option<Timestamp> {
        instant(DateTime::from_parts(day, self.time), self.zone.as_ref().unwrap_or(zone))
    }
}

/// Returns the instant of a local time: moved forward past the gap if the zone skips the time, the first instant if the time
/// occurs twice. Returns `None` if the instant is out of range.
pub fn instant(local: DateTime, zone: &TimeZone) -> Option<Timestamp> {
    zone.to_ambiguous_timestamp(local).compatible().ok()
}

/// Finds the first time of day in a text; `None` if the first [`MAX_HEADING_LENGTH`] bytes have none.
pub fn find(text: &str) -> Option<Clock> {
    let text = window(text, MAX_HEADING_LENGTH);
    text.match_indices(':').find_map(|(colon, _)| clock_at(text, colon)).map(|(clock, _)| clock)
}

/// Returns the time of day at the beginning of a text, and the text after it; `None` if the text does not begin with one.
pub fn leading(text: &str) -> Option<(Clock, &str)> {
    let colon = text.find(':').filter(|colon| *colon <= 2)?;
    let (clock, end) = clock_at(text, colon)?;
    Some((clock, &text[end..]))
}

/// Reads the time of day around a colon. Returns it with the position of its end, or `None` if there is none.
fn clock_at(text: &str, colon: usize) -> Option<(Clock, usize)> {
    let digits = text[..colon].bytes().rev().take_while(u8::is_ascii_digit).count();
    let start = colon - digits;
    if !(1..=2).contains(&digits)
        || text[..start].ends_with(|c: char| c.is_alphanumeric() || matches!(c, ':' | '.' | ','))
    {
        return None;
    }
    let hour: i8 = text[start..colon].parse().ok()?;
    let (minute, mut end) = two_digits(text, colon + 1)?;
    let mut second = 0;
    if let Some((found, behind)) = text[end..].strip_prefix(':').and_then(|_| two_digits(text, end + 1)) {
        (second, end) = (found, behind);
    }
    if text[end..].starts_with(|c: char| c.is_alphanumeric() && !matches!(c, 'a' | 'A' | 'p' | 'P' | 'Z')) {
        return None;
    }
    let (hour, end) = match half_of_day(&text[end..]) {
        Some((afternoon, length)) => (twelve_hours(hour, afternoon)?, end + length),
        None if digits == 1 && !text[..start].trim_matches(is_mark).is_empty() => return None,
        None => (hour, end),
    };
    let (zone, length) = zone(&text[end..]).map_or((None, 0), |(zone, length)| (Some(zone), length));
    Some((Clock { time: Time::new(hour, minute, second, 0).ok()?, zone }, end + length))
}

fn is_mark(c: char) -> bool {
    c.is_whitespace() || matches!(c, '[' | '(' | '*' | '_' | '@' | '#' | '-' | '–' | '—' | '`')
}

fn two_digits(text: &str, start: usize) -> Option<(i8, usize)> {
    let digits = text.get(start..start + 2).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))?;
    if text[start + 2..].starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    Some((digits.parse().ok()?, start + 2))
}

/// Returns whether the text begins with PM (`true`) or AM (`false`), and the length of this beginning; `None` for other texts.
fn half_of_day(text: &str) -> Option<(bool, usize)> {
    let blank = text.len() - text.trim_start().len();
    let word: String = text[blank..].chars().take_while(|c| c.is_ascii_alphabetic() || *c == '.').collect();
    match word.to_ascii_lowercase().replace('.', "").as_str() {
        "am" => Some((false, blank + word.len())),
        "pm" => Some((true, blank + word.len())),
        _ => None,
    }
}

/// Converts an hour from 1 to 12 to an hour from 0 to 23; `None` for other numbers.
pub fn twelve_hours(hour: i8, afternoon: bool) -> Option<i8> {
    (1..=12).contains(&hour).then_some(hour % 12 + if afternoon { 12 } else { 0 })
}

/// Reads a zone at the beginning of a text: `Z`, `UTC`, `GMT+2`, `UTC+05:30`, or an abbreviation of North America. Other
/// abbreviations are not read, because they mean different zones in different countries. Returns the zone with the length of
/// its text, or `None` if no such zone is there.
pub fn zone(text: &str) -> Option<(TimeZone, usize)> {
    let blank = text.len() - text.trim_start_matches(' ').len();
    let rest = &text[blank..];
    let word: String = rest.chars().take_while(char::is_ascii_alphabetic).collect();
    let hours = match word.as_str() {
        "Z" | "UTC" | "GMT" => {
            let (seconds, length) = offset(&rest[word.len()..]).unwrap_or((0, 0));
            let zone = TimeZone::fixed(Offset::from_seconds(seconds).ok()?);
            return Some((zone, blank + word.len() + length));
        }
        "HST" => -10,
        "AKST" => -9,
        "AKDT" | "PST" => -8,
        "PDT" | "MST" => -7,
        "MDT" | "CST" => -6,
        "CDT" | "EST" => -5,
        "EDT" => -4,
        _ => return None,
    };
    Some((TimeZone::fixed(Offset::from_hours(hours).ok()?), blank + word.len()))
}

/// Reads an offset: `+2`, `-03:30` or `+0530`. Returns the offset in seconds and the length of its text, or `None` if the text
/// does not begin with one.
fn offset(text: &str) -> Option<(i32, usize)> {
    let sign = match text.chars().next()? {
        '+' => 1,
        '-' => -1,
        _ => return None,
    };
    let digits: String = text[1..].chars().take_while(|c| c.is_ascii_digit() || *c == ':').collect();
    let bare = digits.replace(':', "");
    let (hours, minutes): (i32, i32) = match bare.len() {
        1 | 2 => (bare.parse().ok()?, 0),
        3 | 4 => {
            let (hours, minutes) = bare.split_at(bare.len() - 2);
            (hours.parse().ok()?, minutes.parse().ok()?)
        }
        _ => return None,
    };
    (hours <= 18 && minutes < 60).then_some((sign * (hours * 3600 + minutes * 60), 1 + digits.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expect: Option<&str>) {
        let day = jiff::civil::date(2026, 7, 2);
        let lisbon = TimeZone::get("Europe/Lisbon").unwrap();
        let found = find(text).and_then(|clock| clock.on(day, &lisbon)).map(|at| at.to_string());
        assert_eq!(found.as_deref(), expect, "{text}");
    }

    #[test]
    fn times_in_headings_are_found() {
        check("14:05", Some("2026-07-02T13:05:00Z"));
        check("8:10 Standup", Some("2026-07-02T07:10:00Z"));
        check("[14:30] Fix", Some("2026-07-02T13:30:00Z"));
        check("Job (b2f1) — 14:30", Some("2026-07-02T13:30:00Z"));
        check("14:30:59 - 15:00", Some("2026-07-02T13:30:59Z"));
        check("Call at 2:45 PM", Some("2026-07-02T13:45:00Z"));
        check("12:05 a.m.", Some("2026-07-01T23:05:00Z"));
    }

    #[test]
    fn zones_in_headings_are_used() {
        check("Deploy (21:15 UTC)", Some("2026-07-02T21:15:00Z"));
        check("21:15 GMT+5:30", Some("2026-07-02T15:45:00Z"));
        check("9:15 AM PST", Some("2026-07-02T17:15:00Z"));
        check("09:15Z", Some("2026-07-02T09:15:00Z"));
        check("21:15 Tea", Some("2026-07-02T20:15:00Z"));
    }

    #[test]
    fn other_numbers_are_no_times() {
        for text in [
            "John 3:16",
            "Ratio 16:9",
            "25:10",
            "12:60",
            "1:2:3",
            "a12:30",
            "12:345",
            "13:00 PM",
            "::",
            "",
            "é:30",
            "2.10:30",
        ] {
            check(text, None);
        }
    }

    #[test]
    fn leading_time_is_separated_from_the_text() {
        let rest = |text| leading(text).map(|(_, rest)| rest);
        assert_eq!(rest("14:20 Phoned"), Some(" Phoned"));
        assert_eq!(rest("Phoned at 14:20"), None);
    }
}
