//! Which periods are due: closed, quiet, dirty, and with clean children. Pure.

use std::collections::HashSet;

use annals_core::{Grain, LedgerRow, Period, Timestamp, Zones};
use jiff::SignedDuration;

/// How long to wait for input that is still on its way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Patience {
    /// How long after its cover is over a period closes.
    pub grace: SignedDuration,
    /// How long a period must have been without new input.
    pub quiet: SignedDuration,
}

/// The periods of one grain that can be rolled up at `now`, in order of time.
pub fn due(ledger: &[LedgerRow], grain: Grain, zones: &Zones, patience: Patience, now: Timestamp) -> Vec<LedgerRow> {
    let waiting: HashSet<Period> = ledger
        .iter()
        .filter(|row| row.is_dirty() && row.period.grain() < grain)
        .map(|row| row.period.ancestor(grain))
        .collect();
    ledger
        .iter()
        .filter(|row| row.period.grain() == grain && row.is_dirty())
        .filter(|row| !waiting.contains(&row.period))
        .filter(|row| row.not_before.is_none_or(|not_before| not_before <= now))
        .filter(|row| has_passed(row.dirty_at, patience.quiet, now))
        .filter(|row| zones.is_closed(row.period, patience.grace, now))
        .cloned()
        .collect()
}

fn has_passed(since: Timestamp, wait: SignedDuration, now: Timestamp) -> bool {
    // A moment in the future is a clock that was turned back: it must not stop the period for ever.
    since > now || since.saturating_add(wait).is_ok_and(|until| until <= now)
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUIET: Patience = Patience { grace: SignedDuration::from_mins(10), quiet: SignedDuration::from_mins(5) };

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
