//! One pass over an agent: rolls up every due period, from days to years, in bounded batches.

use std::collections::HashSet;

use annals_core::ports::{AlreadyHeld, WriteLock};
use annals_core::{Agent, Grain, LedgerRow, Period, Result, Settings, Summary, Timestamp, Zones};

use crate::due::{degraded, outdated};
use crate::roll_up::RollUpReason;
use crate::{Summarizer, due};

/// What a pass wrote, and what it left.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Passed {
    /// Summaries written or rewritten, per grain in the order of [`Grain::SUMMARIES`].
    pub written: [u64; 5],
    /// How many of the written summaries the fallback engine wrote. They are rewritten when the cause is gone.
    pub degraded: u64,
    /// Number of due periods with unchanged input. They keep their summaries.
    pub unchanged: u64,
    /// Number of periods with nothing left to summarise. A summary that such a period had was removed.
    pub removed: u64,
    /// Number of periods that were not written, because the pass stopped or they changed meanwhile. The next pass writes
    /// those that are due.
    pub left: u64,
    /// Periods with input on which the engine failed, each with the error. Later passes retry them. An outdated summary is
    /// retried only by the next refresh.
    pub failed: Vec<(Period, String)>,
    /// Periods that wait for an unavailable engine.
    pub waiting: Vec<Period>,
    /// Periods that wait for an answer of a batch.
    pub in_batch: Vec<Period>,
    /// Why the engine is unavailable; `None` if no call found it so.
    pub outage: Option<String>,
    /// Number of results that were not saved, because the period or its input changed meanwhile, or because another pass
    /// saved first.
    pub stale: u64,
}

/// The state of a pass, shared by its steps.
pub(crate) struct Pass<'a> {
    pub(crate) summarizer: &'a Summarizer,
    pub(crate) agent: &'a Agent,
    pub(crate) settings: Settings,
    pub(crate) zones: Zones,
    pub(crate) now: Timestamp,
    pub(crate) progress: &'a (dyn Fn(u64) + Sync),
    pub(crate) should_stop: &'a (dyn Fn() -> bool + Sync),
    /// The lock that is taken to save results.
    pub(crate) lock: &'a dyn WriteLock,
    /// Whether a batch of periods was rolled up. Before, the first period is begun even if `should_stop` returns true.
    pub(crate) begun: bool,
    pub(crate) passed: Passed,
    /// Periods that are already part of a batch. The answers come later.
    pub(crate) awaited: HashSet<Period>,
    /// Periods with a child that the fallback engine wrote. The child already waited for the outage to end; waiting again at
    /// each grain would make a year five times as late as its days.
    pub(crate) over_degraded: HashSet<Period>,
}

impl Summarizer {
    /// Rolls up everything that is due at `now`, and retries some of the summaries of the fallback engine. Calls `progress`
    /// with the number of periods each time that some are done. Fails if a store fails; what was saved before stays.
    pub async fn pass(&self, agent: &Agent, now: Timestamp, progress: &(dyn Fn(u64) + Sync)) -> Result<Passed> {
        self.pass_until(agent, now, progress, &|| false).await
    }

    /// Runs a pass like [`Summarizer::pass`], but begins no further period once `should_stop` returns true, except the first.
    /// So every pass makes progress.
    pub(crate) async fn pass_until(
        &self,
        agent: &Agent,
        now: Timestamp,
        progress: &(dyn Fn(u64) + Sync),
        should_stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Passed> {
        self.pass_unlocked(agent, now, progress, should_stop, &AlreadyHeld).await
    }

    /// Runs a pass like `pass_until`, but takes the agent's lock only to save, not while an engine writes. A summary is not
    /// saved if its input changed meanwhile. Two concurrent calls for one agent would pay for the same summaries twice.
    pub async fn pass_unlocked(
        &self,
        agent: &Agent,
        now: Timestamp,
        progress: &(dyn Fn(u64) + Sync),
        should_stop: &(dyn Fn() -> bool + Sync),
        lock: &dyn WriteLock,
    ) -> Result<Passed> {
        let mut pass = self.begin(agent, now, progress, should_stop, lock).await?;
        for grain in Grain::SUMMARIES {
            // Read first, so that summaries which the fallback engine writes now are not retried right away.
            let again = degraded(&pass.ledger().await?, grain, now);
            pass.write_due(grain).await?;
            pass.roll_up_rows(&again, RollUpReason::Degraded).await?;
        }
        Ok(pass.passed)
    }

    /// Writes what is due. Also rewrites every summary with a recipe other than the engine's present one, and the summaries
    /// made from it. Corrected summaries keep the person's text. Sealed ones stay until they are amended, because their input
    /// was pruned.
    pub async fn refresh(&self, agent: &Agent, now: Timestamp, progress: &(dyn Fn(u64) + Sync)) -> Result<Passed> {
        self.refresh_unlocked(agent, now, progress, &|| false, &AlreadyHeld).await
    }

    /// Rewrites summaries like [`Summarizer::refresh`], but takes the lock only to save, like [`Summarizer::pass_unlocked`].
    pub async fn refresh_unlocked(
        &self,
        agent: &Agent,
        now: Timestamp,
        progress: &(dyn Fn(u64) + Sync),
        should_stop: &(dyn Fn() -> bool + Sync),
        lock: &dyn WriteLock,
    ) -> Result<Passed> {
        let mut pass = self.begin(agent, now, progress, should_stop, lock).await?;
        for grain in Grain::SUMMARIES {
            pass.write_due(grain).await?;
            pass.write_outdated(grain).await?;
        }
        Ok(pass.passed)
    }

    pub(crate) async fn begin<'a>(
        &'a self,
        agent: &'a Agent,
        now: Timestamp,
        progress: &'a (dyn Fn(u64) + Sync),
        should_stop: &'a (dyn Fn() -> bool + Sync),
        lock: &'a dyn WriteLock,
    ) -> Result<Pass<'a>> {
        let settings = self.store.settings(agent).await?;
        let zones = settings.zones()?;
        let awaited = self.engine.awaited(agent).await?.into_iter().collect();
        Ok(Pass {
            summarizer: self,
            agent,
            settings,
            zones,
            now,
            progress,
            should_stop,
            lock,
            begun: false,
            passed: Passed::default(),
            awaited,
            over_degraded: HashSet::new(),
        })
    }
}

impl Pass<'_> {
    pub(crate) async fn ledger(&self) -> Result<Vec<LedgerRow>> {
        self.summarizer.store.ledger(self.agent).await
    }

    async fn write_due(&mut self, grain: Grain) -> Result<()> {
        let ledger = self.ledger().await?;
        self.over_degraded = ledger.iter().filter(|row| row.degraded).filter_map(|row| row.period.parent()).collect();
        let rows = due(&ledger, grain, &self.zones, self.summarizer.policy, self.now);
        self.roll_up_rows(&rows, RollUpReason::Dirty).await
    }

    async fn write_outdated(&mut self, grain: Grain) -> Result<()> {
        let recipe = self.summarizer.engine.recipe(&self.settings, grain);
        let rows = self.summarizer.with_summary(self.agent, outdated(&self.ledger().await?, grain, recipe)).await?;
        self.roll_up_rows(&rows, RollUpReason::Outdated).await
    }
}

impl Passed {
    pub(crate) fn count(&mut self, summary: &Summary) {
        match &summary.draft {
            Some(_) => self.written[summary.period.grain() as usize - 1] += 1,
            None if summary.sources.is_empty() => self.removed += 1,
            None => self.unchanged += 1,
        }
        self.degraded += u64::from(summary.degraded);
    }
}

#[cfg(test)]
mod tests;
