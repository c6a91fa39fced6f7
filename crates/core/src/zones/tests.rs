//! Tests of local days around every clock change of every zone, and around every change of an agent's zone.

mod clocks;
mod histories;

use jiff::civil::{Date, date};
use jiff::{SignedDuration, Timestamp};
use proptest::test_runner::{Config, RngSeed};

use super::Zones;
use crate::{Interval, Period};

fn at(instant: &str) -> Timestamp {
    instant.parse().unwrap_or_else(|error| panic!("{instant}: {error}"))
}

fn period(label: &str) -> Period {
    label.parse().unwrap()
}

fn minutes(interval: Interval) -> i64 {
    interval.start.duration_until(interval.end).as_mins()
}

/// Returns a configuration with the same samples on every run.
fn seeded(cases: u32) -> Config {
    Config { rng_seed: RngSeed::Fixed(1660), failure_persistence: None, ..Config::with_cases(cases) }
}

#[test]
fn day_length_follows_clock_changes() {
    fn check(zone: &str, day: &str, start: &str, expect: i64) {
        let interval = Zones::new(zone).unwrap().cover(period(day));
        assert_eq!((interval.start, minutes(interval)), (at(start), expect), "{zone} {day}");
    }
    check("UTC", "2026-03-04", "2026-03-04T00:00Z", 24 * 60);
    check("Europe/Berlin", "2026-03-29", "2026-03-28T23:00Z", 23 * 60);
    check("Europe/Berlin", "2026-10-25", "2026-10-24T22:00Z", 25 * 60);
    check("Australia/Lord_Howe", "2026-04-05", "2026-04-04T13:00Z", 24 * 60 + 30);
    // No midnight: the day begins where the gap ends.
    check("America/Sao_Paulo", "2018-11-04", "2018-11-04T03:00Z", 23 * 60);
    check("America/Toronto", "1919-03-30", "1919-03-30T05:00Z", 23 * 60 + 30);
    check("America/Toronto", "1919-03-31", "1919-03-31T04:30Z", 23 * 60 + 30);
    // Two midnights: the day begins at the first.
    check("America/Havana", "2026-10-31", "2026-10-31T04:00Z", 24 * 60);
    check("America/Havana", "2026-11-01", "2026-11-01T04:00Z", 25 * 60);
    // At 00:01 the clock goes back to 23:01. That hour belongs to the day that has begun.
    check("America/St_Johns", "2010-11-06", "2010-11-06T02:30Z", 24 * 60);
    check("America/St_Johns", "2010-11-07", "2010-11-07T02:30Z", 25 * 60);
    // This day did not exist in the zone.
    check("Pacific/Apia", "2011-12-29", "2011-12-29T10:00Z", 24 * 60);
    check("Pacific/Apia", "2011-12-30", "2011-12-30T10:00Z", 0);
    check("Pacific/Apia", "2011-12-31", "2011-12-30T10:00Z", 24 * 60);
    check("Pacific/Kwajalein", "1993-08-21", "1993-08-21T12:00Z", 0);
    // Alaska moved to the other side of the date line and had one day twice.
    check("America/Juneau", "1867-10-18", "1867-10-17T08:57:41Z", 24 * 60);
    check("America/Juneau", "1867-10-19", "1867-10-18T08:57:41Z", 48 * 60);
}

#[test]
fn instant_belongs_to_one_day() {
    fn check(zone: &str, instant: &str, expect: &str) {
        assert_eq!(Zones::new(zone).unwrap().day_of(at(instant)), period(expect).first_day(), "{zone} {instant}");
    }
    check("America/Havana", "2026-11-01T03:59:59.999999Z", "2026-10-31");
    check("America/Havana", "2026-11-01T04:00:00Z", "2026-11-01");
    check("America/Havana", "2026-11-01T05:00:00Z", "2026-11-01");
    check("America/St_Johns", "2010-11-07T02:30:59Z", "2010-11-07");
    // The clock shows 23:01 of the sixth again.
    check("America/St_Johns", "2010-11-07T02:31:00Z", "2010-11-07");
    check("America/Toronto", "1919-03-31T04:29:59.999999Z", "1919-03-30");
    check("America/Toronto", "1919-03-31T04:30:00Z", "1919-03-31");
    check("Pacific/Apia", "2011-12-30T09:59:59.999999Z", "2011-12-29");
    check("Pacific/Apia", "2011-12-30T10:00:00Z", "2011-12-31");
    check("Europe/London", "1660-01-11T21:00:00Z", "1660-01-11");
}

#[test]
fn period_closes_after_its_cover_and_grace() {
    let berlin = Zones::new("Europe/Berlin").unwrap();
    let check = |label: &str, grace: i64, closes: &str| {
        let closed = |now| berlin.is_closed(period(label), SignedDuration::from_hours(grace), now);
        let closes = at(closes);
        assert!(closed(closes) && !closed(closes - SignedDuration::from_micros(1)), "{label} closes at {closes}");
        assert!(!closed(Timestamp::MIN) && closed(Timestamp::MAX), "{label}");
    };
    check("2026-03-04", 0, "2026-03-04T23:00Z");
    check("2026-03-29", 0, "2026-03-29T22:00Z");
    check("2026-03-04", 3, "2026-03-05T02:00Z");
    check("2026-W10", 3, "2026-03-09T03:00:00+01:00");
    // March closes with the week of its last Thursday, and the year 2026 closes in 2027.
    check("2026-03", 0, "2026-03-30T00:00:00+02:00");
    check("2026", 0, "2027-01-04T00:00:00+01:00");
}

#[test]
fn period_extents_match_its_days() {
    let tokyo = Zones::new("Asia/Tokyo").unwrap();
    let hours = |start: &str, end: &str| Interval { start: at(start), end: at(end) };
    assert_eq!(tokyo.nominal(period("2026-03")), hours("2026-02-28T15:00Z", "2026-03-31T15:00Z"));
    assert_eq!(tokyo.cover(period("2026-03")), hours("2026-03-01T15:00Z", "2026-03-29T15:00Z"));
    assert_eq!(tokyo.days(date(2026, 3, 4), date(2026, 3, 5)), hours("2026-03-03T15:00Z", "2026-03-05T15:00Z"));
}

#[test]
fn days_are_ordered_at_calendar_limits() {
    for name in ["UTC", "Pacific/Kiritimati", "Etc/GMT+12"] {
        let zones = Zones::new(name).unwrap();
        for [day, next] in [[Date::MIN, date(-9999, 1, 2)], [date(9999, 12, 30), Date::MAX]] {
            let [one, two] = [day, next].map(|day| zones.day_interval(day));
            assert!(one.start <= one.end && one.end == two.start && two.start <= two.end, "{name} {day}");
        }
        assert_eq!(zones.days(Date::MIN, Date::MAX), Interval::ALWAYS, "{name}");
        for instant in [Timestamp::MIN, Timestamp::MAX - SignedDuration::from_micros(1)] {
            assert!(zones.day_interval(zones.day_of(instant)).contains(instant), "{name} {instant}");
        }
    }
}

#[test]
fn unknown_zone_is_refused() {
    for name in ["", "Europe", "Europe/Atlantis", "+02:00", "../etc/passwd"] {
        let refused = Zones::new(name).map(|_| ()).unwrap_err().to_string();
        assert_eq!(refused, format!("time_zone {name:?} is not an IANA time zone such as Europe/Berlin"));
    }
}
