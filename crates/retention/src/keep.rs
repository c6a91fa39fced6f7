//! How long something is kept: `48h`, `30d`, `6w`, `6mo`, `4q`, `2y`, `forever`.
//!
//! Hours are exact. Days and longer units follow the calendar of the agent's zone: half a year from 1 March ends on 1
//! September, however many hours that is.

use std::fmt;
use std::str::FromStr;

use annals_core::{Date, Error, Result, SignedDuration, Timestamp, Zones, latest_day};
use jiff::{Span, ToSpan};

/// How long the memories of a grain are kept after the end of their cover.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// Memories are never pruned.
    Forever,
    /// Memories may be pruned from this many units after the end of their cover.
    For(u16, Unit),
}

/// A unit of time, with its suffix in a plan file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Hours, written `h`.
    Hours,
    /// Days, written `d`.
    Days,
    /// Weeks, written `w`.
    Weeks,
    /// Months, written `mo`.
    Months,
    /// Quarters of three months, written `q`.
    Quarters,
    /// Years, written `y`.
    Years,
}

impl Unit {
    const ALL: [Unit; 6] = [Unit::Hours, Unit::Days, Unit::Weeks, Unit::Months, Unit::Quarters, Unit::Years];

    fn as_str(self) -> &'static str {
        ["h", "d", "w", "mo", "q", "y"][self as usize]
    }

    fn span(self, count: u16) -> Span {
        let count = i64::from(count);
        match self {
            Unit::Hours => count.hours(),
            Unit::Days => count.days(),
            Unit::Weeks => count.weeks(),
            Unit::Months => count.months(),
            Unit::Quarters => (3 * count).months(),
            // A span refuses more years than the calendar has. The end of 9,999 years is never reached either.
            Unit::Years => count.min(9_999).years(),
        }
    }
}

impl Keep {
    /// Returns whether something that covers days up to `last_day` is past this duration at `now`.
    pub fn is_past(self, last_day: Date, zones: &Zones, now: Timestamp) -> bool {
        self.ends(last_day, zones).is_some_and(|end| end <= now)
    }

    /// Returns a day such that no later day is past this duration at `now`, in any time zone. Days up to it may be past the
    /// duration, but need not be. Returns `None` if no day can be past it.
    pub(crate) fn last_day_past(self, now: Timestamp) -> Option<Date> {
        match self {
            Keep::Forever => None,
            Keep::For(count, Unit::Hours) => {
                Some(latest_day(now.checked_sub(SignedDuration::from_hours(i64::from(count))).ok()?))
            }
            // Lengths of months differ by up to three days.
            Keep::For(count, unit) => latest_day(now).checked_sub(unit.span(count)).ok()?.checked_add(3.days()).ok(),
        }
    }

    /// Returns the instant from which it is no longer kept. `None` for `Forever`, and if that instant is beyond the end of
    /// the calendar.
    fn ends(self, last_day: Date, zones: &Zones) -> Option<Timestamp> {
        match self {
            Keep::Forever => None,
            Keep::For(count, Unit::Hours) => {
                let over = zones.day_interval(last_day).end;
                over.checked_add(SignedDuration::from_hours(i64::from(count))).ok()
            }
            Keep::For(count, unit) => {
                let first = last_day.tomorrow().ok()?.checked_add(unit.span(count)).ok()?;
                Some(zones.day_interval(first).start)
            }
        }
    }
}

impl fmt::Display for Keep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Keep::Forever => f.pad("forever"),
            Keep::For(count, unit) => f.pad(&format!("{count}{}", unit.as_str())),
        }
    }
}

impl FromStr for Keep {
    type Err = Error;

    fn from_str(text: &str) -> Result<Keep> {
        if text == "forever" {
            return Ok(Keep::Forever);
        }
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let (count, unit) = text.split_at(digits);
        let unit = Unit::ALL.into_iter().find(|known| known.as_str() == unit);
        count.parse().ok().zip(unit).map(|(count, unit)| Keep::For(count, unit)).ok_or_else(|| {
            Error::invalid(
                "duration",
                format!("is {text:?}; expected a duration such as 48h, 30d, 6w, 6mo, 4q or 2y, or forever"),
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use annals_testkit::Dice;

    use super::*;

    #[test]
    fn valid_durations_round_trip_and_others_are_refused() {
        for text in ["forever", "0h", "48h", "30d", "6w", "6mo", "4q", "2y", "65535y"] {
            assert_eq!(text.parse::<Keep>().unwrap().to_string(), text);
        }
        for text in ["", "h", "48", "-1d", "+1d", "1.5d", "6 w", "6m", "6W", "65536d", "1d2h", "Forever", "४d"] {
            assert!(text.parse::<Keep>().is_err(), "{text}");
        }
    }

    /// Checks that something that covers days up to `last` is past `keep` from `expect` on, and not a microsecond earlier.
    #[track_caller]
    fn check(keep: &str, zone: &str, last: &str, expect: &str) {
        let (keep, zones): (Keep, _) = (keep.parse().unwrap(), Zones::new(zone).unwrap());
        let (last, expect): (Date, Timestamp) = (last.parse().unwrap(), expect.parse().unwrap());
        assert_eq!(keep.ends(last, &zones), Some(expect));
        assert!(keep.is_past(last, &zones, expect));
        assert!(!keep.is_past(last, &zones, expect - SignedDuration::from_micros(1)));
    }

    #[test]
    fn age_counts_from_the_end_of_the_last_day() {
        check("0h", "UTC", "2026-03-04", "2026-03-05T00:00:00Z");
        check("48h", "UTC", "2026-03-04", "2026-03-07T00:00:00Z");
        check("0d", "UTC", "2026-03-04", "2026-03-05T00:00:00Z");
        check("30d", "UTC", "2026-03-04", "2026-04-04T00:00:00Z");
        check("6w", "UTC", "2026-03-08", "2026-04-20T00:00:00Z");
        check("6mo", "UTC", "2026-03-29", "2026-09-30T00:00:00Z");
        check("6mo", "UTC", "2026-08-30", "2027-02-28T00:00:00Z");
        check("4q", "UTC", "2026-03-29", "2027-03-30T00:00:00Z");
        check("2y", "UTC", "2024-02-28", "2026-02-28T00:00:00Z");
    }

    #[test]
    fn days_are_local_and_hours_are_exact() {
        check("1d", "Europe/Berlin", "2026-03-28", "2026-03-29T22:00:00Z");
        check("24h", "Europe/Berlin", "2026-03-28", "2026-03-29T23:00:00Z");
        check("1mo", "America/New_York", "2026-10-31", "2026-12-01T05:00:00Z");
    }

    #[test]
    fn no_day_after_the_last_is_past_in_any_zone() {
        let mut dice = Dice::new(7);
        for _ in 0..4_000 {
            let keep = ["0h", "48h", "100h", "0d", "30d", "6w", "1mo", "6mo", "4q", "2y"][dice.below(10) as usize];
            let zone = ["UTC", "Pacific/Kiritimati", "Pacific/Apia", "America/Anchorage", "Asia/Manila"];
            let zone = zone[dice.below(5) as usize];
            let (keep, zones): (Keep, _) = (keep.parse().unwrap(), Zones::new(zone).unwrap());
            let now = Timestamp::from_second(dice.below(4_000_000_000)).unwrap();
            let last = keep.last_day_past(now).unwrap();
            for days in 1..5_i64 {
                let day = last.checked_add(days.days()).unwrap();
                assert!(!keep.is_past(day, &zones, now), "{keep} {zone} {now}: {day} after {last}");
            }
            let day = last.checked_sub(7.days()).unwrap();
            assert!(keep.is_past(day, &zones, now), "{keep} {zone} {now}: {day} long before {last}");
        }
        assert_eq!(Keep::Forever.last_day_past(Timestamp::UNIX_EPOCH), None);
    }

    #[test]
    fn forever_and_huge_counts_never_end() {
        let zones = Zones::new("UTC").unwrap();
        for keep in ["forever", "65535y", "9999y"] {
            let keep: Keep = keep.parse().unwrap();
            assert!(!keep.is_past("2026-03-04".parse().unwrap(), &zones, Timestamp::MAX), "{keep}");
        }
    }
}
