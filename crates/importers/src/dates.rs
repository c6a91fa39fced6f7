//! Times as exports write them. A time that cannot be read is `None`; it is never replaced by the present time.
//!
//! Instants are rounded to the millisecond, so that an export with seconds as floating-point numbers and an export with ISO
//! texts give a message the same time.

use annals_core::{Message, Period, Timestamp, retry};
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, TimestampRound, Unit};
use serde_json::Value;

/// Numbers above this are read as milliseconds, up to [`MICROSECONDS`]. As seconds they would lie after the year 5100.
const MILLISECONDS: f64 = 1e11;
/// Numbers above this are read as microseconds.
const MICROSECONDS: f64 = 1e14;

/// Returns the instant of a JSON number of seconds, milliseconds or microseconds, or of a string. Returns `None` for zero,
/// negative numbers, texts that are no time, values of other types and years that stores refuse.
pub fn of_json(value: &Value, zone: &TimeZone) -> Option<Timestamp> {
    match value {
        Value::Number(number) => of_number(number.as_f64()?),
        Value::String(text) => of_text(text, zone),
        _ => None,
    }
}

/// Returns the instant of a number of seconds, milliseconds or microseconds since 1970; `None` for zero, negative numbers and
/// years that stores refuse.
pub fn of_number(number: f64) -> Option<Timestamp> {
    if !number.is_finite() || number <= 0.0 {
        return None;
    }
    let milliseconds = match number {
        _ if number > MICROSECONDS => number / 1000.0,
        _ if number > MILLISECONDS => number,
        _ => number * 1000.0,
    };
    // Larger numbers lie after the year 9999; the cast saturates.
    Timestamp::from_millisecond(milliseconds.round() as i64).ok().and_then(storable)
}

/// Returns the instant of an ISO 8601 text or of a number written as text. A text without an offset is local time in `zone`.
/// Returns `None` for other texts and for years that stores refuse.
pub fn of_text(text: &str, zone: &TimeZone) -> Option<Timestamp> {
    let text = text.trim();
    if let Ok(number) = text.parse::<f64>() {
        return of_number(number);
    }
    let exact = text.parse::<Timestamp>().ok().or_else(|| {
        let local: DateTime = text.parse().ok()?;
        local.to_zoned(zone.clone()).ok().map(|zoned| zoned.timestamp())
    })?;
    storable(exact)
}

/// Returns an instant rounded to the millisecond, or `None` if stores refuse its year.
pub fn storable(at: Timestamp) -> Option<Timestamp> {
    at.round(TimestampRound::new().smallest(Unit::Millisecond)).ok().filter(|rounded| Period::is_in_years(*rounded))
}

/// Returns whether an instant is later than `now` by more than [`Message::MAX_AHEAD`].
pub fn is_ahead(at: Timestamp, now: Timestamp) -> bool {
    at > retry::later(now, Message::MAX_AHEAD)
}

/// Returns an instant `count` milliseconds later, for an undated message after a dated one; the same instant if the later one
/// is out of range.
pub fn later(at: Timestamp, count: i64) -> Timestamp {
    at.saturating_add(SignedDuration::from_millis(count)).unwrap_or(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(value: &str, expect: Option<&str>) {
        let zone = TimeZone::get("Europe/Berlin").unwrap();
        let found = of_json(&serde_json::from_str(value).unwrap(), &zone);
        assert_eq!(found, expect.map(|text| text.parse().unwrap()), "{value}");
    }

    #[test]
    fn times_are_read_as_exports_write_them() {
        check("1700000000", Some("2023-11-14T22:13:20Z"));
        check("1700000000.1234567", Some("2023-11-14T22:13:20.123Z"));
        check("1700000000.9999", Some("2023-11-14T22:13:21Z"));
        check("1700000000123", Some("2023-11-14T22:13:20.123Z"));
        check("1700000000123456", Some("2023-11-14T22:13:20.123Z"));
        check("\"1700000000.5\"", Some("2023-11-14T22:13:20.5Z"));
        check("\"2023-11-14T22:13:20.123456Z\"", Some("2023-11-14T22:13:20.123Z"));
        check("\"2023-11-14T22:13:20+00:00\"", Some("2023-11-14T22:13:20Z"));
        check("\"2023-11-14T23:13:20\"", Some("2023-11-14T22:13:20Z"));
        check("\"2023-11-14 23:13:20\"", Some("2023-11-14T22:13:20Z"));
    }

    #[test]
    fn other_values_are_no_times() {
        for value in
            ["null", "0", "-5", "1e300", "\"\"", "\"soon\"", "true", "[]", "\"9999-12-31T00:00:00Z\"", "\"NaN\""]
        {
            check(value, None);
        }
    }
}
