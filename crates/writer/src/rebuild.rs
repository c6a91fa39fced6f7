//! Building a table anew from the catalog, beside the one that searches read, and swapping the two.
//!
//! Resumable: how far the new generation has come is in the catalog. Until the swap nothing changes for readers.

use annals_core::ports::{Lane, Table};
use annals_core::{Agent, Grain, Result, Timestamp};

use crate::Writer;

impl Writer {
    /// Builds the next generation of a grain's table and swaps it in; goes on with one that was interrupted. `progress` is
    /// told the number of changes after each batch.
    pub async fn rebuild(
        &self,
        agent: &Agent,
        grain: Grain,
        now: Timestamp,
        progress: &(dyn Fn(u64) + Sync),
    ) -> Result<()> {
        let mut lane = self.catalog.lane(agent, grain).await?;
        let (generation, mut applied) = lane.building.unwrap_or((lane.generation + 1, 0));
        let table = Table { agent: agent.clone(), grain, generation };
        if applied == 0 {
            // What an earlier attempt may have left before it was recorded.
            self.strata.remove(&table).await?;
        }
        while let Some(step) = self.step(&table, applied, now).await? {
            applied = step.applied_to;
            lane.building = Some((generation, applied));
            self.catalog.save_lane(agent, grain, lane).await?;
            progress(step.changes);
        }
        self.catalog.save_lane(agent, grain, Lane { generation, applied, building: None }).await?;
        self.strata.remove(&Table { generation: lane.generation, ..table }).await
    }

    /// Puts a damaged table aside and starts the next generation empty, in its place; the lane then fills it. Says where to.
    pub(crate) async fn put_aside(&self, table: &Table, lane: Lane) -> Result<Option<String>> {
        let place = self.strata.quarantine(table).await?;
        let generation = lane.building.map_or(lane.generation, |(building, _)| building) + 1;
        let fresh = Lane { generation, applied: 0, building: None };
        self.catalog.save_lane(&table.agent, table.grain, fresh).await?;
        Ok(place)
    }

    /// Puts a grain's damaged table aside, so that the next [`Writer::project`] builds it anew. Says where to.
    pub async fn quarantine(&self, agent: &Agent, grain: Grain) -> Result<Option<String>> {
        let lane = self.catalog.lane(agent, grain).await?;
        self.put_aside(&Table { agent: agent.clone(), grain, generation: lane.generation }, lane).await
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
}
