//! Tests every clock change of every zone. The oracle does not use midnights: the day of an instant is the latest date
//! that the zone's clock has shown so far.

use jiff::civil::{Date, date};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ToSpan};
use proptest::prelude::*;

use super::super::{Zones, zone};
use super::{at, seeded};

const MICROSECOND: SignedDuration = SignedDuration::from_micros(1);
const DAY: SignedDuration = SignedDuration::from_hours(24);

/// Checks each hour of the two days before and after `centre`, and the microseconds around each clock change and each
/// start of a day in them.
fn check(zone: &TimeZone, zones: &Zones, centre: Timestamp) {
    let shown = |at: Timestamp| zone.to_datetime(at).date();
    let (first, last) = (centre - DAY * 2, centre + DAY * 2);
    let days: Vec<Date> = shown(first).series(1.day()).take_while(|day| *day <= shown(last)).collect();

    // No clock ever went back by more than a day, so one day of run-up gives the latest date so far.
    let mut points: Vec<_> = (-72..=48).map(|hour| centre + SignedDuration::from_hours(hour)).collect();
    let changes = zone.following(first - DAY).map(|change| change.timestamp()).take_while(|change| *change <= last);
    let starts = days.iter().map(|day| zones.day_interval(*day).start);
    for edge in changes.chain(starts) {
        points.extend([edge - MICROSECOND, edge, edge + MICROSECOND]);
    }
    points.sort();

    let mut latest = Date::MIN;
    for point in points.into_iter().filter(|point| *point <= last) {
        latest = latest.max(shown(point));
        if point >= first {
            let day = zones.day_of(point);
            assert_eq!(day, latest, "{point} in {zone:?}");
            assert!(zones.day_interval(day).contains(point), "{point} in {zone:?}");
        }
    }
    for pair in days.windows(2) {
        let [one, next] = [pair[0], pair[1]].map(|day| zones.day_interval(day));
        assert!(one.start <= one.end && one.end == next.start, "{} and {} in {zone:?}", pair[0], pair[1]);
    }
}

fn only(zone: &TimeZone) -> Zones {
    Zones { first: zone.clone(), later: Vec::new() }
}

/// Returns every clock change of a zone before 2041.
fn changes(zone: &TimeZone) -> Vec<Timestamp> {
    let end = at("2041-01-01T00:00Z");
    zone.following(Timestamp::MIN).map(|change| change.timestamp()).take_while(|change| *change < end).collect()
}

/// Runs on every zone of the database, in four threads. Returns the number of zones.
fn on_all_zones(run: impl Fn(&TimeZone, &Zones) + Sync) -> usize {
    let all: Vec<_> = jiff::tz::db().available().map(|name| zone(name.as_str()).unwrap()).collect();
    std::thread::scope(|scope| {
        for share in all.chunks(all.len().div_ceil(4)) {
            scope.spawn(|| share.iter().for_each(|zone| run(zone, &only(zone))));
        }
    });
    all.len()
}

#[test]
fn days_are_correct_around_every_clock_change() {
    let number = on_all_zones(|zone, zones| changes(zone).into_iter().for_each(|change| check(zone, zones, change)));
    assert!(number > 500, "only {number} zones: is the database there?");
}

#[test]
fn days_are_correct_around_every_new_year() {
    on_all_zones(|zone, zones| {
        for year in 1900..=2041 {
            check(zone, zones, zones.day_interval(date(year, 1, 1)).start);
        }
    });
}

fn any_zone() -> impl Strategy<Value = TimeZone> {
    let names: Vec<String> = jiff::tz::db().available().map(|name| name.as_str().to_owned()).collect();
    prop::sample::select(names).prop_map(|name| zone(&name).unwrap())
}

fn any_instant(first: &str, end: &str) -> impl Strategy<Value = Timestamp> + use<> {
    (at(first).as_second()..at(end).as_second()).prop_map(|second| Timestamp::from_second(second).unwrap())
}

proptest! {
    #![proptest_config(seeded(2_000))]

    #[test]
    fn days_are_correct_from_1600_to_2200(
        zone in any_zone(),
        centre in any_instant("1600-01-01T00:00Z", "2201-01-01T00:00Z"),
    ) {
        check(&zone, &only(&zone), centre);
    }

    #[test]
    fn days_are_correct_from_year_2_to_9998(
        zone in any_zone(),
        centre in any_instant("0002-01-01T00:00Z", "9999-01-01T00:00Z"),
    ) {
        check(&zone, &only(&zone), centre);
    }
}
