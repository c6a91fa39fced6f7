//! Retries dead letters of the tables after their cause was fixed.

use annals_core::ports::{Change, Table, Watermark};
use annals_core::{Agent, DeadLetter, Error, MemoryId, Result, Stage};

use crate::Writer;

impl Writer {
    /// Applies the memories of an agent's dead letters to their tables. Returns how many succeeded; the others stay dead
    /// letters.
    pub async fn revive(&self, agent: &Agent) -> Result<u64> {
        let mut alive = Vec::new();
        let letters = self.store.dead_letters(agent).await?;
        for letter in letters.into_iter().filter(|letter| letter.stage == Stage::Table) {
            alive.extend(self.revive_one(letter).await?);
        }
        self.store.remove_dead_letters(agent, &alive).await?;
        Ok(alive.len() as u64)
    }

    async fn revive_one(&self, letter: DeadLetter) -> Result<Option<MemoryId>> {
        let agent = &letter.agent;
        let Watermark { generation, applied, .. } = self.store.watermark(agent, letter.grain).await?;
        let table = Table { agent: agent.clone(), grain: letter.grain, generation };
        self.strata.require(&table, applied).await?;
        let language = self.store.settings(agent).await?.language;
        // A memory that no longer exists needs no retry, and its dead letter is removed.
        let memory = self.store.get(agent, std::slice::from_ref(&letter.memory)).await?;
        let changes: Vec<Change> = memory.into_iter().map(Change::Upsert).collect();
        match self.apply(&table, &changes, &language).await {
            Ok(()) => Ok(Some(letter.memory)),
            Err(Error::Invalid(_) | Error::Faults(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }
}
