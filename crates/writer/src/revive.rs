//! Retries dead letters of the tables after their cause was fixed.

use std::collections::BTreeSet;

use annals_core::ports::{Building, Change, Table, Watermark};
use annals_core::{Agent, DeadLetter, Grain, MemoryId, Result, Stage};

use crate::Writer;

impl Writer {
    /// Applies the memories of an agent's dead letters to their tables. Returns how many dead letters it removed, those of
    /// memories that no longer exist included. The others stay.
    pub async fn revive(&self, agent: &Agent) -> Result<u64> {
        let (mut alive, mut grains, mut failed) = (Vec::new(), BTreeSet::new(), Ok(()));
        let letters = self.store.dead_letters(agent).await?;
        for letter in letters.into_iter().filter(|letter| letter.stage == Stage::Table) {
            let grain = letter.grain;
            match self.revive_one(letter).await {
                Ok(None) => {}
                Ok(Some(memory)) => {
                    alive.push(memory);
                    grains.insert(grain);
                }
                Err(error) => {
                    failed = Err(error);
                    break;
                }
            }
        }
        for grain in grains {
            self.announce_revived(agent, grain).await?;
        }
        self.store.remove_dead_letters(agent, &alive).await?;
        failed.map(|()| alive.len() as u64)
    }

    /// Copies the table into its next generation, because the sequence numbers of its new rows are below the watermark: processes
    /// that only search look for rows above the last number that they have. An urgent rebuild replaces the table soon. A change of
    /// its model that is under way begins again.
    async fn announce_revived(&self, agent: &Agent, grain: Grain) -> Result<()> {
        let mut watermark = self.store.watermark(agent, grain).await?;
        if watermark.is_urgent() {
            return Ok(());
        }
        if watermark.building.is_some() {
            self.drop_unfinished(agent, grain, watermark).await?;
            watermark = self.store.watermark(agent, grain).await?;
        }
        let table = Table { agent: agent.clone(), grain, generation: watermark.generation };
        let next = self.copy_rows(&table, watermark).await?;
        self.remove_former(&next).await
    }

    async fn revive_one(&self, letter: DeadLetter) -> Result<Option<MemoryId>> {
        let agent = &letter.agent;
        let watermark = self.store.watermark(agent, letter.grain).await?;
        // Without its model, the table gets no new row before it is embedded again.
        let Some(embedder) = self.embedder_of(&watermark).await? else { return Ok(None) };
        let table = Table { agent: agent.clone(), grain: letter.grain, generation: watermark.generation };
        self.strata.require(&table, watermark.applied).await?;
        let language = self.store.settings(agent).await?.language;
        // A memory that no longer exists needs no retry, and its dead letter is removed.
        let memory = self.store.get(agent, std::slice::from_ref(&letter.memory)).await?;
        let changes: Vec<Change> = memory.into_iter().map(Change::Upsert).collect();
        match self.apply(&table, &*embedder, &changes, &language).await {
            Ok(()) => {
                self.revive_in_next(&letter, &watermark, &changes, &language).await?;
                Ok(Some(letter.memory))
            }
            Err(error) if error.is_of_input() => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Applies the memory also to the generation that is being built, which may already be past the memory's change.
    async fn revive_in_next(
        &self,
        letter: &DeadLetter,
        watermark: &Watermark,
        changes: &[Change],
        language: &str,
    ) -> Result<()> {
        let model = self.configured_model();
        let is_begun = |building: &&Building| building.applied > 0 && building.model == model;
        let Some(building) = watermark.building.as_ref().filter(is_begun) else { return Ok(()) };
        let table = Table { agent: letter.agent.clone(), grain: letter.grain, generation: building.generation };
        if !self.strata.exists(&table).await? {
            return Ok(());
        }
        self.apply(&table, &*self.embedders.configured(), changes, language).await
    }
}
