//! From the ways to ask for a time to one range of local days. Pure.

use annals_core::{Date, DateRange, Error, Interval, Query, Result, Timestamp, Zones};
use jiff::Span;

/// The local days that a query asks for. Bounds given in several ways all hold: the range is what they have in common.
///
/// Days ago are local calendar days, inclusive, and 0 is today. A period means its cover.
pub fn resolve(query: &Query, zones: &Zones, now: Timestamp) -> Result<DateRange> {
    let today = zones.day_of(now);
    let ago = |days: u32| Span::new().try_days(days).and_then(|span| today.checked_sub(span)).unwrap_or(Date::MIN);
    let period = query.period.map(annals_core::Period::cover_days);
    let from = [query.from, query.max_days_ago.map(ago), period.map(|days| days.0)].into_iter().flatten().max();
    let to = [query.to, query.min_days_ago.map(ago), period.map(|days| days.1)].into_iter().flatten().min();
    match (from, to) {
        (Some(from), Some(to)) if from > to => {
            let reason = format!("ends on {to}, before it starts on {from}; no day can be in it");
            Err(Error::invalid("the range", reason))
        }
        _ => Ok(DateRange { from, to }),
    }
}

/// The instants of these days.
pub(crate) fn within(range: DateRange, zones: &Zones) -> Interval {
    Interval {
        start: range.from.map_or(Timestamp::MIN, |from| zones.day_interval(from).start),
        end: range.to.map_or(Timestamp::MAX, |to| zones.day_interval(to).end),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// At noon of 2026-03-04 in Berlin; expects `from..to`.
    #[track_caller]
    fn check(query: Query, expect: &str) {
        let zones = Zones::new("Europe/Berlin").unwrap();
        let shown = match resolve(&query, &zones, "2026-03-04T11:00:00Z".parse().unwrap()) {
            Ok(range) => {
                let day = |day: Option<Date>| day.map_or_else(String::new, |day| day.to_string());
                format!("{}..{}", day(range.from), day(range.to))
            }
            Err(error) => error.to_string(),
        };
        assert_eq!(shown, expect);
    }

    fn day(text: &str) -> Option<Date> {
        Some(text.parse().unwrap())
    }

    #[test]
    fn each_way_alone() {
        check(Query::default(), "..");
        check(Query { from: day("2026-01-02"), ..Query::default() }, "2026-01-02..");
        check(Query { to: day("2026-01-02"), ..Query::default() }, "..2026-01-02");
        check(Query { max_days_ago: Some(7), ..Query::default() }, "2026-02-25..");
        check(Query { min_days_ago: Some(0), ..Query::default() }, "..2026-03-04");
        // More days than a calendar holds.
        check(Query { max_days_ago: Some(5_000_000), ..Query::default() }, "-009999-01-01..");
        check(Query { max_days_ago: Some(u32::MAX), ..Query::default() }, "-009999-01-01..");
        check(Query { period: Some("2026-03".parse().unwrap()), ..Query::default() }, "2026-03-02..2026-03-29");
    }

    #[test]
    fn together_they_narrow() {
        let both = Query { period: Some("2026".parse().unwrap()), max_days_ago: Some(1), ..Query::default() };
        check(both, "2026-03-03..2027-01-03");
        let both = Query { min_days_ago: Some(3), max_days_ago: Some(1), ..Query::default() };
        check(both, "the range ends on 2026-03-01, before it starts on 2026-03-03; no day can be in it");
    }

    #[test]
    fn today_is_the_agents_day() {
        let zones = Zones::new("Pacific/Kiritimati").unwrap();
        let query = Query { max_days_ago: Some(0), ..Query::default() };
        let range = resolve(&query, &zones, "2026-03-04T11:00:00Z".parse().unwrap()).unwrap();
        assert_eq!(range.from, day("2026-03-05"));
    }
}
