//! Zones and years with unusual clocks or calendars.

use std::collections::BTreeSet;

use annals_core::{Date, Grain, Timestamp};

use super::almanac::{before, next};
use super::{Almanac, Move, label};

/// An agent's zone, the year under test, and the agent's moves in that year.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// IANA name of the first zone.
    pub zone: &'static str,
    /// The year under test. The almanac also contains the years before and after.
    pub year: i16,
    /// The moves, in order of time.
    pub moves: &'static [Move],
}

/// The largest, smallest and odd offsets; daylight saving time by an hour and by half an hour, changed at night, at midnight
/// and a minute after midnight, and suspended for Ramadan; skipped days; leap years and years of 52 and 53 weeks; and agents
/// that move: across the date line in both directions, into a midnight that does not exist, and again before the last move
/// applies.
pub const PLACES: [Place; 22] = [
    stay("UTC", 2020),
    stay("Pacific/Kiritimati", 2024),
    stay("Etc/GMT+12", 2026),
    stay("Etc/GMT-14", 2015),
    stay("Europe/Berlin", 2026),
    stay("America/New_York", 2024),
    stay("America/St_Johns", 2010),
    stay("Australia/Lord_Howe", 2025),
    stay("Africa/Casablanca", 2026),
    stay("Asia/Kathmandu", 2021),
    stay("Pacific/Apia", 2011),
    stay("Pacific/Kwajalein", 1993),
    stay("America/Sao_Paulo", 2018),
    stay("America/Havana", 2028),
    stay("Asia/Beirut", 2022),
    stay("Asia/Tehran", 2016),
    moved("Asia/Tokyo", 2026, &[Move { at: "2026-03-04T03:00:00Z", to: "America/Los_Angeles" }]),
    moved("Etc/GMT+12", 2026, &[Move { at: "2026-06-27T03:00:00Z", to: "Pacific/Kiritimati" }]),
    moved("Pacific/Kiritimati", 2020, &[Move { at: "2020-12-31T03:00:00Z", to: "Etc/GMT+12" }]),
    moved("UTC", 2018, &[Move { at: "2018-11-03T12:00:00Z", to: "America/Sao_Paulo" }]),
    moved("Europe/Berlin", 2026, &[Move { at: "2026-10-25T00:30:00Z", to: "America/St_Johns" }]),
    moved(
        "Asia/Tokyo",
        2024,
        &[
            Move { at: "2024-02-29T03:00:00Z", to: "America/Los_Angeles" },
            Move { at: "2024-02-29T06:00:00Z", to: "Europe/Berlin" },
            Move { at: "2024-05-01T06:00:00Z", to: "Asia/Kathmandu" },
        ],
    ),
];

const fn stay(zone: &'static str, year: i16) -> Place {
    moved(zone, year, &[])
}

const fn moved(zone: &'static str, year: i16, moves: &'static [Move]) -> Place {
    Place { zone, year, moves }
}

impl Place {
    /// Builds the almanac of the year, the year before and the year after, with two weeks more on either side.
    pub fn almanac(&self) -> Almanac {
        let (first, last) = (Date::constant(self.year - 2, 12, 15), Date::constant(self.year + 2, 1, 15));
        Almanac::new(self.zone, self.moves, first, last)
    }

    /// Returns the days under test with the day before and after each: clock changes, skipped days, leap days, and days on
    /// which a quarter begins, by its label or by the calendar.
    pub fn days(&self, almanac: &Almanac) -> Vec<Date> {
        let turned: BTreeSet<Date> = almanac.turned().iter().map(|at| almanac.day_of(*at)).collect();
        let happens = |day: &Date| {
            let eve = before(*day);
            let begins = label(Grain::Quarterly, *day) != label(Grain::Quarterly, eve);
            let begins_by_label = day.day() == 1 && day.month() % 3 == 1;
            let leap = (day.month(), day.day()) == (2, 29);
            turned.contains(day) || !almanac.is_lived(*day) || begins || begins_by_label || leap
        };
        let (first, last) = (Date::constant(self.year - 1, 12, 25), Date::constant(self.year + 1, 1, 7));
        let days = almanac.days().filter(|day| first <= *day && *day <= last).filter(happens);
        days.flat_map(|day| [before(day), day, next(day)]).collect::<BTreeSet<Date>>().into_iter().collect()
    }

    /// Returns an instant in August of the year after, when all days under test are over.
    pub fn now(&self) -> Timestamp {
        format!("{}-08-12T12:00:00Z", self.year + 1).parse().unwrap()
    }
}
