//! One run of the job rollup over all agents.

use std::collections::BTreeSet;

use annals_core::{Agent, LedgerRow, Result, SignedDuration, Timestamp, Zones};
use annals_retention::{ClockReading, Trust};
use annals_summarizer::Passed;
use annals_writer::{ExtractionPassed, Projected};
use futures::future::BoxFuture;
use tokio_util::sync::CancellationToken;

use super::{Pass, ShouldStop};
use crate::jobs::{Moment, Sweep};
use crate::locks::{Extraction, Facts, Held, History, RollUp, Tables};
use crate::operations::log_batches;

/// The result of rolling up one agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RolledUp {
    /// How far the clock is trusted. No summaries are written unless it is trusted to close periods.
    pub trust: Trust,
    /// The result of extracting facts from new messages.
    pub extracted: ExtractionPassed,
    /// The result of writing the summaries that were due.
    pub passed: Passed,
    /// The result of making changes searchable.
    pub projected: Projected,
    /// Whether this slot cleaned the agent's files of erased text.
    pub cleaned: bool,
}

impl Pass {
    /// Rolls up all agents that may have something due, `at_once` at the same time, each from its oldest period. With models,
    /// takes the results of batches before the slots, and sends the requests that were collected in batches after them. Once
    /// `stop` is cancelled no further agent begins, and slots under way end between two steps; the rest is due in the next
    /// round. Fails only if a store fails before the first slot; later failures are in the result.
    pub async fn roll_up(&self, at_once: usize, moment: Moment, stop: &CancellationToken) -> Result<Sweep<RolledUp>> {
        let (parts, clock) = (&self.service.parts, self.read_clock(moment).await?);
        if let Some(batching) = &parts.batching {
            log_batches(batching.take(clock.now).await);
        }
        let pending: BTreeSet<Agent> = parts.eraser.pending_cleanings().await?.into_iter().collect();
        let known: BTreeSet<Agent> = parts.store.agents_with_work(clock.now).await?.into_iter().collect();
        let agents = known.union(&pending).cloned().collect();
        let slot = |agent: Agent| {
            let (is_known, is_pending) = (known.contains(&agent), pending.contains(&agent));
            self.roll_up_slot(agent, clock, is_known, is_pending, stop)
        };
        let sweep = self.roll_ups.sweep(agents, at_once, stop, slot).await;
        if let Some(batching) = &parts.batching {
            log_batches(batching.send(clock.now).await);
        }
        Ok(sweep)
    }

    /// Boxes [`Pass::roll_up_agent`] in a function of its own, because the compiler otherwise cannot prove the future `Send`.
    fn roll_up_slot<'a>(
        &'a self,
        agent: Agent,
        clock: ClockReading,
        is_known: bool,
        is_pending: bool,
        stop: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Option<RolledUp>>> {
        Box::pin(async move { self.roll_up_agent(&agent, clock, is_known, is_pending, &|| stop.is_cancelled()).await })
    }

    /// Does all that is due for one agent. A failed step does not prevent the other steps: a facts table that cannot be written
    /// must not stop summaries. Fails with the first error of a step. Returns `None` if another task rolls the agent up or
    /// changes its history.
    async fn roll_up_agent(
        &self,
        agent: &Agent,
        clock: ClockReading,
        is_known: bool,
        is_pending: bool,
        should_stop: ShouldStop<'_>,
    ) -> Result<Option<RolledUp>> {
        let Some(mut roll_up) = self.service.locks.try_lock::<RollUp>(agent) else { return Ok(None) };
        if self.service.locks.try_lock::<History>(agent).is_none() {
            return Ok(None);
        }
        let mut slot = RolledUp {
            trust: clock.trust(None),
            extracted: ExtractionPassed::default(),
            passed: Passed::default(),
            projected: Projected::default(),
            cleaned: false,
        };
        let mut first = Ok(());
        if is_known {
            let extracted = self.service.read_for_facts_if_free(agent, should_stop).await;
            first = first.and(extracted.map(|extracted| slot.extracted = extracted));
            let passed = self.write_due(agent, &roll_up, clock, &mut slot.trust, should_stop).await;
            first = first.and(passed.map(|passed| slot.passed = passed));
            let projected = self.service.make_searchable_if_free(agent).await;
            first = first.and(projected.map(|projected| slot.projected = projected));
        }
        if is_pending {
            first = first.and(self.clean(agent, &mut roll_up, clock.now).await.map(|cleaned| slot.cleaned = cleaned));
        }
        first.map(|()| Some(slot))
    }

    /// Cleans the agent's files of erased text. Does nothing and returns false if the eraser has cleaned them meanwhile, if the
    /// last try failed a short time ago, or if another task extracts facts from the agent's messages.
    async fn clean(&self, agent: &Agent, roll_up: &mut Held<'_, RollUp>, now: Timestamp) -> Result<bool> {
        let eraser = &self.service.parts.eraser;
        if !self.cleanings.is_due(agent, now) || !eraser.pending_cleanings().await?.contains(agent) {
            return Ok(false);
        }
        // A model may hold this lock for minutes; the next round tries again.
        let Some(mut reader) = roll_up.try_then::<Extraction>() else { return Ok(false) };
        let mut history = reader.then::<History>().await;
        let mut facts = history.then::<Facts>().await;
        let _tables = facts.then::<Tables>().await;
        let cleaned = eraser.clean(agent, now).await;
        self.cleanings.note(agent, now, cleaned.is_ok());
        cleaned.map(|()| true)
    }

    /// Writes the summaries that are due, if the clock is trusted. Sets `trust`, for which the agent's stored times count too.
    async fn write_due(
        &self,
        agent: &Agent,
        roll_up: &Held<'_, RollUp>,
        clock: ClockReading,
        trust: &mut Trust,
        should_stop: ShouldStop<'_>,
    ) -> Result<Passed> {
        let parts = &self.service.parts;
        let ledger = parts.store.ledger(agent).await?;
        *trust = clock.trust(ledger.iter().map(|row| row.dirty_at).max());
        let zones = parts.store.settings(agent).await?.zones()?;
        if !trust.closes() || !ledger.iter().any(|row| may_be_due(row, &zones, clock.now)) {
            return Ok(Passed::default());
        }
        let history = roll_up.for_saving::<History>();
        // Another roll-up of the agent waits only for the summaries being written now.
        let should_stop = || should_stop() || roll_up.is_waited_for();
        parts.summarizer.pass_unlocked(agent, clock.now, &|_| (), &should_stop, &history).await
    }
}

/// Returns whether the period may be due. In most minutes most agents have no due period. With this check their ledger is
/// read once, not the ten times of a pass.
fn may_be_due(row: &LedgerRow, zones: &Zones, now: Timestamp) -> bool {
    row.degraded || (row.is_dirty() && zones.is_closed(row.period, SignedDuration::ZERO, now))
}
