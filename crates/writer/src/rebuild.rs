//! Rebuilds a table from the catalog beside the one that searches read, then swaps the two.
//!
//! Resumable: the catalog records which generation is being built and its watermark, so [`Writer::project`] continues
//! it after a crash. Searches read the present generation until the swap. If it is damaged or missing, they report this
//! until the new one is complete; they never read a half-built table.

use annals_core::ports::{Building, Table, VectorModel, Watermark};
use annals_core::{Agent, Error, Grain, Result, Timestamp};

use crate::Writer;
use crate::project::{BATCH, STALE_READS, Step};

impl Writer {
    /// Builds the next generation of a grain's table and swaps it in, or continues an interrupted rebuild. Calls `progress`
    /// with the number of changes after each batch.
    pub async fn rebuild(
        &self,
        agent: &Agent,
        grain: Grain,
        now: Timestamp,
        progress: &(dyn Fn(u64) + Sync),
    ) -> Result<()> {
        let mut watermark = self.store.watermark(agent, grain).await?;
        if watermark.building.is_none() {
            watermark = self.schedule_rebuild(agent, grain).await?;
        }
        let mut stale = 0;
        loop {
            match self.build(agent, grain, watermark, now, BATCH).await {
                Ok(None) => return Ok(()),
                Ok(Some(step)) => {
                    stale = 0;
                    progress(step.changes);
                }
                Err(Error::Stale { .. }) if stale < STALE_READS => stale += 1,
                Err(error) => return Err(error),
            }
            watermark = self.store.watermark(agent, grain).await?;
        }
    }

    /// Records that a grain's table is to be rebuilt, from the beginning even if a rebuild was already begun.
    /// [`Writer::project`] does the work.
    pub async fn schedule_rebuild(&self, agent: &Agent, grain: Grain) -> Result<Watermark> {
        for _ in 0..STALE_READS {
            match self.begin(agent, grain, true).await {
                Err(Error::Stale { .. }) => {}
                done => return done,
            }
        }
        self.begin(agent, grain, true).await
    }

    /// Records that the next generation is to be built from the beginning, with the configured model.
    pub(crate) async fn begin(&self, agent: &Agent, grain: Grain, urgent: bool) -> Result<Watermark> {
        let read = self.store.watermark(agent, grain).await?;
        let present = Table { agent: agent.clone(), grain, generation: read.generation };
        let generation = match &read.building {
            Some(building) => building.generation,
            None => self.next_generation(&present).await?,
        };
        let building = Building { generation, applied: 0, model: self.configured_model(), urgent };
        let scheduled = Watermark { building: Some(building), ..read.clone() };
        self.store.save_watermark(agent, grain, read, scheduled.clone()).await?;
        Ok(scheduled)
    }

    /// Returns a generation above the present one and above all that are stored: an interrupted attempt, or a catalog that was
    /// restored from an earlier copy, may have left some. They are removed after the swap.
    pub(crate) async fn next_generation(&self, present: &Table) -> Result<u32> {
        let stored = self.strata.generations(&present.agent).await?.into_iter();
        let stored = stored.filter(|table| table.grain == present.grain).map(|table| table.generation);
        Ok(stored.fold(present.generation, u32::max) + 1)
    }

    /// Applies the next batch to the generation that is being built, and swaps it in after the last one. Returns `None` if no
    /// batch was left, or if no generation is being built.
    pub(crate) async fn build(
        &self,
        agent: &Agent,
        grain: Grain,
        mut watermark: Watermark,
        now: Timestamp,
        most: usize,
    ) -> Result<Option<Step>> {
        let Some(mut building) = watermark.building.clone() else { return Ok(None) };
        let (embedder, model) = (self.embedders.configured(), self.configured_model());
        let table = Table { agent: agent.clone(), grain, generation: building.generation };
        let is_lost = building.applied > 0 && !self.strata.exists(&table).await?;
        if is_lost || building.model != model {
            // Recorded first: after a crash the new table would exist and count as holding what was applied before.
            building = Building { applied: 0, model, ..building };
            let again = Watermark { building: Some(building.clone()), ..watermark.clone() };
            self.store.save_watermark(agent, grain, watermark, again.clone()).await?;
            watermark = again;
        }
        if building.applied == 0 {
            // Removes what an earlier attempt may have left before it was recorded.
            self.strata.remove(&table).await?;
        }
        let Some(step) = self.step(&table, &*embedder, building.applied, now, most).await? else {
            self.swap_in(&table, watermark, building).await?;
            return Ok(None);
        };
        building.applied = step.applied_to;
        // A batch that is not full was the last one. What has come meanwhile is applied after the swap: a client that sends
        // without a pause would put the swap off for ever.
        if step.changes < most as u64 && building.applied >= watermark.applied {
            self.swap_in(&table, watermark, building).await?;
        } else {
            let next = Watermark { building: Some(building), ..watermark.clone() };
            self.store.save_watermark(agent, grain, watermark, next).await?;
        }
        Ok(Some(step))
    }

    /// Makes the generation that was built the present one, and removes those before it.
    async fn swap_in(&self, table: &Table, watermark: Watermark, built: Building) -> Result<()> {
        let Building { generation, applied, model, .. } = built;
        let complete = Watermark { generation, applied, model: Some(model), building: None };
        self.store.save_watermark(&table.agent, table.grain, watermark, complete).await?;
        self.remove_former(table).await
    }

    /// Copies the rows of a table into its next generation, which becomes the present one. Returns the new table. `watermark` is
    /// the stored one, and no generation is being built.
    pub(crate) async fn copy_rows(&self, former: &Table, watermark: Watermark) -> Result<Table> {
        let generation = self.next_generation(former).await?;
        self.strata.rewrite(former, generation).await?;
        let next = Watermark { generation, ..watermark.clone() };
        self.store.save_watermark(&former.agent, former.grain, watermark, next).await?;
        Ok(Table { generation, ..former.clone() })
    }

    /// Removes all generations of a table below the given one: the former one, and what interrupted attempts left.
    pub(crate) async fn remove_former(&self, present: &Table) -> Result<()> {
        let stored = self.strata.generations(&present.agent).await?.into_iter();
        for former in stored.filter(|table| table.grain == present.grain && table.generation < present.generation) {
            self.strata.remove(&former).await?;
        }
        Ok(())
    }

    /// Returns the model of the configured embedder.
    pub fn configured_model(&self) -> VectorModel {
        VectorModel::of(&*self.embedders.configured())
    }

    /// Schedules the rebuild of a damaged table. If an urgent rebuild is under way, the table being built is the damaged one,
    /// and the rebuild starts again. Otherwise the present table is moved aside, and its new place is returned. The rebuild is
    /// recorded first, so the table is still replaced after a crash between the two.
    pub(crate) async fn replace(&self, agent: &Agent, grain: Grain) -> Result<Option<String>> {
        let watermark = self.store.watermark(agent, grain).await?;
        if watermark.is_urgent() {
            self.schedule_rebuild(agent, grain).await?;
            return Ok(None);
        }
        self.put_aside(agent, grain, watermark).await
    }

    /// Records that the table is to be rebuilt, if it held anything, and moves the present one aside. Returns its new place;
    /// `None` if it has no files. A change of model that is under way continues where it is, and becomes urgent.
    pub(crate) async fn put_aside(&self, agent: &Agent, grain: Grain, watermark: Watermark) -> Result<Option<String>> {
        let present = Table { agent: agent.clone(), grain, generation: watermark.generation };
        match watermark.building.clone() {
            Some(building) if !building.urgent => {
                let urgent = Watermark { building: Some(Building { urgent: true, ..building }), ..watermark.clone() };
                self.store.save_watermark(agent, grain, watermark, urgent).await?;
            }
            None if watermark.applied > 0 => drop(self.schedule_rebuild(agent, grain).await?),
            _ => {}
        }
        self.strata.quarantine(&present).await
    }
}

#[cfg(test)]
mod tests {
    use annals_core::ports::OnConflict;
    use std::sync::Arc;

    use annals_core::Strata;
    use annals_core::prelude::*;
    use annals_testkit::{
        Faulty, MemoryCatalog, MemoryStrata, WordEmbedder, agent, at, building, message, one_embedder,
    };

    use super::*;

    /// Whichever store call fails, in the end the next generation holds the same rows and is the only one left.
    #[tokio::test]
    async fn interrupted_rebuild_continues() {
        for call in 1.. {
            let (strata, catalog) = (Arc::new(MemoryStrata::new()), Arc::new(MemoryCatalog::new()));
            let embedder = one_embedder(WordEmbedder::new());
            let agent = agent("a");
            let now = at("2026-03-05T00:00:00Z");
            let writer = Writer::new(catalog.clone(), strata.clone(), embedder.clone());
            let messages = ["one", "two"].map(|text| message("2026-03-04T10:00:00Z", text)).to_vec();
            writer.ingest(&agent, messages, OnConflict::Refuse, now).await.unwrap();
            writer.project(&agent, now, &|_| ()).await.unwrap();
            let table = |generation| Table { agent: agent.clone(), grain: Grain::Working, generation };
            let before = strata.scan(&table(0)).await.unwrap();

            let faulty = Arc::new(Faulty::at_call((*strata).clone(), call));
            let faulty_writer = Writer::new(catalog.clone(), faulty.clone(), embedder);
            let first = faulty_writer.rebuild(&agent, Grain::Working, now, &|_| ()).await;
            if first.is_err() && catalog.watermark(&agent, Grain::Working).await.unwrap().generation == 0 {
                assert_eq!(strata.scan(&table(0)).await.unwrap(), before, "readers see the former table");
                faulty_writer.rebuild(&agent, Grain::Working, now, &|_| ()).await.unwrap();
            }
            assert_eq!(strata.scan(&table(1)).await.unwrap(), before, "failing call {call}");
            assert_eq!(writer.audit(&agent).await.unwrap(), []);
            if faulty.calls() < call {
                assert_eq!(strata.scan(&table(0)).await.unwrap(), []);
                break;
            }
        }
    }

    struct Fixture {
        strata: Arc<MemoryStrata>,
        catalog: Arc<MemoryCatalog>,
        writer: Writer,
    }

    const NOW: &str = "2026-03-05T00:00:00Z";

    /// Creates an agent with two searchable messages.
    async fn fixture() -> Fixture {
        let (strata, catalog) = (Arc::new(MemoryStrata::new()), Arc::new(MemoryCatalog::new()));
        let writer = Writer::new(catalog.clone(), strata.clone(), one_embedder(WordEmbedder::new()));
        let fixture = Fixture { strata, catalog, writer };
        fixture.say("one").await;
        fixture.say("two").await;
        fixture.project().await;
        fixture
    }

    impl Fixture {
        async fn say(&self, text: &str) {
            let messages = vec![message("2026-03-04T10:00:00Z", text)];
            self.writer.ingest(&agent("a"), messages, OnConflict::Refuse, at(NOW)).await.unwrap();
        }

        async fn project(&self) {
            self.writer.project(&agent("a"), at(NOW), &|_| ()).await.unwrap();
        }

        async fn present(&self) -> (Table, u64) {
            let watermark = self.catalog.watermark(&agent("a"), Grain::Working).await.unwrap();
            (Table { agent: agent("a"), grain: Grain::Working, generation: watermark.generation }, watermark.applied)
        }

        /// Returns the number of rows that a search may find; `None` if the table counts as damaged.
        async fn rows(&self) -> Option<usize> {
            let (table, applied) = self.present().await;
            self.strata.require(&table, applied).await.ok()?;
            Some(self.strata.scan(&table).await.unwrap().len())
        }
    }

    #[tokio::test]
    async fn lost_table_is_damaged_until_the_next_message_rebuilds_it() {
        let fixture = fixture().await;
        fixture.strata.remove(&fixture.present().await.0).await.unwrap();
        assert_eq!(fixture.rows().await, None);
        let found = fixture.writer.audit(&agent("a")).await.unwrap();
        assert_eq!(found, [crate::Discrepancy::Damaged(Grain::Working, "it is missing".into())]);
        fixture.say("three").await;
        fixture.project().await;
        assert_eq!(fixture.rows().await, Some(3));
        assert_eq!(fixture.writer.audit(&agent("a")).await.unwrap(), []);
    }

    #[tokio::test]
    async fn lost_table_is_repaired_without_a_new_message() {
        let fixture = fixture().await;
        fixture.strata.remove(&fixture.present().await.0).await.unwrap();
        fixture.writer.rebuild_damaged(&agent("a"), at(NOW)).await.unwrap();
        assert_eq!(fixture.rows().await, Some(2));
    }

    /// Whichever store call fails, a search afterwards finds everything or reports the table as damaged, and the next pass
    /// repairs it.
    #[tokio::test]
    async fn table_being_replaced_never_answers_with_less() {
        for call in 1.. {
            let fixture = fixture().await;
            fixture.strata.remove(&fixture.present().await.0).await.unwrap();
            fixture.say("three").await;
            let strata = Arc::new(Faulty::at_call((*fixture.strata).clone(), call));
            let catalog = Arc::new(Faulty::at_call((*fixture.catalog).clone(), call));
            let embedder = one_embedder(WordEmbedder::new());
            for writer in [
                Writer::new(fixture.catalog.clone(), strata.clone(), embedder.clone()),
                Writer::new(catalog.clone(), fixture.strata.clone(), embedder.clone()),
            ] {
                let _ = writer.project_some(&agent("a"), at(NOW), 1).await;
                let _ = writer.rebuild_damaged(&agent("a"), at(NOW)).await;
                assert!(matches!(fixture.rows().await, None | Some(3)), "failing call {call}");
            }
            fixture.writer.rebuild_damaged(&agent("a"), at(NOW)).await.unwrap();
            assert_eq!(fixture.rows().await, Some(3), "failing call {call}");
            assert_eq!(fixture.writer.audit(&agent("a")).await.unwrap(), [], "failing call {call}");
            if strata.calls() < call && catalog.calls() < call {
                break;
            }
        }
    }

    /// Regression: after a kill between creating the new table and recording it, the new table lacked the rows that the lost
    /// table had held.
    #[tokio::test]
    async fn rebuild_with_a_missing_table_is_reset_before_any_write() {
        for call in 1.. {
            let fixture = fixture().await;
            let watermark = fixture.catalog.watermark(&agent("a"), Grain::Working).await.unwrap();
            let building = Watermark { building: Some(building(1, 1)), ..watermark.clone() };
            fixture.catalog.save_watermark(&agent("a"), Grain::Working, watermark, building).await.unwrap();
            let strata = Arc::new(Faulty::at_call((*fixture.strata).clone(), call));
            let catalog = fixture.catalog.clone();
            let faulty_writer = Writer::new(catalog.clone(), strata.clone(), one_embedder(WordEmbedder::new()));
            let done = faulty_writer.project(&agent("a"), at(NOW), &|_| ()).await;
            let left = catalog.watermark(&agent("a"), Grain::Working).await.unwrap().building;
            assert!(call == 1 || left.is_none_or(|left| left.applied != 1), "failing call {call}");
            fixture.project().await;
            assert_eq!(fixture.writer.audit(&agent("a")).await.unwrap(), [], "failing call {call}");
            assert_eq!((fixture.present().await.0.generation, fixture.rows().await), (1, Some(2)));
            if done.is_ok() {
                break;
            }
        }
    }

    /// Regression: these generations stayed until a memory was forgotten.
    #[tokio::test]
    async fn generations_of_interrupted_attempts_are_removed_after_the_swap() {
        let fixture = fixture().await;
        let present = fixture.present().await.0;
        fixture.strata.rewrite(&present, 3).await.unwrap();
        fixture.writer.rebuild(&agent("a"), Grain::Working, at(NOW), &|_| ()).await.unwrap();
        let stored = fixture.strata.generations(&agent("a")).await.unwrap().into_iter();
        let stored = stored.filter(|table| table.grain == Grain::Working).map(|table| table.generation);
        assert_eq!(stored.collect::<Vec<_>>(), [4]);
    }

    #[tokio::test]
    async fn scheduled_rebuild_is_done_in_pieces_by_later_passes() {
        let fixture = fixture().await;
        fixture.writer.schedule_rebuild(&agent("a"), Grain::Working).await.unwrap();
        assert_eq!(fixture.rows().await, Some(2), "searches read the present table meanwhile");
        assert!(fixture.writer.project_some(&agent("a"), at(NOW), 1).await.unwrap(), "more is due");
        fixture.project().await;
        assert_eq!((fixture.present().await.0.generation, fixture.rows().await), (1, Some(2)));
    }
}
