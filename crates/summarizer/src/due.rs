//! Which periods are due: closed, quiet, dirty, and with clean children; and which clean ones are to be written anew. Pure.

use std::collections::HashSet;

use annals_core::{Digest, Grain, LedgerRow, Period, Timestamp, Zones};
use jiff::SignedDuration;

/// The most periods per grain and pass that are tried again after the spare engine wrote them: live work comes first, and a
/// budget is not spent on the past at once.
const AGAIN: usize = 8;

/// No wait is longer: what is noted for later than this was noted under a clock that was wrong.
pub(crate) const LONGEST_WAIT: SignedDuration = SignedDuration::from_hours(7 * 24);

/// How long to wait for what is still on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// How long after its cover is over a period closes.
    pub grace: SignedDuration,
    /// How long a period must have been without new input.
    pub quiet: SignedDuration,
    /// How long a period waits for an engine that is away before the spare one writes it.
    pub outage: SignedDuration,
}

impl Default for Patience {
    /// No grace and no quiet, and [`Patience::OUTAGE`].
    fn default() -> Patience {
        Patience { grace: SignedDuration::ZERO, quiet: SignedDuration::ZERO, outage: Patience::OUTAGE }
    }
}

impl Patience {
    /// A restart, an overload or a night's maintenance is over in six hours; after a day without its summaries yesterday could
    /// not be asked for, and retention would stand still.
    pub const OUTAGE: SignedDuration = SignedDuration::from_hours(6);

    /// When the period has waited long enough for an engine that is away.
    pub(crate) fn ends(&self, row: &LedgerRow, now: Timestamp) -> Timestamp {
        // A moment in the future is a clock that was turned back.
        later(row.failing_since.filter(|since| *since <= now).unwrap_or(now), self.outage)
    }

    pub(crate) fn is_over(&self, row: &LedgerRow, now: Timestamp) -> bool {
        self.ends(row, now) <= now
    }
}

/// The periods of one grain that can be rolled up at `now`, in order of time.
pub fn due(ledger: &[LedgerRow], grain: Grain, zones: &Zones, patience: Patience, now: Timestamp) -> Vec<LedgerRow> {
    let unsettled = unsettled(ledger, grain);
    ledger
        .iter()
        .filter(|row| row.period.grain() == grain && row.is_dirty())
        .filter(|row| !unsettled.contains(&row.period))
        .filter(|row| may_be_tried(row, now))
        .filter(|row| has_passed(row.dirty_at, patience.quiet, now))
        .filter(|row| zones.is_closed(row.period, patience.grace, now))
        .cloned()
        .collect()
}

/// Clean periods that the spare engine wrote and that the engine may be asked for again: the oldest, and not too many.
pub(crate) fn degraded(ledger: &[LedgerRow], grain: Grain, now: Timestamp) -> Vec<LedgerRow> {
    let unsettled = unsettled(ledger, grain);
    ledger
        .iter()
        .filter(|row| row.period.grain() == grain && !row.is_dirty() && row.degraded && !is_corrected(row))
        .filter(|row| !unsettled.contains(&row.period))
        .filter(|row| may_be_tried(row, now))
        .take(AGAIN)
        .cloned()
        .collect()
}

/// Clean periods whose summary was written by another recipe and can be written anew from all that it was made of.
pub(crate) fn outdated(ledger: &[LedgerRow], grain: Grain, recipe: Digest) -> Vec<LedgerRow> {
    ledger
        .iter()
        .filter(|row| row.period.grain() == grain && !row.is_dirty() && !row.sealed && !is_corrected(row))
        .filter(|row| row.recipe.is_some_and(|made| made != recipe))
        .cloned()
        .collect()
}

/// Periods that lie over one which is still to be rolled up.
fn unsettled(ledger: &[LedgerRow], grain: Grain) -> HashSet<Period> {
    let finer = ledger.iter().filter(|row| row.is_dirty() && row.period.grain() < grain);
    finer.map(|row| row.period.ancestor(grain)).collect()
}

fn may_be_tried(row: &LedgerRow, now: Timestamp) -> bool {
    row.not_before.is_none_or(|not_before| not_before <= now || not_before > later(now, LONGEST_WAIT))
}

/// Whether a person wrote the text: the archive says so in place of a recipe.
fn is_corrected(row: &LedgerRow) -> bool {
    row.recipe == Some(Digest::of(["corrected"]))
}

fn has_passed(since: Timestamp, wait: SignedDuration, now: Timestamp) -> bool {
    // A moment in the future is a clock that was turned back: it must not stop the period for ever.
    since > now || since.saturating_add(wait).is_ok_and(|until| until <= now)
}

/// An instant after another, or the end of time.
pub(crate) fn later(from: Timestamp, wait: SignedDuration) -> Timestamp {
    from.saturating_add(wait).unwrap_or(Timestamp::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUIET: Patience = Patience {
        grace: SignedDuration::from_mins(10),
        quiet: SignedDuration::from_mins(5),
        outage: Patience::OUTAGE,
    };

    /// Rows as `label:dirty/clean`, input at noon of 2026-03-04; expects the labels that are due.
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
    fn a_day_is_due_when_it_is_dirty_and_over_by_the_grace() {
        check("2026-03-04:1/0", Grain::Daily, "2026-03-04T23:00:00Z", "");
        check("2026-03-04:1/0", Grain::Daily, "2026-03-05T00:09:59Z", "");
        check("2026-03-04:1/0", Grain::Daily, "2026-03-05T00:10:00Z", "2026-03-04");
        check("2026-03-04:1/1", Grain::Daily, "2026-03-05T00:10:00Z", "");
    }

    #[test]
    fn fresh_input_is_waited_for() {
        check("2026-03-02:1/0", Grain::Daily, "2026-03-04T12:04:59Z", "");
        check("2026-03-02:1/0", Grain::Daily, "2026-03-04T12:05:00Z", "2026-03-02");
        check("2026-03-02:1/0", Grain::Daily, "2026-03-04T11:00:00Z", "2026-03-02");
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
