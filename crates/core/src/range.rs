//! Extents of time: exact intervals between instants, and ranges of civil dates that a person requests.

use serde::{Deserialize, Serialize};

use crate::{Date, Timestamp};

/// A half-open interval: from `start`, up to and excluding `end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Interval {
    /// The first instant inside the interval.
    pub start: Timestamp,
    /// The first instant after the interval.
    pub end: Timestamp,
}

impl Interval {
    /// All of representable time.
    pub const ALWAYS: Interval = Interval { start: Timestamp::MIN, end: Timestamp::MAX };

    /// Returns whether the instant lies inside.
    pub fn contains(&self, at: Timestamp) -> bool {
        self.start <= at && at < self.end
    }

    /// Returns whether the two intervals share an instant.
    pub fn overlaps(&self, other: &Interval) -> bool {
        self.start < other.end && other.start < self.end && !self.is_empty() && !other.is_empty()
    }

    /// Returns whether no instant lies inside, as for a day that a zone skipped.
    pub fn is_empty(&self) -> bool {
        self.start >= self.end
    }
}

/// A range of civil days, both ends inclusive. An end that is `None` is open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct DateRange {
    /// The first day inside.
    pub from: Option<Date>,
    /// The last day inside.
    pub to: Option<Date>,
}

impl DateRange {
    /// Returns whether the day lies inside.
    pub fn contains(&self, day: Date) -> bool {
        self.from.is_none_or(|from| from <= day) && self.to.is_none_or(|to| day <= to)
    }

    /// Returns how many days of `first..=last` lie outside.
    pub fn days_outside(&self, first: Date, last: Date) -> i64 {
        let before = self.from.map_or(0, |from| days_between(first, from.min(next_day(last))));
        let after = self.to.map_or(0, |to| days_between(to.max(previous_day(first)), last));
        before.max(0) + after.max(0)
    }
}

/// Formats one day, or the first and the last of several: `2026-03-04`, `2026-03-04 to 2026-03-09`.
pub fn days_text((first, last): (Date, Date)) -> String {
    if first == last { first.to_string() } else { format!("{first} to {last}") }
}

fn days_between(from: Date, to: Date) -> i64 {
    from.duration_until(to).as_hours() / 24
}

fn next_day(day: Date) -> Date {
    day.tomorrow().unwrap_or(day)
}

fn previous_day(day: Date) -> Date {
    day.yesterday().unwrap_or(day)
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    #[test]
    fn counts_days_outside() {
        fn check(from: Option<i8>, to: Option<i8>, expect: i64) {
            let day = |day| date(2026, 3, day);
            let range = DateRange { from: from.map(day), to: to.map(day) };
            assert_eq!(range.days_outside(day(9), day(15)), expect, "{from:?}..={to:?}");
        }
        check(None, None, 0);
        check(Some(9), Some(15), 0);
        check(Some(10), Some(14), 2);
        check(Some(12), None, 3);
        check(None, Some(9), 6);
        check(Some(20), Some(25), 7);
        check(Some(1), Some(2), 7);
    }

    /// Compares with counting, for all short ranges and extents.
    #[test]
    fn days_outside_equals_counted_days() {
        let day = |day| date(2026, 3, day);
        let ends = || std::iter::once(None).chain((1..=8).map(Some));
        for (from, to) in ends().flat_map(|from| ends().map(move |to| (from, to))) {
            if from.zip(to).is_some_and(|(from, to)| from > to) {
                continue;
            }
            let range = DateRange { from: from.map(day), to: to.map(day) };
            for (first, last) in (1..=8).flat_map(|first| (first..=8).map(move |last| (first, last))) {
                let counted = (first..=last).filter(|inside| !range.contains(day(*inside))).count();
                let outside = range.days_outside(day(first), day(last));
                assert_eq!(outside, i64::try_from(counted).unwrap(), "{first}..={last} of {range:?}");
            }
        }
    }

    #[test]
    fn days_outside_is_correct_at_calendar_limits() {
        let check = |from, to, expect| {
            let range = DateRange { from, to };
            assert_eq!(range.days_outside(Date::MAX.yesterday().unwrap(), Date::MAX), expect, "{range:?}");
        };
        check(Some(Date::MAX), None, 1);
        check(None, Some(Date::MIN), 2);
        check(Some(Date::MIN), Some(Date::MAX), 0);
    }

    /// Compares with checking each instant, for all short intervals, including empty and inverted ones.
    #[test]
    fn intervals_overlap_if_they_share_an_instant() {
        let at = |number| Timestamp::from_microsecond(number).unwrap();
        let all: Vec<_> = (0..25).map(|number| Interval { start: at(number / 5), end: at(number % 5) }).collect();
        for one in &all {
            let instants: Vec<_> = (0..5).map(at).filter(|instant| one.contains(*instant)).collect();
            assert_eq!(one.is_empty(), instants.is_empty(), "{one:?}");
            for other in &all {
                let shared = instants.iter().any(|instant| other.contains(*instant));
                assert_eq!(one.overlaps(other), shared, "{one:?} and {other:?}");
            }
        }
    }
}
