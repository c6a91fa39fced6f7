//! Finds the summaries for a question about a period, such as "what happened in July?". The answer lists them before all
//! other results.

use std::cmp::Reverse;

use annals_core::ports::Select;
use annals_core::{Agent, Date, DateRange, Grain, Interval, Kind, Memory, Period, Result};
use jiff::ToSpan;

use crate::Search;
use crate::placeholders::is_placeholder;
use crate::range::{Bounds, within};
use crate::times::length;

/// Maximum number of summaries. More would take the place of turns, which are more useful.
const MAX_SUMMARIES: usize = 8;
/// Daily summaries are not read for ranges longer than this.
const MAX_DAYS: i64 = 62;
/// Grains from coarse to fine.
const COARSE_FIRST: [Grain; 5] = [Grain::Yearly, Grain::Quarterly, Grain::Monthly, Grain::Weekly, Grain::Daily];

impl Search {
    /// Returns at most [`MAX_SUMMARIES`] summaries for these days, the coarsest first and each grain in order of time: the
    /// coarse ones that lie inside the days, and finer ones that none of these covers. Leaves out summaries that end after now,
    /// those that say nothing and, for more than [`MAX_DAYS`] days, daily ones. Returns none if the days are open at an end.
    pub(crate) async fn summaries_of(
        &self,
        agent: &Agent,
        days: DateRange,
        bounds: &Bounds,
        zones: &annals_core::Zones,
    ) -> Result<Vec<Memory>> {
        let (Some(from), Some(to)) = (days.from, days.to) else { return Ok(Vec::new()) };
        // The weeks of a month extend up to three days beyond its ends.
        let around = DateRange { from: from.checked_sub(7.days()).ok(), to: to.checked_add(7.days()).ok() };
        let mut found: Vec<Memory> = Vec::new();
        for grain in COARSE_FIRST {
            if grain == Grain::Daily && length(days).is_none_or(|days| days > MAX_DAYS) {
                continue;
            }
            let listed = self.summaries(agent, grain, within(around, zones)).await?;
            let fits = |memory: &Memory| {
                is_about(memory.period, from, to) && bounds.is_over(memory) && !is_placeholder(memory)
            };
            for memory in listed.into_iter().filter(fits) {
                if !found.iter().any(|other| is_within(memory.period, other.period)) {
                    found.push(memory);
                }
            }
        }
        found.truncate(MAX_SUMMARIES);
        found.sort_by_key(|memory| (Reverse(memory.grain), memory.days.0));
        Ok(found)
    }

    async fn summaries(&self, agent: &Agent, grain: Grain, within: Interval) -> Result<Vec<Memory>> {
        let select = Select { within, kinds: vec![Kind::Summary], ..Select::all(grain) };
        self.store.list(agent, &select).await
    }
}

/// Returns whether the period lies within the days. A week lies within them if at least four of its days do; weeks are assigned
/// to months by the same rule.
fn is_about(period: Period, from: Date, to: Date) -> bool {
    let fourth = |date: Date| date.saturating_add(3.days());
    match period.grain() {
        Grain::Weekly => fourth(period.first_day().max(from)) <= period.last_day().min(to),
        _ => from <= period.first_day() && period.last_day() <= to,
    }
}

fn is_within(period: Period, other: Period) -> bool {
    period.grain() < other.grain() && period.ancestor(other.grain()) == other
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn period_within_days_or_week_mostly_within_matches() {
        fn check(period: &str, days: &str, expect: bool) {
            let (from, to) = days.split_once("..").unwrap();
            let is_about = is_about(period.parse().unwrap(), from.parse().unwrap(), to.parse().unwrap());
            assert_eq!(is_about, expect, "{period} {days}");
        }
        check("2026-03", "2026-03-01..2026-03-31", true);
        check("2026-Q1", "2026-03-01..2026-03-31", false);
        check("2026-W10", "2026-03-01..2026-03-31", true);
        check("2026-W14", "2026-03-01..2026-03-31", false);
        check("2026-W14", "2026-03-01..2026-04-02", true);
        check("2026-W14", "2026-04-02..2026-04-02", false);
        check("2026-W14", "2026-04-01..2026-04-04", true);
        check("2026-03-01", "2026-03-01..2026-03-31", true);
    }
}
