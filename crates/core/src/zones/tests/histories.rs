//! Tests of agents that change zones: every instant has one day, and past days stay unchanged.

use jiff::civil::Date;
use jiff::{SignedDuration, Timestamp, ToSpan};
use proptest::prelude::*;

use super::{at, minutes, period, seeded};
use crate::{Interval, Settings, Zones};

fn moved(from: &str, to: &str, now: &str) -> Settings {
    let mut settings = Settings { time_zone: from.into(), ..Settings::default() };
    settings.set_time_zone(to, true, at(now)).unwrap();
    settings
}

#[test]
fn new_zone_starts_at_its_first_midnight_after_today() {
    // Checks when a zone that is set now starts, and the length in hours of today and the two following days.
    fn check(from: &str, to: &str, now: &str, start: &str, expect: [i64; 3]) {
        let settings = moved(from, to, now);
        assert_eq!(settings.later_zones, [(at(start), to.to_owned())], "{from} to {to}");
        let zones = settings.zones().unwrap();
        let today = zones.day_of(at(now));
        let lengths = [0, 1, 2].map(|days| minutes(zones.day_interval(today.saturating_add(days.days()))) / 60);
        assert_eq!(lengths, expect, "{from} to {to}");
    }
    let now = "2026-03-04T03:00Z";
    check("Asia/Tokyo", "America/Los_Angeles", now, "2026-03-05T08:00Z", [24, 41, 24]);
    check("America/Los_Angeles", "Asia/Tokyo", now, "2026-03-04T15:00Z", [24, 7, 24]);
    // The same clock under another name.
    check("Europe/Berlin", "Europe/Paris", now, "2026-03-04T23:00Z", [24, 24, 24]);
    // Across the date line: no day occurs twice, and one day is empty.
    check("Pacific/Kiritimati", "Etc/GMT+12", now, "2026-03-04T12:00Z", [24, 50, 24]);
    check("Etc/GMT+12", "Pacific/Kiritimati", now, "2026-03-05T10:00Z", [24, 22, 0]);
    // To a zone that skips the midnight at which it would start.
    check("UTC", "America/Sao_Paulo", "2018-11-03T12:00Z", "2018-11-04T03:00Z", [24, 26, 24]);
}

#[test]
fn name_at_follows_the_zone_history() {
    let zones = moved("Asia/Tokyo", "America/Los_Angeles", "2026-03-04T03:00Z").zones().unwrap();
    assert_eq!(zones.name_at(at("2026-03-05T07:59:59Z")), "Asia/Tokyo");
    assert_eq!(zones.name_at(at("2026-03-05T08:00:00Z")), "America/Los_Angeles");
    assert_eq!(Zones::new("UTC").unwrap().name_at(Timestamp::MIN), "UTC");
}

#[test]
fn week_with_a_move_west_is_longer() {
    let zones = moved("Asia/Tokyo", "America/Los_Angeles", "2026-03-04T03:00Z").zones().unwrap();
    let week = Interval { start: at("2026-03-01T15:00Z"), end: at("2026-03-09T07:00Z") };
    assert_eq!(zones.cover(period("2026-W10")), week);
}

/// Zones that are far apart, that have odd offsets, that change clocks at midnight, or that skipped days.
const ZONES: [&str; 14] = [
    "UTC",
    "Asia/Tokyo",
    "America/Los_Angeles",
    "Pacific/Kiritimati",
    "Etc/GMT+12",
    "Pacific/Apia",
    "Pacific/Kwajalein",
    "America/Havana",
    "America/St_Johns",
    "America/Sao_Paulo",
    "Asia/Kathmandu",
    "Australia/Lord_Howe",
    "Europe/Berlin",
    "Africa/Casablanca",
];

/// Generates a first zone, an instant, and moves. Each move is some hours after the one before, often before the former
/// zone has started.
fn moves() -> impl Strategy<Value = (usize, Timestamp, Vec<(usize, i64)>)> {
    let any = (-2_208_988_800_i64..4_102_444_800).prop_map(|second| Timestamp::from_second(second).unwrap());
    // Half of the instants are near the days that Kwajalein and Apia skipped.
    let skipped = prop::sample::select(vec!["1993-08-21T12:00Z", "2011-12-30T10:00Z"]);
    let near = (skipped, -240..240_i64).prop_map(|(skip, hours)| at(skip) + SignedDuration::from_hours(hours));
    let moves = prop::collection::vec((0..ZONES.len(), 0..240_i64), 1..6);
    (0..ZONES.len(), prop_oneof![any, near], moves)
}

/// Checks that every hour of the days around `now`, and the microseconds around each start of a day, have one day, and
/// that the days are contiguous.
fn check_partition(zones: &Zones, now: Timestamp) {
    let days: Vec<Date> = zones.day_of(now).saturating_sub(4.days()).series(1.day()).take(12).collect();
    for day in &days {
        let (one, next) = (zones.day_interval(*day), zones.day_interval(day.tomorrow().unwrap()));
        assert!(one.start <= one.end && one.end == next.start, "{day}: {zones:?}");
    }
    let hours = (-24 * 4..24 * 6).map(|hour| now + SignedDuration::from_hours(hour));
    let starts = days.iter().map(|day| zones.day_interval(*day).start);
    let edges = starts.flat_map(|start| (-1..=1).map(move |moment| start + SignedDuration::from_micros(moment)));
    let mut points: Vec<_> = hours.chain(edges).collect();
    points.sort();
    let mut before = Date::MIN;
    for point in points {
        let day = zones.day_of(point);
        assert!(zones.day_interval(day).contains(point), "{point} is not in {day}: {zones:?}");
        assert!(before <= day, "{point} goes back to {day}: {zones:?}");
        before = day;
    }
}

/// Checks the result of changing the zone of `settings` at `now`.
fn check_move(before: &Zones, settings: &Settings, now: Timestamp) {
    let after = settings.zones().unwrap();
    let today = before.day_of(now);
    assert_eq!(after.day_of(now), today, "{settings:?} at {now}");
    for past in 1..30 {
        let day = today.saturating_sub(past.days());
        assert_eq!(after.day_interval(day), before.day_interval(day), "{day}: {settings:?} at {now}");
    }
    assert_eq!(after.day_interval(today).start, before.day_interval(today).start, "{settings:?} at {now}");
    check_partition(&after, now);
    // After five days, only the new zone determines the days.
    let alone = Zones::new(settings.present_zone()).unwrap();
    let settled = today.saturating_add(5.days());
    assert_eq!(after.day_interval(settled), alone.day_interval(settled), "{settings:?} at {now}");
}

proptest! {
    #![proptest_config(seeded(1_000))]

    #[test]
    fn days_are_consistent_through_any_history((first, start, moves) in moves()) {
        let mut settings = Settings { time_zone: ZONES[first].into(), ..Settings::default() };
        let mut now = start;
        for (to, hours) in moves {
            now += SignedDuration::from_hours(hours);
            let before = settings.zones().unwrap();
            settings.set_time_zone(ZONES[to], true, now).unwrap();
            check_move(&before, &settings, now);
        }
        prop_assert!(settings.later_zones.is_sorted());
    }
}
