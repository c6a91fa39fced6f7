//! One pass over an agent: every period that is due, from days to years, in bounded batches.

use std::collections::BTreeSet;

use annals_core::{Agent, Grain, LedgerRow, Period, Result, SignedDuration, Summary, Timestamp, Zones};
use futures::future::join_all;

use crate::{Summarizer, due};

/// Roll-ups saved in one transaction: one fsync for many, and little to repeat after a crash.
const BATCH: usize = 64;
/// The first wait after a failure; it doubles with each further one.
const BACKOFF: SignedDuration = SignedDuration::from_mins(1);
/// 2^10 minutes are 17 hours.
const MOST_DOUBLINGS: u32 = 10;

/// What a pass came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Passed {
    /// Summaries written or written anew, per grain in the order of [`Grain::SUMMARIES`].
    pub written: [u64; 5],
    /// Periods whose input turned out to be what their summary was made of.
    pub unchanged: u64,
    /// Summaries that went with the last of what they told of.
    pub removed: u64,
    /// Periods that failed, with the reason; they are tried again later.
    pub failed: Vec<(Period, String)>,
}

/// What a pass would do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Periods that would be read, per grain in the order of [`Grain::SUMMARIES`]. Coarser ones are only written if what they
    /// are made of turns out to have changed.
    pub periods: Vec<Period>,
}

impl Summarizer {
    /// Rolls up everything that is due at `now`. `progress` is told the number of periods after each batch.
    pub async fn pass(&self, agent: &Agent, now: Timestamp, progress: &(dyn Fn(u64) + Sync)) -> Result<Passed> {
        let zones = self.catalog.settings(agent).await?.zones()?;
        let mut passed = Passed::default();
        for grain in Grain::SUMMARIES {
            let rows = due(&self.catalog.ledger(agent).await?, grain, &zones, self.patience, now);
            self.roll_up_all(agent, &rows, &zones, false, now, progress, &mut passed).await?;
        }
        Ok(passed)
    }

    /// Writes every summary anew whose recipe is not the engine's present one, and what depends on it.
    pub async fn refresh(&self, agent: &Agent, now: Timestamp, progress: &(dyn Fn(u64) + Sync)) -> Result<Passed> {
        let zones = self.catalog.settings(agent).await?.zones()?;
        let mut passed = self.pass(agent, now, progress).await?;
        for grain in Grain::SUMMARIES {
            let ledger = self.catalog.ledger(agent).await?;
            let dirty = due(&ledger, grain, &zones, self.patience, now);
            self.roll_up_all(agent, &dirty, &zones, false, now, progress, &mut passed).await?;
            let outdated = self.outdated(&self.catalog.ledger(agent).await?, grain);
            self.roll_up_all(agent, &outdated, &zones, true, now, progress, &mut passed).await?;
        }
        Ok(passed)
    }

    /// What [`Summarizer::pass`] would do at `now`, or [`Summarizer::refresh`].
    pub async fn plan(&self, agent: &Agent, refresh: bool, now: Timestamp) -> Result<Plan> {
        let zones = self.catalog.settings(agent).await?.zones()?;
        let ledger = self.catalog.ledger(agent).await?;
        let mut periods: BTreeSet<Period> = BTreeSet::new();
        for grain in Grain::SUMMARIES {
            periods.extend(due(&ledger, grain, &zones, self.patience, now).iter().map(|row| row.period));
            if refresh {
                periods.extend(self.outdated(&ledger, grain).iter().map(|row| row.period));
            }
            let parents = periods.iter().filter_map(|period| period.parent());
            let closed = parents.filter(|parent| zones.is_closed(*parent, self.patience.grace, now));
            periods.extend(closed.collect::<Vec<_>>());
        }
        Ok(Plan { periods: periods.into_iter().collect() })
    }

    fn outdated(&self, ledger: &[LedgerRow], grain: Grain) -> Vec<LedgerRow> {
        let recipe = self.engine.recipe(grain);
        let is_outdated =
            |row: &&LedgerRow| row.period.grain() == grain && row.recipe.is_some_and(|made| made != recipe);
        ledger.iter().filter(|row| !row.is_dirty()).filter(is_outdated).cloned().collect()
    }

    #[expect(clippy::too_many_arguments, reason = "one loop, used by both kinds of pass")]
    async fn roll_up_all(
        &self,
        agent: &Agent,
        rows: &[LedgerRow],
        zones: &Zones,
        refresh: bool,
        now: Timestamp,
        progress: &(dyn Fn(u64) + Sync),
        passed: &mut Passed,
    ) -> Result<()> {
        for batch in rows.chunks(BATCH) {
            let outcomes = join_all(batch.iter().map(|row| self.roll_up(agent, row, zones, refresh))).await;
            let mut summaries = Vec::new();
            for (row, outcome) in batch.iter().zip(outcomes) {
                match outcome {
                    Ok(summary) => summaries.push(summary),
                    Err(error) => {
                        self.catalog.note_failure(agent, row.period, &error.to_string(), retry_at(row, now)).await?;
                        passed.failed.push((row.period, error.to_string()));
                    }
                }
            }
            summaries.iter().for_each(|summary| passed.count(summary));
            self.catalog.save_summaries(agent, summaries, now).await?;
            progress(batch.len() as u64);
        }
        Ok(())
    }
}

impl Passed {
    fn count(&mut self, summary: &Summary) {
        match &summary.draft {
            Some(_) => self.written[summary.period.grain() as usize - 1] += 1,
            None if summary.sources.is_empty() => self.removed += 1,
            None => self.unchanged += 1,
        }
    }
}

fn retry_at(row: &LedgerRow, now: Timestamp) -> Timestamp {
    let wait = BACKOFF * 2_i32.pow(row.attempts.min(MOST_DOUBLINGS));
    now.saturating_add(wait).unwrap_or(Timestamp::MAX)
}

#[cfg(test)]
mod tests;
