//! Computes days by reading the clock, and periods by labelling each day.

use std::collections::BTreeMap;

use annals_core::{Date, Grain, Interval, SignedDuration, Timestamp};
use jiff::civil::Weekday;
use jiff::tz::{Offset, TimeZone};

/// Interval between two readings of the clock. In the zones and years under test, all midnights fall on a quarter of an hour
/// UTC.
const STEP: SignedDuration = SignedDuration::from_mins(15);

/// A change of an agent's zone.
#[derive(Clone, Copy, Debug)]
pub struct Move {
    /// Instant of the change, on a quarter of an hour.
    pub at: &'static str,
    /// IANA name of the new zone.
    pub to: &'static str,
}

/// The consecutive days of an agent, and the periods that they form.
#[derive(Clone, Debug)]
pub struct Almanac {
    first: Date,
    /// Start of each day, from `first` on. A skipped day starts together with the next one.
    starts: Vec<Timestamp>,
    turned: Vec<Timestamp>,
    /// First and last day of each period that begins after the first day and ends before the last.
    covers: BTreeMap<String, (Date, Date)>,
}

impl Almanac {
    /// Builds the almanac of the days `first` to `last` and the start of the day after.
    ///
    /// A day begins when the clock first shows that day or a later one. It does not begin again when a clock that is turned
    /// back shows the day before.
    pub fn new(zone: &str, moves: &[Move], first: Date, last: Date) -> Almanac {
        let mut clock = Clock::new(zone, moves);
        let mut almanac = Almanac { first, starts: Vec::new(), turned: Vec::new(), covers: covers(first, last) };
        let mut at = midnight_of_utc(first) - SignedDuration::from_hours(3 * 24);
        let mut day = clock.shows(at).0;
        let mut offset = clock.shows(at).1;
        while day <= last {
            at += STEP;
            clock.look(at, day);
            let (shown, by) = clock.shows(at);
            if by != offset {
                almanac.turned.push(at);
                offset = by;
            }
            let eve = at - SignedDuration::from_micros(1);
            assert!(shows(&clock.former, eve).0 <= day, "{zone}: a day begins between two looks before {at}");
            while day < shown {
                day = next(day);
                if day >= first {
                    almanac.starts.push(at);
                }
            }
        }
        almanac
    }

    /// Returns every day, from the first on.
    pub fn days(&self) -> impl Iterator<Item = Date> {
        days(self.first).take(self.starts.len() - 1)
    }

    /// Returns the day that an instant belongs to. Panics if it is outside of the almanac.
    pub fn day_of(&self, at: Timestamp) -> Date {
        let begun = self.starts.partition_point(|start| *start <= at);
        assert!(begun > 0 && begun < self.starts.len(), "{at} is not in the almanac");
        self.days().nth(begun - 1).unwrap()
    }

    /// Returns the instants of the days `first` to `last`, both included.
    pub fn instants(&self, first: Date, last: Date) -> Interval {
        Interval { start: self.starts[self.place(first)], end: self.starts[self.place(last) + 1] }
    }

    /// Returns whether the day contains any instant.
    pub fn is_lived(&self, day: Date) -> bool {
        let Interval { start, end } = self.instants(day, day);
        start < end
    }

    /// Returns the instants at which the offset from UTC changed, by a change of the clocks or of the zone.
    pub fn turned(&self) -> &[Timestamp] {
        &self.turned
    }

    /// Returns the first and last day that a label covers, or `None` unless the period lies completely within the almanac.
    pub fn cover(&self, label: &str) -> Option<(Date, Date)> {
        self.covers.get(label).copied()
    }

    fn place(&self, day: Date) -> usize {
        usize::try_from(day.duration_since(self.first).as_hours() / 24).unwrap()
    }
}

/// Returns the label of the period that a day belongs to at a grain. A week belongs to the month, quarter and year of its
/// Thursday.
pub fn label(grain: Grain, day: Date) -> String {
    let thursday = week(day)[3];
    let (year, month) = (thursday.year(), thursday.month());
    match grain {
        Grain::Working | Grain::Daily => format!("{:04}-{:02}-{:02}", day.year(), day.month(), day.day()),
        Grain::Weekly => {
            let thursdays = days(Date::constant(year, 1, 1)).take_while(|other| *other <= thursday);
            let number = thursdays.filter(|other| other.weekday() == Weekday::Thursday).count();
            format!("{year:04}-W{number:02}")
        }
        Grain::Monthly => format!("{year:04}-{month:02}"),
        Grain::Quarterly => format!("{year:04}-Q{}", [1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4][month as usize - 1]),
        Grain::Yearly => format!("{year:04}"),
    }
}

/// Returns the days from `first` on.
pub(super) fn days(first: Date) -> impl Iterator<Item = Date> {
    std::iter::successors(Some(first), |day| Some(next(*day)))
}

pub(super) fn next(day: Date) -> Date {
    day.tomorrow().unwrap()
}

pub(super) fn before(day: Date) -> Date {
    day.yesterday().unwrap()
}

/// Returns the week of a day, Monday to Sunday.
fn week(day: Date) -> [Date; 7] {
    let mut monday = day;
    while monday.weekday() != Weekday::Monday {
        monday = before(monday);
    }
    let week: Vec<Date> = days(monday).take(7).collect();
    week.try_into().unwrap()
}

fn covers(first: Date, last: Date) -> BTreeMap<String, (Date, Date)> {
    let mut covers: BTreeMap<String, (Date, Date)> = BTreeMap::new();
    for day in days(first).take_while(|day| *day <= last) {
        for grain in Grain::SUMMARIES {
            covers.entry(label(grain, day)).or_insert((day, day)).1 = day;
        }
    }
    covers.retain(|_, cover| cover.0 > first && cover.1 < last);
    covers
}

fn midnight_of_utc(day: Date) -> Timestamp {
    Offset::UTC.to_timestamp(day.at(0, 0, 0, 0)).unwrap()
}

/// The clock by which an agent reads the date, with the zone changes to come.
struct Clock {
    zone: TimeZone,
    /// The zone at the previous reading.
    former: TimeZone,
    moves: Vec<(Timestamp, TimeZone)>,
    /// The next zone, and the day that must have ended before the zone applies.
    coming: Option<(TimeZone, Date)>,
}

impl Clock {
    fn new(zone: &str, moves: &[Move]) -> Clock {
        let zone = TimeZone::get(zone).unwrap();
        let moves = moves.iter().map(|one| (one.at.parse().unwrap(), TimeZone::get(one.to).unwrap())).collect();
        Clock { former: zone.clone(), zone, moves, coming: None }
    }

    fn shows(&self, at: Timestamp) -> (Date, Offset) {
        shows(&self.zone, at)
    }

    /// Advances the clock by one step to `at`. `day` is the current day before the step. A pending zone takes effect at its own
    /// first midnight after the day of the move has ended. A later move replaces a pending one.
    fn look(&mut self, at: Timestamp, day: Date) {
        self.former = self.zone.clone();
        if let Some((zone, must_be_over)) = self.coming.clone() {
            let is_over = day > must_be_over || self.shows(at).0 > must_be_over;
            let is_midnight = shows(&zone, at).0 > shows(&zone, at - STEP).0;
            if is_over && is_midnight {
                self.zone = zone;
                self.coming = None;
            }
        }
        let begun = day.max(self.shows(at).0);
        let (made, to_come) = std::mem::take(&mut self.moves).into_iter().partition(|(moved, _)| *moved <= at);
        self.moves = to_come;
        let made: Vec<(Timestamp, TimeZone)> = made;
        if let Some((_, zone)) = made.into_iter().next_back() {
            self.coming = Some((zone, begun));
        }
    }
}

fn shows(zone: &TimeZone, at: Timestamp) -> (Date, Offset) {
    let offset = zone.to_offset(at);
    (offset.to_datetime(at).date(), offset)
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;
    use crate::at;

    #[test]
    fn labels_follow_the_thursday_of_the_week() {
        let check = |day: Date, expect: [&str; 5]| assert_eq!(Grain::SUMMARIES.map(|grain| label(grain, day)), expect);
        check(date(2026, 3, 1), ["2026-03-01", "2026-W09", "2026-02", "2026-Q1", "2026"]);
        check(date(2024, 12, 30), ["2024-12-30", "2025-W01", "2025-01", "2025-Q1", "2025"]);
        check(date(2027, 1, 3), ["2027-01-03", "2026-W53", "2026-12", "2026-Q4", "2026"]);
    }

    #[test]
    fn months_and_quarters_cover_whole_weeks() {
        let almanac = Almanac::new("UTC", &[], date(2025, 12, 1), date(2026, 6, 30));
        assert_eq!(almanac.cover("2026-03"), Some((date(2026, 3, 2), date(2026, 3, 29))));
        assert_eq!(almanac.cover("2026-Q1"), Some((date(2025, 12, 29), date(2026, 3, 29))));
        assert_eq!(almanac.cover("2026"), None);
    }

    #[test]
    fn day_starts_and_lengths_follow_clock_changes_and_moves() {
        fn check(zone: &str, moves: &[Move], day: Date, start: &str, hours: f64) {
            let almanac = Almanac::new(zone, moves, day.yesterday().unwrap(), day);
            let Interval { start: found, end } = almanac.instants(day, day);
            let found_hours = found.duration_until(end).as_secs_f64() / 3600.0;
            assert_eq!((found, found_hours), (at(start), hours), "{zone} {day}");
        }
        check("Europe/Berlin", &[], date(2026, 3, 29), "2026-03-28T23:00:00Z", 23.0);
        check("Australia/Lord_Howe", &[], date(2026, 4, 5), "2026-04-04T13:00:00Z", 24.5);
        check("America/Sao_Paulo", &[], date(2018, 11, 4), "2018-11-04T03:00:00Z", 23.0);
        check("America/Havana", &[], date(2026, 11, 1), "2026-11-01T04:00:00Z", 25.0);
        check("America/St_Johns", &[], date(2010, 11, 7), "2010-11-07T02:30:00Z", 25.0);
        check("Pacific/Apia", &[], date(2011, 12, 30), "2011-12-30T10:00:00Z", 0.0);
        let west = [Move { at: "2026-03-04T03:00:00Z", to: "America/Los_Angeles" }];
        check("Asia/Tokyo", &west, date(2026, 3, 5), "2026-03-04T15:00:00Z", 41.0);
        let east = [Move { at: "2026-03-04T03:00:00Z", to: "Pacific/Kiritimati" }];
        check("Etc/GMT+12", &east, date(2026, 3, 4), "2026-03-04T12:00:00Z", 22.0);
        check("Etc/GMT+12", &east, date(2026, 3, 5), "2026-03-05T10:00:00Z", 0.0);
    }
}
