//! Estimates what a pass would do and read, to know the cost before running it.

use std::collections::{BTreeSet, HashMap};

use annals_core::{Agent, Grain, LedgerRow, Period, Result, Settings, Timestamp};

use crate::due::{degraded, not_yet_due, outdated};
use crate::{Summarizer, due};

/// What a pass would do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PassPlan {
    /// Periods that would be read, sorted by grain and time. Coarser ones are only written if their input turns out to have
    /// changed.
    pub periods: Vec<Period>,
    /// Number of words that would be read. Leaves out summaries that do not exist yet, each of a few hundred words at most.
    pub words: u64,
}

impl Summarizer {
    /// Returns what [`Summarizer::pass`] would do at `now`, or [`Summarizer::refresh`] if `refresh` is true.
    pub async fn plan(&self, agent: &Agent, refresh: bool, now: Timestamp) -> Result<PassPlan> {
        let settings = self.store.settings(agent).await?;
        let zones = settings.zones()?;
        let ledger = self.store.ledger(agent).await?;
        let mut periods: BTreeSet<Period> = BTreeSet::new();
        for grain in Grain::SUMMARIES {
            periods.extend(due(&ledger, grain, &zones, self.policy, now).iter().map(|row| row.period));
            let again = self.to_rewrite(agent, &settings, &ledger, grain, refresh, now).await?;
            periods.extend(again.iter().map(|row| row.period));
            let parents = periods.iter().filter_map(|period| period.parent());
            let closed = parents.filter(|parent| zones.is_closed(*parent, self.policy.grace, now));
            periods.extend(closed.collect::<Vec<_>>());
        }
        let words = self.words(agent, &ledger, &periods).await?;
        Ok(PassPlan { periods: periods.into_iter().collect(), words })
    }

    /// Returns the clean periods of a grain that a pass at `now` writes again, or a refresh if `refresh` is true.
    pub(crate) async fn to_rewrite(
        &self,
        agent: &Agent,
        settings: &Settings,
        ledger: &[LedgerRow],
        grain: Grain,
        refresh: bool,
        now: Timestamp,
    ) -> Result<Vec<LedgerRow>> {
        if !refresh {
            return Ok(degraded(ledger, grain, now));
        }
        self.with_summary(agent, outdated(ledger, grain, self.recipe(settings, grain))).await
    }

    /// Returns the dirty periods that are over but not due yet, because further input may arrive, each with the time when it
    /// becomes due. Leaves out periods that wait for a retry, and those above a period that is still to be rolled up.
    pub async fn not_yet_due(&self, agent: &Agent, now: Timestamp) -> Result<Vec<(Period, Timestamp)>> {
        let zones = self.store.settings(agent).await?.zones()?;
        Ok(not_yet_due(&self.store.ledger(agent).await?, &zones, self.policy, now))
    }

    async fn words(&self, agent: &Agent, ledger: &[LedgerRow], periods: &BTreeSet<Period>) -> Result<u64> {
        let rows: HashMap<Period, &LedgerRow> = ledger.iter().map(|row| (row.period, row)).collect();
        let mut words = 0;
        for row in periods.iter().filter_map(|period| rows.get(period)) {
            words += self.input(agent, row).await?.words();
        }
        Ok(words)
    }
}
