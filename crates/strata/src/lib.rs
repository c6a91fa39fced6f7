//! Port `Strata` on LanceDB: six tables per agent; each row is a part of a memory with its text and vector.
//!
//! Relies on one process owning the tables (`replica.rs` reads beside it), and on the catalog: the tables are projections of it, so a damaged table is
//! reported as damaged and rebuilt, never repaired. A batch that `apply` has returned from survives a power cut,
//! because every write goes through [`Objects`], which are durable (`disk.rs`); LanceDB's own access to local files never
//! syncs. Never logs the text of memories.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod apply;
mod background;
mod cache_limits;
mod compact;
mod damage;
mod disk;
mod disk_search;
mod head;
mod leftovers;
mod load;
mod maintenance;
mod purge;
mod remove;
mod replica;
mod rewrite;
mod rows;
mod scan;
mod search;
mod tables;
#[cfg(test)]
mod tests;
mod text_index;

use std::path::Path;
use std::sync::Arc;

use annals_core::ports::{Batch, Findings, Probe, Stored, Table, TableStats};
use annals_core::{Agent, Error, Result, Strata};
use annals_objects::Objects;
use async_trait::async_trait;

pub use cache_limits::CacheLimits;
use damage::contain;
use maintenance::Maintenance;
pub use replica::ReplicaStrata;
use tables::Tables;

/// The tables of all agents, as `<agent>/<grain>-g<generation>.lance`.
#[derive(Clone)]
pub struct LanceStrata {
    tables: Arc<Tables>,
}

impl LanceStrata {
    /// Opens the tables below a local folder. Creates the folder, but nothing in it before the first write. Fails with
    /// [`annals_core::Error::Storage`] if the folder cannot be created.
    pub async fn open(folder: &Path, limits: CacheLimits) -> Result<LanceStrata> {
        let failed = |error| Error::storage(format!("opening the tables in {}", folder.display()), error);
        LanceStrata::over(Objects::local(folder).map_err(failed)?, limits).await
    }

    /// Opens the tables in any store. A conditional `put` of the store must fail if the object already exists, because commits
    /// rely on it.
    pub async fn over(objects: Objects, limits: CacheLimits) -> Result<LanceStrata> {
        let maintenance = Maintenance { limits, ..Maintenance::default() };
        LanceStrata::maintained(objects, maintenance).await
    }

    /// Opens the tables with the given thresholds of maintenance. Tests pass low ones.
    async fn maintained(objects: Objects, maintenance: Maintenance) -> Result<LanceStrata> {
        Ok(LanceStrata { tables: Arc::new(Tables::open(objects, maintenance).await?) })
    }
}

/// Each call runs in a task of its own. A panic inside LanceDB becomes an error there, and a caller that stops waiting does
/// not stop a commit half-way.
#[async_trait]
impl Strata for LanceStrata {
    async fn apply(&self, table: &Table, batch: Batch) -> Result<()> {
        let (tables, name) = (self.tables.clone(), table.clone());
        contain(table, async move { apply::apply(&tables, &name, batch).await }).await
    }

    async fn exists(&self, table: &Table) -> Result<bool> {
        if self.tables.in_memory.get(table).is_some() {
            return Ok(true);
        }
        let (tables, name) = (self.tables.clone(), table.clone());
        contain(table, async move { Ok(tables.reading(&name, &tables.slot(&name)).await?.is_some()) }).await
    }

    async fn search(&self, table: &Table, probe: &Probe) -> Result<Findings> {
        let (tables, name, probe) = (self.tables.clone(), table.clone(), probe.clone());
        contain(table, async move { search::search(&tables, &name, &probe).await }).await
    }

    async fn scan(&self, table: &Table) -> Result<Vec<Stored>> {
        let (tables, name) = (self.tables.clone(), table.clone());
        contain(table, async move { scan::scan(&tables, &name).await }).await
    }

    async fn remove(&self, table: &Table) -> Result<()> {
        let (tables, name) = (self.tables.clone(), table.clone());
        contain(table, async move { remove::remove(&tables, &name).await }).await
    }

    async fn rewrite(&self, from: &Table, generation: u32) -> Result<()> {
        let (tables, name) = (self.tables.clone(), from.clone());
        contain(from, async move { rewrite::rewrite(&tables, &name, generation).await }).await
    }

    async fn generations(&self, agent: &Agent) -> Result<Vec<Table>> {
        let (tables, agent) = (self.tables.clone(), agent.clone());
        let task = background::spawn(async move { purge::generations(&tables, &agent).await });
        task.await.map_err(|error| Error::storage("listing tables", error))?
    }

    async fn remove_below(&self, agent: &Agent, kept: &[Table]) -> Result<()> {
        let (tables, agent, kept) = (self.tables.clone(), agent.clone(), kept.to_vec());
        let task = background::spawn(async move { purge::remove_below(&tables, &agent, &kept).await });
        task.await.map_err(|error| Error::storage("removing tables", error))?
    }

    async fn remove_agent(&self, agent: &Agent) -> Result<()> {
        let (tables, agent) = (self.tables.clone(), agent.clone());
        let task = background::spawn(async move { purge::remove_agent(&tables, &agent).await });
        task.await.map_err(|error| Error::storage("removing tables", error))?
    }

    async fn find_leftovers(&self, agent: &Agent, words: &[String]) -> Result<Vec<String>> {
        let (tables, agent, words) = (self.tables.clone(), agent.clone(), words.to_vec());
        let task = background::spawn(async move { leftovers::find_leftovers(&tables, &agent, &words).await });
        task.await.map_err(|error| Error::storage("searching tables", error))?
    }

    async fn compact(&self, table: &Table) -> Result<()> {
        let (tables, name) = (self.tables.clone(), table.clone());
        contain(table, async move { compact::compact(&tables, &name).await }).await
    }

    async fn table_stats(&self, table: &Table) -> Result<TableStats> {
        let (tables, name) = (self.tables.clone(), table.clone());
        contain(table, async move { compact::table_stats(&tables, &name).await }).await
    }

    async fn quarantine(&self, table: &Table) -> Result<Option<String>> {
        let (tables, name) = (self.tables.clone(), table.clone());
        contain(table, async move { remove::quarantine(&tables, &name).await }).await
    }
}
