//! A round of retention.

use annals_core::{Agent, Result, SignedDuration, Timestamp};
use annals_retention::{Pruned, Trust};
use futures::FutureExt;
use tokio_util::sync::CancellationToken;

use super::{Enough, Look, Pass};
use crate::jobs::{Moment, Round};
use crate::locks::History;

/// How long a model's answer is kept after it was last of use: a retry comes within seven days at the latest, the longest wait
/// that the ledger knows.
const ANSWERS: SignedDuration = SignedDuration::from_hours(8 * 24);
/// How long a request that comes again under its key is answered as before. Later its messages are recognised by themselves.
const REQUESTS: SignedDuration = SignedDuration::from_hours(48);

/// What retention of one agent came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Retained {
    /// How far the clock was believed; nothing is pruned unless it fully is.
    pub trust: Trust,
    /// What was pruned, and what was not and why.
    pub pruned: Pruned,
    /// Saved answers of models that were dropped.
    pub answers: u64,
}

impl Pass {
    /// Prunes what is past the plan, of all agents, `at_once` at the same time. After `stop` no further agent is begun, and
    /// turns under way end between two sets. An error is the store's, before any agent had a turn.
    pub async fn retain(&self, at_once: usize, moment: Moment, stop: &CancellationToken) -> Result<Round<Retained>> {
        let look = self.look(moment).await?;
        let agents = self.catalog.agents().await?;
        if let (true, Ok(before)) = (look.trust(None).prunes(), look.now.checked_sub(REQUESTS)) {
            self.requests.drop_requests(before).await?;
        }
        let turn = |agent: Agent| async move { self.retain_agent(&agent, look, &|| stop.is_cancelled()).await }.boxed();
        Ok(self.prunings.round(agents, at_once, stop, turn).await)
    }

    /// None if somebody else is at work on the agent's history.
    async fn retain_agent(&self, agent: &Agent, look: Look, enough: Enough<'_>) -> Result<Option<Retained>> {
        let Some(history) = self.locks.try_lock::<History>(agent) else { return Ok(None) };
        let (now, trust) = (look.now, look.trust(None));
        let pruned = self.retention.prune_until(agent, now, trust.prunes(), enough).await?;
        drop(history);
        self.tables.make_searchable(agent, now).await?;
        let answers = if trust.prunes() { self.drop_answers(agent, now).await? } else { 0 };
        Ok(Some(Retained { trust, pruned, answers }))
    }

    async fn drop_answers(&self, agent: &Agent, now: Timestamp) -> Result<u64> {
        match now.checked_sub(ANSWERS) {
            Ok(before) => self.replies.drop_replies(agent, before).await,
            Err(_) => Ok(0),
        }
    }
}
