//! One pass over an agent: every period that is due, from days to years, in bounded batches.

use std::collections::HashSet;

use annals_core::ports::{AlreadyHeld, WriteLock};
use annals_core::{Agent, Grain, LedgerRow, Period, Result, Settings, Summary, Timestamp, Zones};

use crate::due::{degraded, outdated};
use crate::roll_up::Why;
use crate::{Summarizer, due};

/// What a pass came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Passed {
    /// Summaries written or written anew, per grain in the order of [`Grain::SUMMARIES`].
    pub written: [u64; 5],
    /// How many of them the spare engine wrote; they are written anew when the cause is gone.
    pub degraded: u64,
    /// Periods whose input turned out to be what their summary was made of.
    pub unchanged: u64,
    /// Summaries that went with the last of what they told of.
    pub removed: u64,
    /// Periods that were due when it was enough. The next pass writes them.
    pub left: u64,
    /// Periods that failed for a reason of their own; they are tried again later.
    pub failed: Vec<(Period, String)>,
    /// Periods that wait for an engine that is away.
    pub waiting: Vec<Period>,
    /// Why it is away.
    pub outage: Option<String>,
    /// Summaries that were not saved, because what they were made from changed meanwhile.
    pub stale: u64,
}

/// A pass under way: what each of its steps needs to know.
pub(crate) struct Pass<'a> {
    pub(crate) summarizer: &'a Summarizer,
    pub(crate) agent: &'a Agent,
    pub(crate) settings: Settings,
    pub(crate) zones: Zones,
    pub(crate) now: Timestamp,
    pub(crate) progress: &'a (dyn Fn(u64) + Sync),
    pub(crate) enough: &'a (dyn Fn() -> bool + Sync),
    /// Taken to save.
    pub(crate) lock: &'a dyn WriteLock,
    /// Whether a period was begun with: until one was, it is not enough.
    pub(crate) begun: bool,
    pub(crate) passed: Passed,
    /// Periods with a child that the spare engine wrote: the outage has been waited for there, and is not again at each
    /// grain, or a year would come five times as late as its days.
    pub(crate) over_degraded: HashSet<Period>,
}

impl Summarizer {
    /// Rolls up everything that is due at `now`, and tries again some of what the spare engine wrote. `progress` is told the
    /// number of periods after each batch. The error is the store's; what is saved by then stays.
    pub async fn pass(&self, agent: &Agent, now: Timestamp, progress: &(dyn Fn(u64) + Sync)) -> Result<Passed> {
        self.pass_until(agent, now, progress, &|| false).await
    }

    /// The same, but begins with no further period once it is `enough`, save the first: so whatever else there is to do, a
    /// pass gets on.
    pub async fn pass_until(
        &self,
        agent: &Agent,
        now: Timestamp,
        progress: &(dyn Fn(u64) + Sync),
        enough: &(dyn Fn() -> bool + Sync),
    ) -> Result<Passed> {
        self.pass_unlocked(agent, now, progress, enough, &AlreadyHeld).await
    }

    /// The same, but takes the lock of the agent's history only to save, not while an engine writes. What was written from an input
    /// that changed meanwhile is not saved. Two of these of one agent at once would pay for the same summaries twice.
    pub async fn pass_unlocked(
        &self,
        agent: &Agent,
        now: Timestamp,
        progress: &(dyn Fn(u64) + Sync),
        enough: &(dyn Fn() -> bool + Sync),
        lock: &dyn WriteLock,
    ) -> Result<Passed> {
        let mut pass = self.begin(agent, now, progress, enough, lock).await?;
        for grain in Grain::SUMMARIES {
            // Looked for first: what the spare engine writes now is not tried again right away.
            let again = degraded(&pass.ledger().await?, grain, now);
            pass.write_due(grain).await?;
            pass.lane(&again, Why::Degraded).await?;
        }
        Ok(pass.passed)
    }

    /// Writes every summary anew whose recipe is not the engine's present one, and what depends on it. Corrected summaries
    /// stay as the person left them, and sealed ones as they are until they are amended: what they were made of is gone.
    pub async fn refresh(&self, agent: &Agent, now: Timestamp, progress: &(dyn Fn(u64) + Sync)) -> Result<Passed> {
        self.refresh_unlocked(agent, now, progress, &AlreadyHeld).await
    }

    /// The same, but takes the lock only to save, as [`Summarizer::pass_unlocked`].
    pub async fn refresh_unlocked(
        &self,
        agent: &Agent,
        now: Timestamp,
        progress: &(dyn Fn(u64) + Sync),
        lock: &dyn WriteLock,
    ) -> Result<Passed> {
        let mut pass = self.begin(agent, now, progress, &|| false, lock).await?;
        for grain in Grain::SUMMARIES {
            pass.write_due(grain).await?;
            pass.write_outdated(grain).await?;
        }
        Ok(pass.passed)
    }

    async fn begin<'a>(
        &'a self,
        agent: &'a Agent,
        now: Timestamp,
        progress: &'a (dyn Fn(u64) + Sync),
        enough: &'a (dyn Fn() -> bool + Sync),
        lock: &'a dyn WriteLock,
    ) -> Result<Pass<'a>> {
        let settings = self.catalog.settings(agent).await?;
        let zones = settings.zones()?;
        Ok(Pass {
            summarizer: self,
            agent,
            settings,
            zones,
            now,
            progress,
            enough,
            lock,
            begun: false,
            passed: Passed::default(),
            over_degraded: HashSet::new(),
        })
    }
}

impl Pass<'_> {
    pub(crate) async fn ledger(&self) -> Result<Vec<LedgerRow>> {
        self.summarizer.catalog.ledger(self.agent).await
    }

    async fn write_due(&mut self, grain: Grain) -> Result<()> {
        let ledger = self.ledger().await?;
        self.over_degraded = ledger.iter().filter(|row| row.degraded).filter_map(|row| row.period.parent()).collect();
        let rows = due(&ledger, grain, &self.zones, self.summarizer.patience, self.now);
        self.lane(&rows, Why::Dirty).await
    }

    async fn write_outdated(&mut self, grain: Grain) -> Result<()> {
        let recipe = self.summarizer.engine.recipe(&self.settings, grain);
        let rows = self.summarizer.told(self.agent, outdated(&self.ledger().await?, grain, recipe)).await?;
        self.lane(&rows, Why::Outdated).await
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
