//! Port `Facts`: DuckDB in memory over one Parquet file per agent.
//!
//! The file is the store; DuckDB only answers queries. DuckDB holds a copy of the tables in use, each agent's in its own
//! instance, so that no query can access another agent. DuckDB's own file format is never written: such files do not always
//! open again after a crash. When a file is damaged, the table is folded anew from the catalog's log. Relies on one process
//! owning the tables, and on [`Objects`], which replaces an object atomically. DuckDB cannot access extensions, the network
//! or files outside the scratch folder, and all values of a query are bound.
//!
//! # The file, which is a public format
//!
//! `<agent's folder>/facts-<version>-<digest>.parquet`, compressed with zstd; an export is the same file:
//!
//! | column | type | |
//! | --- | --- | --- |
//! | `id` | VARCHAR | id of the operation that opened the fact, or `m-…` for an inferred alias |
//! | `subject`, `predicate`, `object` | VARCHAR | as first written; the predicate in snake case |
//! | `properties` | VARCHAR | a JSON object |
//! | `confidence` | DOUBLE | from 0 to 1 |
//! | `valid_from`, `valid_to` | TIMESTAMP | half-open; `valid_to` is null for a fact without an end |
//! | `recorded_at` | TIMESTAMP | when the first of its operations was recorded |
//! | `said_from`, `said_to` | TIMESTAMP | from the first source's instant until after the last one's |
//! | `sources` | VARCHAR[] | ids of the turns and entries that state it |
//! | `superseded_by` | VARCHAR | null, or the id of the fact that replaced it |
//! | `subject_key`, `object_key` | VARCHAR | keys by which names are compared (`annals_core::entity_key`) |
//!
//! Timestamps are microseconds of UTC. The file's key-value metadata contain `annals_format` (1) and `annals_version`,
//! the version of the log that it was folded from.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod convert;
mod export;
mod find;
mod graph;
mod leftovers;
mod parquet_store;
mod replace;
mod rows;
mod table;
mod table_cache;
#[cfg(test)]
mod tests;

use std::path::Path;
use std::sync::Arc;

use annals_core::{Agent, Error, Fact, FactQuery, Facts, Reached, Result, Route, Walk, thread_end};
use annals_objects::{Objects, Scratch};
use async_trait::async_trait;

pub use convert::json_to_parquet;

use graph::{Graph, Graphs};
use parquet_store::ParquetStore;
use table::Table;
use table_cache::{CachedTable, TableCache};

/// Maximum number of facts that a walk may look at on the calling thread. Most walks are that small, and end before another
/// thread would start.
const AT_ONCE: usize = 64;

/// The folder beside local tables where DuckDB reads and writes; emptied at every start.
const SCRATCH: &str = "scratch";

/// The tables of facts of all agents.
#[derive(Clone)]
pub struct DuckFacts {
    parquet_store: Arc<ParquetStore>,
    scratch: Scratch,
    table_cache: Arc<TableCache>,
    graphs: Arc<Graphs>,
}

impl DuckFacts {
    /// Opens the tables below a local folder. Creates the folder.
    pub fn open(folder: &Path) -> Result<DuckFacts> {
        let failed = |error| Error::storage(format!("opening the facts in {}", folder.display()), error);
        DuckFacts::over(Objects::local(folder).map_err(failed)?, &folder.join(SCRATCH))
    }

    /// Opens the tables in any store, and removes files that a crash left half-written. Empties the local folder `scratch`.
    pub fn over(objects: Objects, scratch: &Path) -> Result<DuckFacts> {
        let failed = |error| Error::storage(format!("emptying {}", scratch.display()), error);
        let parquet_store = ParquetStore::open(objects)?;
        let scratch = Scratch::emptied(scratch).map_err(failed)?;
        Ok(DuckFacts {
            parquet_store: Arc::new(parquet_store),
            scratch,
            table_cache: Arc::default(),
            graphs: Arc::default(),
        })
    }

    /// Runs a query on the agent's table, which is loaded if needed; `None` if the table was never written.
    async fn ask<T: Send + 'static>(
        &self,
        agent: &Agent,
        question: impl FnOnce(&Table) -> Result<T> + Send + 'static,
    ) -> Result<Option<T>> {
        let mut cached = self.table_cache.take(agent).await;
        if matches!(*cached, CachedTable::NotLoaded) {
            *cached = self.load(agent).await?;
        }
        blocking(move || cached.table().map(question).transpose()).await
    }

    /// Runs a query on the agent's graph, which is built from the table if it is not cached; `None` if the table was
    /// never written.
    async fn traverse<T: Send + 'static>(
        &self,
        agent: &Agent,
        question: impl FnOnce(&Graph) -> T + Send + 'static,
    ) -> Result<Option<T>> {
        let graph = match self.graphs.get(agent) {
            Some(graph) => graph,
            None => match self.read_graph(agent).await? {
                Some(graph) => graph,
                None => return Ok(None),
            },
        };
        blocking(move || Ok(Some(question(&graph)))).await
    }

    async fn read_graph(&self, agent: &Agent) -> Result<Option<Arc<Graph>>> {
        let (graphs, owner) = (self.graphs.clone(), agent.clone());
        let everything = FactQuery { history: true, ..FactQuery::default() };
        // Cached while the table is locked, so that a graph never outlives its table.
        let read = move |table: &Table| {
            let graph = Arc::new(Graph::of(find::find(table, &everything)?));
            graphs.keep(&owner, graph.clone());
            Ok(graph)
        };
        self.ask(agent, read).await
    }

    async fn load(&self, agent: &Agent) -> Result<CachedTable> {
        let Some(snapshot) = self.parquet_store.newest(agent).await? else { return Ok(CachedTable::Absent) };
        let bytes = self.parquet_store.read(agent, &snapshot).await?;
        let (scratch, agent) = (self.scratch.clone(), agent.clone());
        blocking(move || Table::decode(&agent, snapshot.version, &bytes, &scratch).map(CachedTable::Loaded)).await
    }
}

/// Runs DuckDB's blocking work on a thread that may block.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| Error::storage("querying the table of facts", thread_end(error.is_panic())))?
}

#[async_trait]
impl Facts for DuckFacts {
    async fn version(&self, agent: &Agent) -> Result<u64> {
        let mut cached = self.table_cache.take(agent).await;
        match &*cached {
            CachedTable::Loaded(table) => return Ok(table.version),
            CachedTable::Absent => return Ok(0),
            CachedTable::NotLoaded => {}
        }
        let Some(snapshot) = self.parquet_store.newest(agent).await? else {
            *cached = CachedTable::Absent;
            return Ok(0);
        };
        // Reading checks the bytes against their checksum. Bytes that match can be loaded, so there is no need to load them
        // now.
        self.parquet_store.read(agent, &snapshot).await?;
        Ok(snapshot.version)
    }

    async fn replace(&self, agent: &Agent, facts: Vec<Fact>, version: u64) -> Result<()> {
        replace::replace(self, agent, facts, version).await
    }

    async fn find(&self, agent: &Agent, query: &FactQuery) -> Result<Vec<Fact>> {
        let query = query.clone();
        let found = match query.about.clone() {
            Some(about) => self.traverse(agent, move |graph| graph.about(&about, &query)).await?,
            None => self.ask(agent, move |table| find::find(table, &query)).await?,
        };
        Ok(found.unwrap_or_default())
    }

    async fn walk(&self, agent: &Agent, walk: &Walk) -> Result<Vec<Reached>> {
        if let Some(reached) = self.graphs.get(agent).and_then(|graph| graph.walk(walk, AT_ONCE)) {
            return Ok(reached);
        }
        let walk = walk.clone();
        Ok(self.traverse(agent, move |graph| graph.walk(&walk, usize::MAX)).await?.flatten().unwrap_or_default())
    }

    async fn path(&self, agent: &Agent, route: &Route) -> Result<Option<Vec<Fact>>> {
        let route = route.clone();
        Ok(self.traverse(agent, move |graph| graph.path(&route)).await?.flatten())
    }

    async fn known(&self, agent: &Agent, names: &[String]) -> Result<Vec<String>> {
        let names = names.to_vec();
        Ok(self.traverse(agent, move |graph| graph.known(&names)).await?.unwrap_or_default())
    }

    async fn predicates(&self, agent: &Agent, limit: usize) -> Result<Vec<String>> {
        Ok(self.ask(agent, move |table| find::predicates(table, limit)).await?.unwrap_or_default())
    }

    async fn export(&self, agent: &Agent, target: &Path) -> Result<()> {
        export::export(self, agent, target).await
    }

    async fn remove(&self, agent: &Agent) -> Result<()> {
        let mut cached = self.table_cache.take(agent).await;
        *cached = CachedTable::NotLoaded;
        self.graphs.give_up(agent);
        self.parquet_store.remove(agent).await
    }

    async fn find_leftovers(&self, agent: &Agent, words: &[String]) -> Result<Vec<String>> {
        leftovers::find_leftovers(self, agent, words).await
    }
}
