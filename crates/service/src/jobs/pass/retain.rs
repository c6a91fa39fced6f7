//! One run of the job retention over all agents.

use std::collections::BTreeSet;

use annals_core::ports::RequestKey;
use annals_core::{Agent, Result, SignedDuration, Timestamp};
use annals_retention::{ClockReading, Pruned, Trust};
use futures::FutureExt;
use tokio_util::sync::CancellationToken;

use super::{Pass, ShouldStop};
use crate::jobs::{Moment, Sweep};
use crate::locks::History;

/// How long a model's answer is kept after it was saved. A retry, which would use it, comes within seven days: the longest wait
/// of the ledger.
const MODEL_ANSWER_LIFETIME: SignedDuration = SignedDuration::from_hours(8 * 24);

/// The result of retention of one agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Retained {
    /// How far the clock is trusted. Nothing is pruned unless the trust is full.
    pub trust: Trust,
    /// What was pruned, and what was kept and why.
    pub pruned: Pruned,
    /// The number of saved model answers that were dropped.
    pub answers: u64,
}

impl Pass {
    /// Prunes memories that are past the plan of their agent, `at_once` agents at the same time. If the clock is trusted to
    /// prune, also drops expired idempotency keys and saved model answers. Once `stop` is cancelled no further agent begins,
    /// and slots under way end after the period that they are pruning. Fails only if a store fails before the first slot; later
    /// failures are in the result.
    pub async fn retain(&self, at_once: usize, moment: Moment, stop: &CancellationToken) -> Result<Sweep<Retained>> {
        let clock = self.read_clock(moment).await?;
        let agents = self.agents_to_retain(clock).await?;
        if let (true, Ok(before)) = (clock.trust(None).prunes(), clock.now.checked_sub(RequestKey::LIFETIME)) {
            self.service.parts.store.drop_requests(before).await?;
        }
        let slot =
            |agent: Agent| async move { self.retain_agent(&agent, clock, &|| stop.is_cancelled()).await }.boxed();
        Ok(self.prunings.sweep(agents, at_once, stop, slot).await)
    }

    /// Returns the agents that may have memories past their plan or saved model answers to drop, and those with work for a
    /// roll-up, such as changes that wait for a table.
    async fn agents_to_retain(&self, clock: ClockReading) -> Result<Vec<Agent>> {
        let answers_before = clock.trust(None).prunes().then(|| answers_before(clock.now)).flatten();
        let limits = self.service.parts.retention.limits(clock.now, answers_before);
        let mut agents: BTreeSet<Agent> =
            self.service.parts.store.agents_to_retain(&limits).await?.into_iter().collect();
        agents.extend(self.service.parts.store.agents_with_work(clock.now).await?);
        Ok(agents.into_iter().collect())
    }

    /// Prunes one agent's memories, updates the tables, and drops old model answers. If the clock is not trusted to prune, only
    /// updates the tables. Returns `None` if another task holds the lock of the agent's history.
    async fn retain_agent(
        &self,
        agent: &Agent,
        clock: ClockReading,
        should_stop: ShouldStop<'_>,
    ) -> Result<Option<Retained>> {
        let Some(history) = self.service.locks.try_lock::<History>(agent) else { return Ok(None) };
        let (now, trust) = (clock.now, clock.trust(None));
        let pruned = self.service.parts.retention.prune_until(agent, now, trust.prunes(), should_stop).await?;
        drop(history);
        self.service.make_searchable_if_free(agent).await?;
        let answers = if trust.prunes() { self.drop_answers(agent, now).await? } else { 0 };
        Ok(Some(Retained { trust, pruned, answers }))
    }

    async fn drop_answers(&self, agent: &Agent, now: Timestamp) -> Result<u64> {
        match answers_before(now) {
            Some(before) => self.service.parts.store.drop_replies(agent, before).await,
            None => Ok(0),
        }
    }
}

/// Returns the time before which saved answers are dropped; `None` if the clock is too near the beginning of time.
fn answers_before(now: Timestamp) -> Option<Timestamp> {
    now.checked_sub(MODEL_ANSWER_LIFETIME).ok()
}
