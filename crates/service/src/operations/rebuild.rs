//! Rebuilds the tables of an agent from the catalog beside the present ones, then swaps them; and compacts tables.

use annals_core::ports::{Table, TableStats};
use annals_core::{Agent, Grain, Result, Timestamp};

use crate::locks::{Facts, Tables};
use crate::{ProgressSink, Service};

impl Service {
    /// Rebuilds the tables of these grains; if `grains` is empty, all tables and the table of facts. Returns the number of
    /// changes in the catalog from which the tables of these grains were rebuilt.
    pub async fn rebuild(
        &self,
        agent: &Agent,
        grains: &[Grain],
        now: Timestamp,
        progress: &dyn ProgressSink,
    ) -> Result<u64> {
        let mut memories = 0;
        for grain in if grains.is_empty() { &Grain::ALL[..] } else { grains } {
            let total = self.parts.store.backlog(agent, *grain, 0).await?;
            let stage = progress.begin("rebuilding", total);
            let _tables_lock = self.locks.lock::<Tables>(agent).await;
            self.parts.writer.rebuild(agent, *grain, now, &|changes| stage.advance(changes)).await?;
            memories += total;
        }
        if grains.is_empty() {
            let _facts_lock = self.locks.lock::<Facts>(agent).await;
            self.parts.fact_writer.refold(agent).await?;
        }
        Ok(memories)
    }

    /// Compacts a table: joins small fragments and drops old versions. Returns the numbers of fragments and versions before the
    /// compaction.
    pub async fn compact(&self, agent: &Agent, grain: Grain) -> Result<TableStats> {
        let _tables_lock = self.locks.lock::<Tables>(agent).await;
        let generation = self.parts.store.watermark(agent, grain).await?.generation;
        let table = Table { agent: agent.clone(), grain, generation };
        let table_stats = self.parts.strata.table_stats(&table).await?;
        self.parts.strata.compact(&table).await?;
        Ok(table_stats)
    }
}
