//! Maps instants to local days, under an agent's history of time zones.
//!
//! Days are half-open, without gaps or overlaps: every instant has exactly one day, however clocks change. A day that a
//! zone skipped (Apia, 2011-12-30) is empty. If midnight occurs twice, the day begins at the first. A new zone starts
//! at its own first midnight after the day on which it was set, so past days stay unchanged.

use jiff::tz::{AmbiguousOffset, TimeZone};
use jiff::{SignedDuration, Timestamp};

use crate::retry::later;
use crate::{Date, Error, Interval, Period, Result};

/// Upper limit of how far a zone is ahead of UTC. No zone ever exceeded it.
const MAX_OFFSET: SignedDuration = SignedDuration::from_hours(16);

/// Returns the latest calendar day that any zone may have at an instant. No later day has begun in any zone.
pub fn latest_day(now: Timestamp) -> Date {
    later(now, MAX_OFFSET).to_zoned(TimeZone::UTC).date()
}

/// The time zones of an agent, from the first to the present one.
#[derive(Clone, Debug)]
pub struct Zones {
    first: TimeZone,
    /// Later zones with the instants from which they apply, ascending. Each instant is a midnight of its zone.
    later: Vec<(Timestamp, TimeZone)>,
}

impl Zones {
    /// Creates a history of one zone for all time, from its IANA name.
    pub fn new(name: &str) -> Result<Zones> {
        Ok(Zones { first: zone(name)?, later: Vec::new() })
    }

    /// Creates a history from the first zone's name, and each later one with the instant from which it applies.
    pub fn from_history(first: &str, later: &[(Timestamp, String)]) -> Result<Zones> {
        let later = later.iter().map(|(from, name)| Ok((*from, zone(name)?))).collect::<Result<_>>()?;
        Ok(Zones { first: zone(first)?, later })
    }

    /// Returns the instant from which a zone set at `now` applies: its first midnight after the present day is over.
    pub fn starts_at(&self, name: &str, now: Timestamp) -> Result<Timestamp> {
        let next = zone(name)?;
        let over = self.day_interval(self.day_of(now)).end;
        let day = over.to_zoned(next.clone()).date();
        let days = [Some(day), day.tomorrow().ok(), day.tomorrow().and_then(Date::tomorrow).ok()];
        let mut midnights = days.into_iter().flatten().map(|day| midnight(&next, day));
        midnights.find(|midnight| *midnight >= over).ok_or_else(|| Error::invalid("time_zone", "cannot start so late"))
    }

    /// Returns the name of the zone in force at an instant.
    pub fn name_at(&self, at: Timestamp) -> &str {
        self.zone_at(at).iana_name().unwrap_or("UTC")
    }

    /// Returns the local day that the instant belongs to.
    pub fn day_of(&self, at: Timestamp) -> Date {
        let mut day = at.to_zoned(self.zone_at(at).clone()).date();
        // A day that has begun is never followed by an earlier one: not when clocks go back across midnight, and not
        // when a new zone is more than a day behind the former.
        while let Some(next) = day.tomorrow().ok().filter(|next| self.day_start(*next) <= at) {
            day = next;
        }
        day
    }

    /// Returns the instants of a local day; empty for a day that was skipped.
    pub fn day_interval(&self, day: Date) -> Interval {
        let start = self.day_start(day);
        Interval { start, end: day.tomorrow().map_or(Timestamp::MAX, |next| self.day_start(next)) }
    }

    /// Returns the instants of the nominal interval of a period.
    pub fn nominal(&self, period: Period) -> Interval {
        self.days(period.first_day(), period.last_day())
    }

    /// Returns the instants of the cover of a period. Closing a period, its age and search filters depend on them.
    pub fn cover(&self, period: Period) -> Interval {
        let (first, last) = period.cover_days();
        self.days(first, last)
    }

    /// Returns the instants from the start of one day to the end of another.
    pub fn days(&self, first: Date, last: Date) -> Interval {
        Interval { start: self.day_start(first), end: self.day_interval(last).end }
    }

    /// Returns whether the period's cover ended at least `grace` before `now`.
    pub fn is_closed(&self, period: Period, grace: SignedDuration, now: Timestamp) -> bool {
        self.cover(period).end.saturating_add(grace).is_ok_and(|closes| closes <= now)
    }

    /// Returns the first instant that belongs to `day` or a later one.
    fn day_start(&self, day: Date) -> Timestamp {
        // A later zone determines the start of a day if, by the former zones, the day does not start before the change.
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

/// Returns the first instant of a civil day in a zone: the earlier of two midnights, or the end of the gap if there is
/// none.
fn midnight(zone: &TimeZone, day: Date) -> Timestamp {
    let midnight = zone.to_ambiguous_timestamp(day.at(0, 0, 0, 0));
    let skipped = matches!(midnight.offset(), AmbiguousOffset::Gap { .. });
    let Ok(start) = midnight.compatible() else {
        // Only the very first and last days of the calendar exceed the range of instants.
        return if day.year() < 0 { Timestamp::MIN } else { Timestamp::MAX };
    };
    if !skipped {
        return start;
    }
    // A gap such as 23:30 to 00:30 ends half an hour before "midnight plus the gap". The day begins where the gap ends.
    let just_after = start + SignedDuration::from_nanos(1);
    zone.preceding(just_after).next().map_or(start, |transition| transition.timestamp())
}

#[cfg(test)]
mod tests;
