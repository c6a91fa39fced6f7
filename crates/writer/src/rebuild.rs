//! Building a table anew from the catalog, beside the one that searches read, and swapping the two.
//!
//! Resumable: the catalog records which generation is being built and how far it has come, so [`Writer::project`] goes on with
//! it after a crash. Until the swap the watermark stands at the present generation. If that one is damaged or gone, searches
//! say so until the new one is complete: a table that is half built never answers.

use annals_core::ports::{Lane, Table};
use annals_core::{Agent, Grain, Result, Timestamp};

use crate::Writer;
use crate::project::{BATCH, Step};

impl Writer {
    /// Builds the next generation of a grain's table and swaps it in; goes on with one that was interrupted. `progress` receives
    /// the number of changes after each batch.
    pub async fn rebuild(
        &self,
        agent: &Agent,
        grain: Grain,
        now: Timestamp,
        progress: &(dyn Fn(u64) + Sync),
    ) -> Result<()> {
        let mut lane = self.catalog.lane(agent, grain).await?;
        if lane.building.is_none() {
            lane = self.schedule_rebuild(agent, grain).await?;
        }
        while let Some(step) = self.build(agent, grain, lane, now, BATCH).await? {
            progress(step.changes);
            lane = self.catalog.lane(agent, grain).await?;
        }
        Ok(())
    }

    /// Records that a grain's table is to be built anew, from the beginning even if that was begun before. [`Writer::project`]
    /// does it.
    pub async fn schedule_rebuild(&self, agent: &Agent, grain: Grain) -> Result<Lane> {
        let lane = self.catalog.lane(agent, grain).await?;
        let next = lane.building.map_or(lane.generation + 1, |(generation, _)| generation);
        let lane = Lane { building: Some((next, 0)), ..lane };
        self.catalog.save_lane(agent, grain, lane).await?;
        Ok(lane)
    }

    /// Applies the next batch to the generation that is being built; swaps it in when it holds everything. None if no batch is left.
    pub(crate) async fn build(
        &self,
        agent: &Agent,
        grain: Grain,
        lane: Lane,
        now: Timestamp,
        most: usize,
    ) -> Result<Option<Step>> {
        let Some((generation, mut applied)) = lane.building else { return Ok(None) };
        let table = Table { agent: agent.clone(), grain, generation };
        if applied > 0 && !self.strata.exists(&table).await? {
            // Recorded first: after a crash the table would be there, and pass for one that holds what was applied before.
            self.catalog.save_lane(agent, grain, Lane { building: Some((generation, 0)), ..lane }).await?;
            applied = 0;
        }
        if applied == 0 {
            // What an earlier attempt may have left before it was recorded.
            self.strata.remove(&table).await?;
        }
        if let Some(step) = self.step(&table, applied, now, most).await? {
            let building = Some((generation, step.applied_to));
            self.catalog.save_lane(agent, grain, Lane { building, ..lane }).await?;
            return Ok(Some(step));
        }
        self.catalog.save_lane(agent, grain, Lane { generation, applied, building: None }).await?;
        self.strata.remove(&Table { generation: lane.generation, ..table }).await?;
        Ok(None)
    }

    /// Has a damaged table built anew: starts again with the generation that is being built if that is the damaged one, else moves
    /// the present one aside. Returns where to. The rebuild is recorded first: after a crash between the two the table is still
    /// replaced.
    pub(crate) async fn replace(&self, agent: &Agent, grain: Grain) -> Result<Option<String>> {
        let lane = self.catalog.lane(agent, grain).await?;
        if lane.building.is_some() {
            self.schedule_rebuild(agent, grain).await?;
            return Ok(None);
        }
        self.put_aside(agent, grain, lane).await
    }

    /// Records that the table is to be built anew, and moves the present one aside. Returns where to.
    pub(crate) async fn put_aside(&self, agent: &Agent, grain: Grain, lane: Lane) -> Result<Option<String>> {
        if lane.building.is_none() && lane.applied > 0 {
            self.schedule_rebuild(agent, grain).await?;
        }
        self.strata.quarantine(&Table { agent: agent.clone(), grain, generation: lane.generation }).await
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use annals_core::{Catalog, Strata};
    use annals_testkit::{Faulty, MemoryCatalog, MemoryStrata, WordEmbedder, agent, at, message};

    use super::*;

    /// The next generation holds the same, and only it is left, whichever store call fails on the way.
    #[tokio::test]
    async fn a_rebuild_that_is_interrupted_goes_on() {
        for call in 1.. {
            let (strata, catalog) = (Arc::new(MemoryStrata::new()), Arc::new(MemoryCatalog::new()));
            let embedder = Arc::new(WordEmbedder::new());
            let agent = agent("a");
            let now = at("2026-03-05T00:00:00Z");
            let writer = Writer::new(catalog.clone(), catalog.clone(), strata.clone(), embedder.clone());
            let messages = ["one", "two"].map(|text| message("2026-03-04T10:00:00Z", text)).to_vec();
            writer.ingest(&agent, messages, false, now).await.unwrap();
            writer.project(&agent, now, &|_| ()).await.unwrap();
            let table = |generation| Table { agent: agent.clone(), grain: Grain::Working, generation };
            let before = strata.scan(&table(0)).await.unwrap();

            let faulty = Arc::new(Faulty::at_call((*strata).clone(), call));
            let shaky = Writer::new(catalog.clone(), catalog.clone(), faulty.clone(), embedder);
            let first = shaky.rebuild(&agent, Grain::Working, now, &|_| ()).await;
            if first.is_err() && catalog.lane(&agent, Grain::Working).await.unwrap().generation == 0 {
                assert_eq!(strata.scan(&table(0)).await.unwrap(), before, "readers see the former table");
                shaky.rebuild(&agent, Grain::Working, now, &|_| ()).await.unwrap();
            }
            assert_eq!(strata.scan(&table(1)).await.unwrap(), before, "failing call {call}");
            assert_eq!(writer.audit(&agent).await.unwrap(), []);
            if faulty.calls() < call {
                assert_eq!(strata.scan(&table(0)).await.unwrap(), []);
                break;
            }
        }
    }

    struct Given {
        strata: Arc<MemoryStrata>,
        catalog: Arc<MemoryCatalog>,
        writer: Writer,
    }

    const NOW: &str = "2026-03-05T00:00:00Z";

    /// An agent whose two messages are searchable.
    async fn given() -> Given {
        let (strata, catalog) = (Arc::new(MemoryStrata::new()), Arc::new(MemoryCatalog::new()));
        let writer = Writer::new(catalog.clone(), catalog.clone(), strata.clone(), Arc::new(WordEmbedder::new()));
        let given = Given { strata, catalog, writer };
        given.say("one").await;
        given.say("two").await;
        given.project().await;
        given
    }

    impl Given {
        async fn say(&self, text: &str) {
            let messages = vec![message("2026-03-04T10:00:00Z", text)];
            self.writer.ingest(&agent("a"), messages, false, at(NOW)).await.unwrap();
        }

        async fn project(&self) {
            self.writer.project(&agent("a"), at(NOW), &|_| ()).await.unwrap();
        }

        async fn present(&self) -> (Table, u64) {
            let lane = self.catalog.lane(&agent("a"), Grain::Working).await.unwrap();
            (Table { agent: agent("a"), grain: Grain::Working, generation: lane.generation }, lane.applied)
        }

        /// Rows that a search may find; none if it says that the table is damaged.
        async fn rows(&self) -> Option<usize> {
            let (table, applied) = self.present().await;
            self.strata.require(&table, applied).await.ok()?;
            Some(self.strata.scan(&table).await.unwrap().len())
        }
    }

    #[tokio::test]
    async fn a_lost_table_is_damaged_and_the_next_message_brings_everything_back() {
        let given = given().await;
        given.strata.remove(&given.present().await.0).await.unwrap();
        assert_eq!(given.rows().await, None);
        let found = given.writer.audit(&agent("a")).await.unwrap();
        assert_eq!(found, [crate::Discrepancy::Damaged(Grain::Working, "it is missing".into())]);
        given.say("three").await;
        given.project().await;
        assert_eq!(given.rows().await, Some(3));
        assert_eq!(given.writer.audit(&agent("a")).await.unwrap(), []);
    }

    #[tokio::test]
    async fn a_lost_table_is_mended_without_a_new_message() {
        let given = given().await;
        given.strata.remove(&given.present().await.0).await.unwrap();
        given.writer.mend(&agent("a"), at(NOW)).await.unwrap();
        assert_eq!(given.rows().await, Some(2));
    }

    /// Whatever store call fails, a search afterwards finds everything or says that the table is damaged, and the next pass mends it.
    #[tokio::test]
    async fn a_table_that_is_being_replaced_never_answers_with_less() {
        for call in 1.. {
            let given = given().await;
            given.strata.remove(&given.present().await.0).await.unwrap();
            given.say("three").await;
            let strata = Arc::new(Faulty::at_call((*given.strata).clone(), call));
            let catalog = Arc::new(Faulty::at_call((*given.catalog).clone(), call));
            let embedder = Arc::new(WordEmbedder::new());
            for writer in [
                Writer::new(given.catalog.clone(), given.catalog.clone(), strata.clone(), embedder.clone()),
                Writer::new(catalog.clone(), catalog.clone(), given.strata.clone(), embedder.clone()),
            ] {
                let _ = writer.project_some(&agent("a"), at(NOW), 1).await;
                let _ = writer.mend(&agent("a"), at(NOW)).await;
                assert!(matches!(given.rows().await, None | Some(3)), "failing call {call}");
            }
            given.writer.mend(&agent("a"), at(NOW)).await.unwrap();
            assert_eq!(given.rows().await, Some(3), "failing call {call}");
            assert_eq!(given.writer.audit(&agent("a")).await.unwrap(), [], "failing call {call}");
            if strata.calls() < call && catalog.calls() < call {
                break;
            }
        }
    }

    /// A kill between the new table and the record of it left out what the lost table had held.
    #[tokio::test]
    async fn a_rebuild_whose_table_is_gone_begins_anew_before_anything_is_written() {
        for call in 1.. {
            let given = given().await;
            let lane = given.catalog.lane(&agent("a"), Grain::Working).await.unwrap();
            let building = Lane { building: Some((1, 1)), ..lane };
            given.catalog.save_lane(&agent("a"), Grain::Working, building).await.unwrap();
            let strata = Arc::new(Faulty::at_call((*given.strata).clone(), call));
            let catalog = given.catalog.clone();
            let shaky = Writer::new(catalog.clone(), catalog.clone(), strata.clone(), Arc::new(WordEmbedder::new()));
            let done = shaky.project(&agent("a"), at(NOW), &|_| ()).await;
            let left = catalog.lane(&agent("a"), Grain::Working).await.unwrap().building;
            assert!(call == 1 || left != Some((1, 1)), "failing call {call}");
            given.project().await;
            assert_eq!(given.writer.audit(&agent("a")).await.unwrap(), [], "failing call {call}");
            assert_eq!((given.present().await.0.generation, given.rows().await), (1, Some(2)));
            if done.is_ok() {
                break;
            }
        }
    }

    #[tokio::test]
    async fn a_scheduled_rebuild_is_done_by_the_next_passes_a_piece_at_a_time() {
        let given = given().await;
        given.writer.schedule_rebuild(&agent("a"), Grain::Working).await.unwrap();
        assert_eq!(given.rows().await, Some(2), "searches read the present table meanwhile");
        assert!(given.writer.project_some(&agent("a"), at(NOW), 1).await.unwrap(), "more is due");
        given.project().await;
        assert_eq!((given.present().await.0.generation, given.rows().await), (1, Some(2)));
    }
}
