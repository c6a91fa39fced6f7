//! Estimates the cost of a roll-up before it is paid: calls an engine that only counts, once for every period whose
//! input exists. Writes nothing.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use annals_core::ports::AlreadyHeld;
use annals_core::{Agent, Grain, LedgerRow, Period, Result, Timestamp};

use crate::pass::Pass;
use crate::{Summarizer, due};

/// Planned periods of a grain that cannot be counted, because finer periods have to be rolled up first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiting {
    pub grain: Grain,
    pub periods: u64,
    /// Number of finer periods from which these will be made.
    pub sources: u64,
}

impl Summarizer {
    /// Calls the engine for every period that a pass would write now, or a refresh if `refresh` is true, and discards the
    /// answers. Returns the periods of [`Summarizer::plan`] that it could not call the engine for, by grain. Their cost is not
    /// counted.
    pub async fn ask_for_due(&self, agent: &Agent, refresh: bool, now: Timestamp) -> Result<Vec<Waiting>> {
        let pass = self.begin(agent, now, &|_| (), &|| false, &AlreadyHeld).await?;
        let ledger = pass.ledger().await?;
        let mut asked = HashSet::new();
        for grain in Grain::SUMMARIES {
            let due = due(&ledger, grain, &pass.zones, self.policy, now);
            let again = self.to_rewrite(agent, &pass.settings, &ledger, grain, refresh, now).await?;
            for row in due.iter().chain(&again) {
                pass.ask_to_count(row).await?;
                asked.insert(row.period);
            }
        }
        let planned = self.plan(agent, refresh, now).await?.periods;
        let waiting = planned.iter().filter(|period| !asked.contains(period));
        Ok(by_grain(waiting, &ledger.iter().map(|row| row.period).chain(planned.iter().copied()).collect()))
    }
}

impl Pass<'_> {
    /// Calls the engine for a period with the request that a roll-up makes. Does not call it if the summary needs no model.
    async fn ask_to_count(&self, row: &LedgerRow) -> Result<()> {
        let engine = &self.summarizer.engine;
        let input = self.summarizer.input(self.agent, row).await?;
        let is_written = input.children.is_empty() || input.known && row.is_dirty();
        if is_written || engine.writes_locally(&self.settings, row.period.grain()) {
            return Ok(());
        }
        let background = self.background(row, &input).await?;
        // A counting engine returns an error.
        let _ = engine.summarize(self.task(row, &input, &background)).await;
        Ok(())
    }
}

/// Counts periods by grain, each with the periods of `all` from which it is made.
fn by_grain<'a>(periods: impl Iterator<Item = &'a Period>, all: &BTreeSet<Period>) -> Vec<Waiting> {
    let mut grains: BTreeMap<Grain, Waiting> = BTreeMap::new();
    for period in periods {
        let grain = period.grain();
        let waiting = grains.entry(grain).or_insert(Waiting { grain, periods: 0, sources: 0 });
        waiting.periods += 1;
        waiting.sources += all.iter().filter(|finer| finer.parent() == Some(*period)).count() as u64;
    }
    grains.into_values().collect()
}
