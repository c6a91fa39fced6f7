//! Which local day an instant belongs to, under an agent's history of time zones.
//!
//! Days are half-open and without gaps or overlaps: every instant has one day, whatever clocks were turned. A day that a
//! zone skipped (Apia, 2011-12-30) is empty; when midnight comes twice, the day begins at the first. A new zone starts at its
//! own first midnight after the day on which it was set, so the past keeps its days.

use jiff::tz::{AmbiguousOffset, TimeZone};
use jiff::{SignedDuration, Timestamp};

use crate::{Date, Error, Interval, Period, Result};

/// No zone was ever farther ahead of UTC.
const FARTHEST_AHEAD: SignedDuration = SignedDuration::from_hours(16);

/// The latest calendar day that any zone has at an instant: whatever comes after it is over nowhere.
pub fn latest_day(now: Timestamp) -> Date {
    now.saturating_add(FARTHEST_AHEAD).unwrap_or(Timestamp::MAX).to_zoned(TimeZone::UTC).date()
}

/// The zones of an agent, from its first to its present one.
#[derive(Clone, Debug)]
pub struct Zones {
    first: TimeZone,
    /// Later zones with the instants from which they hold, ascending; each instant is a midnight of its zone.
    later: Vec<(Timestamp, TimeZone)>,
}

impl Zones {
    /// One zone for all time, by its IANA name.
    pub fn new(name: &str) -> Result<Zones> {
        Ok(Zones { first: zone(name)?, later: Vec::new() })
    }

    /// A history: the first zone's name, then each later one with the instant from which it holds.
    pub fn from_history(first: &str, later: &[(Timestamp, String)]) -> Result<Zones> {
        let later = later.iter().map(|(from, name)| Ok((*from, zone(name)?))).collect::<Result<_>>()?;
        Ok(Zones { first: zone(first)?, later })
    }

    /// The instant from which a zone set at `now` holds: its first midnight after the present day is over.
    pub fn starts_at(&self, name: &str, now: Timestamp) -> Result<Timestamp> {
        let next = zone(name)?;
        let over = self.day_interval(self.day_of(now)).end;
        let day = over.to_zoned(next.clone()).date();
        let days = [Some(day), day.tomorrow().ok(), day.tomorrow().and_then(Date::tomorrow).ok()];
        let mut midnights = days.into_iter().flatten().map(|day| midnight(&next, day));
        midnights.find(|midnight| *midnight >= over).ok_or_else(|| Error::invalid("time_zone", "cannot start so late"))
    }

    /// The name of the zone in force at an instant.
    pub fn name_at(&self, at: Timestamp) -> &str {
        self.zone_at(at).iana_name().unwrap_or("UTC")
    }

    /// The local day that the instant belongs to.
    pub fn day_of(&self, at: Timestamp) -> Date {
        let mut day = at.to_zoned(self.zone_at(at).clone()).date();
        // A day that has begun is never gone back from: neither when clocks are turned back across midnight, nor when a
        // new zone is more than a day behind the former.
        while let Some(next) = day.tomorrow().ok().filter(|next| self.day_start(*next) <= at) {
            day = next;
        }
        day
    }

    /// The instants of a local day; empty for a day that was skipped.
    pub fn day_interval(&self, day: Date) -> Interval {
        let start = self.day_start(day);
        Interval { start, end: day.tomorrow().map_or(Timestamp::MAX, |next| self.day_start(next)) }
    }

    /// The instants of the nominal interval of a period.
    pub fn nominal(&self, period: Period) -> Interval {
        self.days(period.first_day(), period.last_day())
    }

    /// The instants of the cover of a period: what closing, age and filters use.
    pub fn cover(&self, period: Period) -> Interval {
        let (first, last) = period.cover_days();
        self.days(first, last)
    }

    /// The instants from the start of one day to the end of another.
    pub fn days(&self, first: Date, last: Date) -> Interval {
        Interval { start: self.day_start(first), end: self.day_interval(last).end }
    }

    /// Whether the period's cover was over, by `grace`, at `now`.
    pub fn is_closed(&self, period: Period, grace: SignedDuration, now: Timestamp) -> bool {
        self.cover(period).end.saturating_add(grace).is_ok_and(|closes| closes <= now)
    }

    /// The first instant that belongs to `day` or a later one.
    fn day_start(&self, day: Date) -> Timestamp {
        // A later zone takes a day over if the day's start there is not before the change; until then the former counts.
        let mut start = midnight(&self.first, day);
        for (from, zone) in &self.later {
            if start >= *from {
                start = midnight(zone, day).max(*from);
            }
        }
        start
    }

    fn zone_at(&self, at: Timestamp) -> &TimeZone {
        self.later.iter().rev().find(|(from, _)| *from <= at).map_or(&self.first, |(_, zone)| zone)
    }
}

fn zone(name: &str) -> Result<TimeZone> {
    TimeZone::get(name)
        .map_err(|_| Error::invalid("time_zone", format!("{name:?} is not an IANA time zone such as Europe/Berlin")))
}

/// The first instant of a civil day in a zone: the earlier of two midnights, and the end of the gap where there is none.
fn midnight(zone: &TimeZone, day: Date) -> Timestamp {
    let midnight = zone.to_ambiguous_timestamp(day.at(0, 0, 0, 0));
    let skipped = matches!(midnight.offset(), AmbiguousOffset::Gap { .. });
    let Ok(start) = midnight.compatible() else {
        // Only the very first and last days of the calendar reach beyond what instants can represent.
        return if day.year() < 0 { Timestamp::MIN } else { Timestamp::MAX };
    };
    if !skipped {
        return start;
    }
    // A gap such as 23:30 to 00:30 ends half an hour before "midnight plus the gap": the day begins where the gap ends.
    let just_after = start + SignedDuration::from_nanos(1);
    zone.preceding(just_after).next().map_or(start, |transition| transition.timestamp())
}

#[cfg(test)]
mod tests;
