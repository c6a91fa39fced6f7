//! Converts the time bounds of a query to local days and instants. Pure.

use annals_core::{Date, DateRange, Error, Grain, Interval, Memory, Period, Query, Result, Timestamp, Zones};
use jiff::{Span, ToSpan};

/// Returns the local days that a query asks for. If bounds are given in several ways, the range is their intersection.
///
/// `min_days_ago` and `max_days_ago` count local calendar days and are inclusive; 0 is today. A period stands for its calendar
/// days. Returns an error if the range is empty.
pub fn resolve(query: &Query, zones: &Zones, now: Timestamp) -> Result<DateRange> {
    let days = query.period.map(|period| (period.first_day(), period.last_day()));
    match bounds(query, days, zones, now) {
        DateRange { from: Some(from), to: Some(to) } if from > to => {
            let reason = format!("ends on {to}, before it starts on {from}; no day can be in it");
            Err(Error::invalid("the range", reason))
        }
        range => Ok(range),
    }
}

fn bounds(query: &Query, period: Option<(Date, Date)>, zones: &Zones, now: Timestamp) -> DateRange {
    let today = zones.day_of(now);
    let ago = |days: u32| Span::new().try_days(days).and_then(|span| today.checked_sub(span)).unwrap_or(Date::MIN);
    let from = [query.from, query.max_days_ago.map(ago), period.map(|days| days.0)].into_iter().flatten().max();
    let to = [query.to, query.min_days_ago.map(ago), period.map(|days| days.1)].into_iter().flatten().min();
    DateRange { from, to }
}

/// Returns the interval of instants from the beginning of the first day to the end of the last day, unbounded where the range
/// is.
pub(crate) fn within(range: DateRange, zones: &Zones) -> Interval {
    Interval {
        start: range.from.map_or(Timestamp::MIN, |from| zones.day_interval(from).start),
        end: range.to.map_or(Timestamp::MAX, |to| zones.day_interval(to).end),
    }
}

/// Returns the interval of these days, cut off after `now`.
pub(crate) fn within_until(range: DateRange, zones: &Zones, now: Timestamp) -> Interval {
    let within = within(range, zones);
    Interval { end: within.end.min(after(now)), ..within }
}

/// Time bounds of a query, for turns and for summaries. The intervals end at the time of the query at the latest; the days may
/// be later.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    /// The calendar days, which bound turns.
    pub(crate) days: DateRange,
    /// The days that bound summaries. For a month, quarter or year these are the days of the whole weeks that its summary
    /// covers.
    pub(crate) cover: DateRange,
    turns: Interval,
    summaries: Interval,
    now: Timestamp,
}

impl Bounds {
    /// Resolves the bounds of a query at `now`.
    pub(crate) fn of(query: &Query, zones: &Zones, now: Timestamp) -> Result<Bounds> {
        let days = resolve(query, zones, now)?;
        let cover = bounds(query, query.period.map(Period::cover_days), zones, now);
        let until_now = |days| within_until(days, zones, now);
        Ok(Bounds { days, cover, turns: until_now(days), summaries: until_now(cover), now })
    }

    /// Returns the days that bound the memories of a grain.
    pub(crate) fn days_of(&self, grain: Grain) -> DateRange {
        if grain == Grain::Working { self.days } else { self.cover }
    }

    /// Returns the instants that bound the memories of a grain, up to the time of the query.
    pub(crate) fn of_grain(&self, grain: Grain) -> Interval {
        if grain == Grain::Working { self.turns } else { self.summaries }
    }

    /// Returns whether the memory covers nothing later than now.
    pub(crate) fn is_over(&self, memory: &Memory) -> bool {
        memory.cover.end <= after(self.now)
    }

    /// Returns whether the range of the query ends now or earlier.
    pub(crate) fn is_past(&self) -> bool {
        self.turns.end <= self.now
    }
}

/// Returns the instant one microsecond after now. As the end of an interval, which is not part of it, it includes a turn said
/// exactly now.
fn after(now: Timestamp) -> Timestamp {
    now.checked_add(1.microsecond()).unwrap_or(now)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Resolves the query at noon of 2026-03-04 in Berlin and expects `from..to`.
    #[track_caller]
    fn check(query: Query, expect: &str) {
        let zones = Zones::new("Europe/Berlin").unwrap();
        let shown = match resolve(&query, &zones, "2026-03-04T11:00:00Z".parse().unwrap()) {
            Ok(range) => shown(range),
            Err(error) => error.to_string(),
        };
        assert_eq!(shown, expect);
    }

    fn shown(range: DateRange) -> String {
        let day = |day: Option<Date>| day.map_or_else(String::new, |day| day.to_string());
        format!("{}..{}", day(range.from), day(range.to))
    }

    fn day(text: &str) -> Option<Date> {
        Some(text.parse().unwrap())
    }

    #[test]
    fn each_bound_alone_sets_its_end_of_the_range() {
        check(Query::default(), "..");
        check(Query { from: day("2026-01-02"), ..Query::default() }, "2026-01-02..");
        check(Query { to: day("2026-01-02"), ..Query::default() }, "..2026-01-02");
        check(Query { max_days_ago: Some(7), ..Query::default() }, "2026-02-25..");
        check(Query { min_days_ago: Some(0), ..Query::default() }, "..2026-03-04");
        // More days ago than the calendar reaches back.
        check(Query { max_days_ago: Some(5_000_000), ..Query::default() }, "-009999-01-01..");
        check(Query { max_days_ago: Some(u32::MAX), ..Query::default() }, "-009999-01-01..");
        check(Query { period: Some("2026-03".parse().unwrap()), ..Query::default() }, "2026-03-01..2026-03-31");
    }

    #[test]
    fn several_bounds_are_intersected() {
        let both = Query { period: Some("2026".parse().unwrap()), max_days_ago: Some(1), ..Query::default() };
        check(both, "2026-03-03..2026-12-31");
        let both = Query { min_days_ago: Some(3), max_days_ago: Some(1), ..Query::default() };
        check(both, "the range ends on 2026-03-01, before it starts on 2026-03-03; no day can be in it");
    }

    #[test]
    fn period_bounds_turns_by_its_days_and_summaries_by_its_weeks() {
        fn check(period: &str, turns: &str, summaries: &str) {
            let (zones, now) = (Zones::new("UTC").unwrap(), "2027-06-01T00:00:00Z".parse().unwrap());
            let query = Query { period: Some(period.parse().unwrap()), ..Query::default() };
            let bounds = Bounds::of(&query, &zones, now).unwrap();
            assert_eq!(shown(bounds.days_of(Grain::Working)), turns, "{period}");
            assert_eq!(shown(bounds.days_of(Grain::Weekly)), summaries, "{period}");
        }
        check("2026-03", "2026-03-01..2026-03-31", "2026-03-02..2026-03-29");
        check("2026-Q1", "2026-01-01..2026-03-31", "2025-12-29..2026-03-29");
        check("2026", "2026-01-01..2026-12-31", "2025-12-29..2027-01-03");
        check("2026-W10", "2026-03-02..2026-03-08", "2026-03-02..2026-03-08");
    }

    #[test]
    fn turn_at_exactly_now_is_in_range() {
        let (zones, now) = (Zones::new("UTC").unwrap(), "2026-03-04T11:00:00Z".parse().unwrap());
        let within = Bounds::of(&Query::default(), &zones, now).unwrap().of_grain(Grain::Working);
        assert!(within.contains(now) && !within.contains(after(now)));
        let past = Query { to: day("2026-03-03"), ..Query::default() };
        assert!(Bounds::of(&past, &zones, now).unwrap().is_past());
        assert!(!Bounds::of(&Query::default(), &zones, now).unwrap().is_past());
    }

    #[test]
    fn today_is_the_local_day_of_the_agent() {
        let zones = Zones::new("Pacific/Kiritimati").unwrap();
        let query = Query { max_days_ago: Some(0), ..Query::default() };
        let range = resolve(&query, &zones, "2026-03-04T11:00:00Z".parse().unwrap()).unwrap();
        assert_eq!(range.from, day("2026-03-05"));
    }
}
