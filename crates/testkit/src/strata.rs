//! In-memory searchable tables: plain maps, with the plainest possible search.

mod search;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use annals_core::ports::{Batch, Findings, Part, Probe, Stored, Strata, Table, TableStats};
use annals_core::{Agent, Digest, Error, MemoryId, Result};
use async_trait::async_trait;
use parking_lot::{Mutex, MutexGuard};

type Rows = BTreeMap<(MemoryId, u32), Part>;

/// Port `Strata` over plain maps. Clones share their content.
#[derive(Clone, Debug, Default)]
pub struct MemoryStrata {
    tables: Arc<Mutex<BTreeMap<Table, Rows>>>,
}

impl MemoryStrata {
    pub fn new() -> MemoryStrata {
        MemoryStrata::default()
    }

    fn tables(&self) -> MutexGuard<'_, BTreeMap<Table, Rows>> {
        self.tables.lock()
    }
}

#[async_trait]
impl Strata for MemoryStrata {
    async fn apply(&self, table: &Table, batch: Batch) -> Result<()> {
        if batch.upserts.iter().any(|part| part.vector.len() != batch.dimension) {
            return Err(Error::invalid("vector", format!("must have {} numbers", batch.dimension)));
        }
        let mut tables = self.tables();
        let rows = tables.entry(table.clone()).or_default();
        if rows.values().any(|part| part.vector.len() != batch.dimension) {
            return Err(Error::damaged(format!("{table:?}"), "its vectors have another length"));
        }
        let replaced = batch.upserts.iter().map(|part| part.memory.clone());
        let stale: BTreeSet<_> = replaced.chain(batch.deletes).collect();
        rows.retain(|(memory, _), _| !stale.contains(memory));
        rows.extend(batch.upserts.into_iter().map(|part| ((part.memory.clone(), part.part), part)));
        Ok(())
    }

    async fn exists(&self, table: &Table) -> Result<bool> {
        Ok(self.tables().contains_key(table))
    }

    async fn search(&self, table: &Table, probe: &Probe) -> Result<Findings> {
        let tables = self.tables();
        let rows: Vec<&Part> = tables.get(table).into_iter().flat_map(BTreeMap::values).collect();
        let is_right = |vector: &Vec<f32>| rows.iter().all(|part| part.vector.len() == vector.len());
        if !probe.vector.iter().all(is_right) {
            return Err(Error::invalid("vector", "has another length than those of the table"));
        }
        Ok(search::findings(&rows, probe))
    }

    async fn scan(&self, table: &Table) -> Result<Vec<Stored>> {
        let tables = self.tables();
        Ok(tables.get(table).into_iter().flat_map(BTreeMap::values).map(stored).collect())
    }

    async fn remove(&self, table: &Table) -> Result<()> {
        self.tables().remove(table);
        Ok(())
    }

    async fn rewrite(&self, from: &Table, generation: u32) -> Result<()> {
        let mut tables = self.tables();
        let rows = tables.get(from).cloned().unwrap_or_default();
        tables.insert(Table { generation, ..from.clone() }, rows);
        Ok(())
    }

    async fn generations(&self, agent: &Agent) -> Result<Vec<Table>> {
        Ok(self.tables().keys().filter(|table| table.agent == *agent).cloned().collect())
    }

    async fn remove_below(&self, agent: &Agent, tables: &[Table]) -> Result<()> {
        let is_below = |table: &Table, other: &Table| table.grain == other.grain && table.generation < other.generation;
        self.tables().retain(|table, _| table.agent != *agent || !tables.iter().any(|other| is_below(table, other)));
        Ok(())
    }

    async fn remove_agent(&self, agent: &Agent) -> Result<()> {
        self.tables().retain(|table, _| table.agent != *agent);
        Ok(())
    }

    async fn find_leftovers(&self, agent: &Agent, words: &[String]) -> Result<Vec<String>> {
        let tables = self.tables();
        let has_word =
            |rows: &Rows| rows.values().any(|part| words.iter().any(|word| part.text.contains(word.as_str())));
        let holders = tables.iter().filter(|(table, rows)| table.agent == *agent && has_word(rows));
        Ok(holders.map(|(table, _)| format!("{} generation {}", table.grain, table.generation)).collect())
    }

    async fn compact(&self, _: &Table) -> Result<()> {
        Ok(())
    }

    async fn table_stats(&self, _: &Table) -> Result<TableStats> {
        Ok(TableStats::default())
    }

    async fn quarantine(&self, table: &Table) -> Result<Option<String>> {
        let aside = format!("{} {} generation {}", table.agent, table.grain, table.generation);
        Ok(self.tables().remove(table).map(|_| aside))
    }
}

fn stored(part: &Part) -> Stored {
    let content = Part { seq: 0, ..part.clone() };
    let digest = Digest::of([format!("{content:?}")]);
    Stored { memory: part.memory.clone(), part: part.part, seq: part.seq, digest }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn keeps_the_promises_of_the_port() {
        crate::strata_suite(async || MemoryStrata::new()).await;
        crate::whole_tables_suite(async || MemoryStrata::new()).await;
    }
}
