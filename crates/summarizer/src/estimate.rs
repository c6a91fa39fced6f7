//! Asks a counting engine about every due period with changed input, so that the cost of a roll-up is known before it is paid.
//! Writes nothing.

use std::collections::{BTreeMap, HashSet};

use annals_core::ports::SummaryTask;
use annals_core::{Agent, Grain, Period, Result, Timestamp};

use crate::{Summarizer, due};

/// The planned periods of one grain that are not counted: finer periods have to be rolled up first, or the period is clean and
/// only to be rewritten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiting {
    pub grain: Grain,
    pub periods: u64,
    /// Number of finer periods that are planned as well and from which these will be made.
    pub sources: u64,
}

impl Summarizer {
    /// Calls the engine for every period that is due now and has changed input, and discards the answers. Returns the other
    /// periods of [`Summarizer::plan`], which are not counted, by grain.
    pub async fn ask_for_due(&self, agent: &Agent, refresh: bool, now: Timestamp) -> Result<Vec<Waiting>> {
        let settings = self.store.settings(agent).await?;
        let zones = settings.zones()?;
        let ledger = self.store.ledger(agent).await?;
        for row in Grain::SUMMARIES.into_iter().flat_map(|grain| due(&ledger, grain, &zones, self.policy, now)) {
            let input = self.input(agent, &row).await?;
            if input.is_empty() || input.known {
                continue;
            }
            let task = SummaryTask {
                agent,
                settings: &settings,
                period: row.period,
                sources: &input.children,
                base: input.base.as_ref(),
                background: None,
                read_seq: row.dirty_seq,
                now,
            };
            // A counting engine returns an error; an engine that needs no model has nothing to count.
            let _ = self.engine.summarize(task).await;
        }
        let asked: HashSet<Period> = Grain::SUMMARIES
            .into_iter()
            .flat_map(|grain| due(&ledger, grain, &zones, self.policy, now))
            .map(|row| row.period)
            .collect();
        let planned = self.plan(agent, refresh, now).await?.periods;
        let mut above: BTreeMap<Grain, Waiting> = BTreeMap::new();
        for period in planned.iter().filter(|period| !asked.contains(period)) {
            let (grain, none) = (period.grain(), Waiting { grain: period.grain(), periods: 0, sources: 0 });
            let waiting = above.entry(grain).or_insert(none);
            waiting.periods += 1;
            waiting.sources += planned.iter().filter(|finer| finer.parent() == Some(*period)).count() as u64;
        }
        Ok(above.into_values().collect())
    }
}
