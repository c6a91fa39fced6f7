//! Dead letters: memories that could not be indexed, or from which a model could not extract facts.

use annals_core::{Agent, Result, Timestamp};

use crate::Service;
use crate::locks::Tables;
use crate::wire::{DeadLetterView, ReplayAnswer};

impl Service {
    pub async fn dead_letters(&self, agent: &Agent) -> Result<Vec<DeadLetterView>> {
        Ok(self.parts.store.dead_letters(agent).await?.into_iter().map(DeadLetterView::from).collect())
    }

    /// Indexes the dead letters of an agent's tables again, and extracts facts again from messages on which a model failed.
    pub(crate) async fn replay_dead_letters(&self, agent: &Agent, now: Timestamp) -> Result<ReplayAnswer> {
        // Rebuilds a damaged table first, because no rows can be added to it.
        self.make_searchable(agent, &|_| ()).await?;
        let revived = {
            let _tables_lock = self.locks.lock::<Tables>(agent).await;
            self.parts.writer.revive(agent).await?
        };
        let read = self.reread_for_facts(agent, now).await?;
        let dead = self.parts.store.dead_letters(agent).await?.len() as u64;
        Ok(ReplayAnswer { alive: revived + read.turns - read.degraded, dead })
    }
}
