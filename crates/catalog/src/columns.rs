//! Converts core values to columns and back. A value that cannot be read back is damage.

use std::fmt::Display;
use std::str::FromStr;

use crate::db::{Error, Failure, Result, Row};
use annals_core::{Digest, Grain, Interval, Timestamp};

/// Converts an instant to microseconds, rounded down. Between [`bounds`] lie exactly the stored instants of the original
/// interval.
pub(crate) fn micros(at: Timestamp) -> i64 {
    rounded_down(at.as_nanosecond())
}

/// Converts an interval to microsecond bounds: the start rounded down, the exclusive end rounded up. They overlap the
/// same memories as the exact bounds do.
pub(crate) fn bounds(interval: &Interval) -> (i64, i64) {
    (micros(interval.start), rounded_down(interval.end.as_nanosecond() + 999))
}

fn rounded_down(nanoseconds: i128) -> i64 {
    i64::try_from(nanoseconds.div_euclid(1000)).expect("every timestamp fits in 58 bits of microseconds")
}

/// Converts an unsigned number; more than 63 bits becomes the maximum, which is above all stored numbers.
pub(crate) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

pub(crate) fn grain_number(grain: Grain) -> i64 {
    grain as i64
}

pub(crate) fn instant(row: &Row, column: &str) -> Result<Timestamp> {
    Timestamp::from_microsecond(row.get(column)?).map_err(|error| unreadable(column, "Integer", error))
}

/// Reads an instant that may be NULL.
pub(crate) fn maybe_instant(row: &Row, column: &str) -> Result<Option<Timestamp>> {
    let micros: Option<i64> = row.get(column)?;
    micros.map(|_| instant(row, column)).transpose()
}

pub(crate) fn interval(row: &Row) -> Result<Interval> {
    Ok(Interval { start: instant(row, "cover_start")?, end: instant(row, "cover_end")? })
}

pub(crate) fn number<N: TryFrom<i64>>(row: &Row, column: &str) -> Result<N> {
    let number: i64 = row.get(column)?;
    N::try_from(number).map_err(|_| unreadable(column, "Integer", format!("{number} is out of range")))
}

pub(crate) fn grain(row: &Row) -> Result<Grain> {
    let index: usize = number(row, "grain")?;
    Grain::ALL.get(index).copied().ok_or_else(|| unreadable("grain", "Integer", "is not a known grain"))
}

/// Converts a core value to the JSON of a column.
pub(crate) fn to_json<T: serde::Serialize + ?Sized>(value: &T) -> String {
    serde_json::to_string(value).expect("what is stored so is strings, numbers and maps by strings")
}

/// Parses a text column, such as a period or role.
pub(crate) fn word<T: FromStr<Err = annals_core::Error>>(row: &Row, column: &str) -> Result<T> {
    row.text(column)?.parse().map_err(|error| unreadable(column, "Text", error))
}

pub(crate) fn digest(row: &Row, column: &str) -> Result<Option<Digest>> {
    Ok(row.get::<Option<[u8; 32]>>(column)?.map(Digest))
}

pub(crate) fn json<T: serde::de::DeserializeOwned>(row: &Row, column: &str) -> Result<T> {
    // Report only the position: the parser's own message may quote the content.
    let unread = |error: serde_json::Error| format!("is not valid JSON of this column, at byte {}", error.column());
    serde_json::from_str(row.text(column)?).map_err(|error| unreadable(column, "Text", unread(error)))
}

/// Parses a column of JSON that may be NULL.
pub(crate) fn maybe_json<T: serde::de::DeserializeOwned>(row: &Row, column: &str) -> Result<Option<T>> {
    let text: Option<String> = row.get(column)?;
    text.map(|_| json(row, column)).transpose()
}

/// Returns the error for a value that cannot be read from its column. `kind` names the type of the stored value.
pub(crate) fn unreadable(column: &str, kind: &str, why: impl Display) -> Failure {
    Error::damage(format!("Conversion error from type {kind} at index: 0, {column}: {why}")).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_round_down_on_both_sides_of_the_epoch() {
        fn check(nanoseconds: i128, expect: i64) {
            assert_eq!(micros(Timestamp::from_nanosecond(nanoseconds).unwrap()), expect, "{nanoseconds}");
        }
        check(0, 0);
        check(1999, 1);
        check(-1, -1);
        check(-1000, -1);
        check(-1001, -2);
    }

    #[test]
    fn bounds_include_partly_covered_microseconds() {
        fn check(start: i128, end: i128, expect: (i64, i64)) {
            let at = |nanoseconds| Timestamp::from_nanosecond(nanoseconds).unwrap();
            assert_eq!(bounds(&Interval { start: at(start), end: at(end) }), expect, "{start}..{end}");
        }
        check(1000, 2000, (1, 2));
        check(1999, 2001, (1, 3));
        check(-1999, -1, (-2, 0));
        let (start, end) = bounds(&Interval::ALWAYS);
        assert_eq!((start, end), (micros(Timestamp::MIN), micros(Timestamp::MAX) + 1));
    }
}
