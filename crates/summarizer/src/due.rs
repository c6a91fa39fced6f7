//! Selects the periods that are due: closed, quiet, dirty and with clean children. Also selects the clean ones to rewrite.

use std::collections::HashSet;

use annals_core::retry::{MAX_OUTAGE, later};
use annals_core::{Digest, Grain, LedgerRow, Period, Timestamp, Zones};
use jiff::SignedDuration;

/// Maximum number of periods per grain and pass that are retried after the fallback engine wrote them. The limit lets new input
/// come first, and keeps a budget from being spent on old periods at once.
const AGAIN: usize = 8;

/// The longest wait until a retry. A retry time further in the future was recorded under a wrong clock, and is ignored.
pub(crate) const MAX_WAIT: SignedDuration = SignedDuration::from_hours(7 * 24);

/// How long to wait for late input and for the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SchedulePolicy {
    /// How long after the end of its cover a period closes.
    pub grace: SignedDuration,
    /// How long a period must have had no new input before it is due.
    pub quiet: SignedDuration,
    /// How long a period waits for an unavailable engine before the fallback engine writes it.
    pub outage: SignedDuration,
}

impl Default for SchedulePolicy {
    /// Returns no grace, no quiet time, and [`MAX_OUTAGE`].
    fn default() -> SchedulePolicy {
        SchedulePolicy { grace: SignedDuration::ZERO, quiet: SignedDuration::ZERO, outage: MAX_OUTAGE }
    }
}

impl SchedulePolicy {
    /// How long after midnight a day closes: messages of the day before may still arrive.
    pub const GRACE: SignedDuration = SignedDuration::from_mins(10);

    /// Returns when the period has waited long enough for an unavailable engine. A period without a failure begins to wait now.
    pub(crate) fn ends(&self, row: &LedgerRow, now: Timestamp) -> Timestamp {
        // A time in the future means that the clock was turned back.
        later(row.failing_since.filter(|since| *since <= now).unwrap_or(now), self.outage)
    }

    pub(crate) fn is_over(&self, row: &LedgerRow, now: Timestamp) -> bool {
        self.ends(row, now) <= now
    }
}

/// Returns the periods of one grain that can be rolled up at `now`, in the order of the ledger.
pub fn due(
    ledger: &[LedgerRow],
    grain: Grain,
    zones: &Zones,
    policy: SchedulePolicy,
    now: Timestamp,
) -> Vec<LedgerRow> {
    let unsettled = unsettled(ledger, grain);
    ledger
        .iter()
        .filter(|row| row.period.grain() == grain && row.is_dirty())
        .filter(|row| !unsettled.contains(&row.period))
        .filter(|row| may_be_tried(row, now))
        .filter(|row| has_passed(row.dirty_at, policy.quiet, now))
        .filter(|row| zones.is_closed(row.period, policy.grace, now))
        .cloned()
        .collect()
}

/// Returns the dirty periods that are over but not due yet, because late or further input may arrive, each with the time when
/// it becomes due. Leaves out periods that wait for a retry, and those above a period that is still to be rolled up.
pub(crate) fn not_yet_due(
    ledger: &[LedgerRow],
    zones: &Zones,
    policy: SchedulePolicy,
    now: Timestamp,
) -> Vec<(Period, Timestamp)> {
    let due_at = |row: &LedgerRow| {
        // A time in the future means that the clock was turned back; `has_passed` ignores it too.
        let quiet_from = if row.dirty_at > now { Timestamp::MIN } else { later(row.dirty_at, policy.quiet) };
        quiet_from.max(later(zones.cover(row.period).end, policy.grace))
    };
    let unsettled: HashSet<Period> = Grain::SUMMARIES.iter().flat_map(|grain| unsettled(ledger, *grain)).collect();
    ledger
        .iter()
        .filter(|row| row.is_dirty() && !unsettled.contains(&row.period))
        .filter(|row| may_be_tried(row, now) && zones.cover(row.period).end <= now)
        .map(|row| (row.period, due_at(row)))
        .filter(|(_, due_at)| *due_at > now)
        .collect()
}

/// Returns the oldest clean periods that the fallback engine wrote and for which the engine may be called again, at most
/// [`AGAIN`]. Leaves out corrected summaries, and periods above one that is still to be rolled up.
pub(crate) fn degraded(ledger: &[LedgerRow], grain: Grain, now: Timestamp) -> Vec<LedgerRow> {
    let unsettled = unsettled(ledger, grain);
    ledger
        .iter()
        .filter(|row| row.period.grain() == grain && !row.is_dirty() && row.degraded && !row.is_corrected())
        .filter(|row| !unsettled.contains(&row.period))
        .filter(|row| may_be_tried(row, now))
        .take(AGAIN)
        .cloned()
        .collect()
}

/// Returns clean periods with a summary of another recipe that can be rewritten from their complete input. Leaves out sealed
/// periods and corrected summaries.
pub(crate) fn outdated(ledger: &[LedgerRow], grain: Grain, recipe: Digest) -> Vec<LedgerRow> {
    ledger
        .iter()
        .filter(|row| row.period.grain() == grain && !row.is_dirty() && !row.sealed && !row.is_corrected())
        .filter(|row| row.recipe.is_some_and(|made| made != recipe))
        .cloned()
        .collect()
}

/// Returns the periods of a grain with a finer period below them that is still to be rolled up.
fn unsettled(ledger: &[LedgerRow], grain: Grain) -> HashSet<Period> {
    let finer = ledger.iter().filter(|row| row.is_dirty() && row.period.grain() < grain);
    finer.map(|row| row.period.ancestor(grain)).collect()
}

fn may_be_tried(row: &LedgerRow, now: Timestamp) -> bool {
    row.not_before.is_none_or(|not_before| not_before <= now || not_before > later(now, MAX_WAIT))
}

fn has_passed(since: Timestamp, wait: SignedDuration, now: Timestamp) -> bool {
    // A time in the future means that the clock was turned back; it must not block the period for ever.
    since > now || since.saturating_add(wait).is_ok_and(|until| until <= now)
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUIET: SchedulePolicy = SchedulePolicy {
        grace: SignedDuration::from_mins(10),
        quiet: SignedDuration::from_mins(5),
        outage: MAX_OUTAGE,
    };

    /// Checks which labels are due. Rows are written as `label:dirty/clean`, with input at noon of 2026-03-04.
    #[track_caller]
    fn check(rows: &str, grain: Grain, now: &str, expect: &str) {
        let ledger: Vec<LedgerRow> = rows.split_whitespace().map(row).collect();
        let zones = Zones::new("UTC").unwrap();
        let due = due(&ledger, grain, &zones, QUIET, now.parse().unwrap());
        let labels: Vec<String> = due.iter().map(|row| row.period.to_string()).collect();
        assert_eq!(labels.join(" "), expect, "{rows} at {now}");
    }

    fn row(text: &str) -> LedgerRow {
        let (label, seqs) = text.split_once(':').unwrap();
        let (dirty, clean) = seqs.split_once('/').unwrap();
        let row =
            LedgerRow::new(label.parse().unwrap(), dirty.parse().unwrap(), "2026-03-04T12:00:00Z".parse().unwrap());
        LedgerRow { clean_seq: clean.parse().unwrap(), ..row }
    }

    #[test]
    fn dirty_day_is_due_after_its_end_and_the_grace() {
        check("2026-03-04:1/0", Grain::Daily, "2026-03-04T23:00:00Z", "");
        check("2026-03-04:1/0", Grain::Daily, "2026-03-05T00:09:59Z", "");
        check("2026-03-04:1/0", Grain::Daily, "2026-03-05T00:10:00Z", "2026-03-04");
        check("2026-03-04:1/1", Grain::Daily, "2026-03-05T00:10:00Z", "");
    }

    #[test]
    fn fresh_input_delays_its_period() {
        check("2026-03-02:1/0", Grain::Daily, "2026-03-04T12:04:59Z", "");
        check("2026-03-02:1/0", Grain::Daily, "2026-03-04T12:05:00Z", "2026-03-02");
        check("2026-03-02:1/0", Grain::Daily, "2026-03-04T11:00:00Z", "2026-03-02");
    }

    #[test]
    fn day_that_is_over_is_named_with_the_time_when_it_becomes_due() {
        #[track_caller]
        fn check(rows: &str, now: &str, expect: &str) {
            let ledger: Vec<LedgerRow> = rows.split_whitespace().map(row).collect();
            let waiting = not_yet_due(&ledger, &Zones::new("UTC").unwrap(), QUIET, now.parse().unwrap());
            let waiting_text: Vec<String> =
                waiting.iter().map(|(period, due_at)| format!("{period} at {due_at}")).collect();
            assert_eq!(waiting_text.join(", "), expect, "{rows} at {now}");
        }
        check("2026-03-04:1/0", "2026-03-04T23:00:00Z", "");
        check("2026-03-04:1/0", "2026-03-05T00:05:00Z", "2026-03-04 at 2026-03-05T00:10:00Z");
        check("2026-03-04:1/0", "2026-03-05T00:10:00Z", "");
        check("2026-03-02:1/0", "2026-03-04T12:04:00Z", "2026-03-02 at 2026-03-04T12:05:00Z");
        check("2026-03-02:1/0", "2026-03-04T11:00:00Z", "");
        check("2026-02-27:2/0 2026-W09:1/0", "2026-03-04T12:04:00Z", "2026-02-27 at 2026-03-04T12:05:00Z");
        check("2026-02-27:2/2 2026-W09:1/0", "2026-03-04T12:04:00Z", "2026-W09 at 2026-03-04T12:05:00Z");
    }

    #[test]
    fn coarser_periods_wait_for_clean_descendants() {
        let now = "2026-04-09T00:00:00Z";
        check("2026-03-04:2/1 2026-W10:1/0 2026-W11:1/0", Grain::Weekly, now, "2026-W11");
        check("2026-03-04:2/1 2026-W10:1/1 2026-03:1/0", Grain::Monthly, now, "");
        check("2026-03-04:2/2 2026-W10:1/1 2026-03:1/0", Grain::Monthly, now, "2026-03");
        // 30 March lies in April's first week.
        check("2026-03-30:2/1 2026-03:1/0", Grain::Monthly, now, "2026-03");
    }
}
