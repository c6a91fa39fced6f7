//! The stores of the command in one folder, filled through the writer and queried through the search.
//!
//! Times are measured separately: embedding apart from the rest of a search, and the catalog apart from the tables of an
//! import. Two worlds over one folder must not write at once.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use annals_catalog::{SqliteCatalog, read_ahead};
use annals_core::ports::{OnConflict, OneEmbedder, Probe, Table};
use annals_core::prelude::*;
use annals_core::{
    Agent, Answer, Embedder, Error, Filter, Grain, Interval, MemoryId, Message, Query, Result, Settings, Strata,
    Timestamp,
};
use annals_facts::DuckFacts;
use annals_search::Search;
use annals_strata::{CacheLimits, LanceStrata};
use annals_writer::Writer;
use async_trait::async_trait;

/// Maximum number of messages per transaction, as in an import.
const BATCH: usize = 500;

/// The stores, the writer and the search over one data folder.
pub(crate) struct World {
    /// The search to be measured.
    pub search: Search,
    /// The embedder, which also measures its own time.
    pub embedder: Timed,
    writer: Writer,
    catalog: Arc<SqliteCatalog>,
    strata: Arc<dyn Strata>,
    folder: PathBuf,
}

/// Which rows of a table are scored.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Scoring {
    /// The scoring of the command `annals`: all rows of a small table are scored. Of a large one only candidates are scored:
    /// the rows nearest by vector, and the rows that fit the words best.
    AsSet,
    /// All rows are scored, however large the table is.
    Exact,
}

/// Times of an import.
#[derive(Clone, Copy, Default)]
pub(crate) struct Import {
    /// Committing the messages to the catalog.
    pub catalog: Duration,
    /// Embedding the messages.
    pub embedding: Duration,
    /// Reading the messages back and writing the tables.
    pub tables: Duration,
}

impl Import {
    pub(crate) fn total(&self) -> Duration {
        self.catalog + self.embedding + self.tables
    }
}

/// Times of one answer.
#[derive(Clone, Copy)]
pub(crate) struct Durations {
    /// The search without embedding the question.
    pub search: Duration,
    /// Embedding the question; near zero if its vector was cached.
    pub embedding: Duration,
}

/// Use of disk and memory.
pub(crate) struct Footprint {
    /// Number of turns stored.
    pub memories: u64,
    /// Bytes on disk per turn.
    pub bytes_per_memory: f64,
    /// Resident memory of this process now, in MB; zero if the system does not report it.
    pub resident_mb: u64,
    /// Peak resident memory of this process so far, in MB; zero if the system does not report it.
    pub peak_mb: u64,
}

impl World {
    /// Opens the stores in a folder, and creates them if necessary.
    pub(crate) async fn open(folder: &Path, embedder: Arc<dyn Embedder>, scoring: Scoring) -> Result<World> {
        let embedder = Timed::new(embedder);
        let shared = Arc::new(OneEmbedder(Arc::new(embedder.clone())));
        std::fs::create_dir_all(folder)
            .map_err(|error| Error::storage(format!("making {}", folder.display()), error))?;
        let file = folder.join("catalog.sqlite");
        let catalog = Arc::new(SqliteCatalog::open(&file)?);
        // The service reads ahead, too.
        read_ahead(file, CacheLimits::of_machine().bytes);
        let facts = Arc::new(DuckFacts::open(&folder.join("facts"))?);
        let strata: Arc<dyn Strata> = Arc::new(tables(&folder.join("tables"), scoring).await?);
        let writer = Writer::new(catalog.clone(), strata.clone(), shared.clone());
        let search = Search::new(catalog.clone(), strata.clone(), facts, shared);
        let search = match scoring {
            Scoring::AsSet => search,
            Scoring::Exact => search.scoring_whole(usize::MAX),
        };
        Ok(World { search, embedder, writer, catalog, strata, folder: folder.to_owned() })
    }

    /// Turns off masking for an agent, so that text that looks like a credential is stored unchanged. Resets all other settings
    /// of the agent to the defaults.
    pub(crate) async fn store_verbatim(&self, agent: &Agent) -> Result<()> {
        self.catalog.save_settings(agent, &Settings { mask: false, ..Settings::default() }).await
    }

    /// Stores and embeds messages of one agent. Calls `progress` with "catalog" and the number of messages committed, then with
    /// "tables" and the number of rows written.
    pub(crate) async fn fill(
        &self,
        agent: &Agent,
        messages: impl Iterator<Item = Message>,
        now: Timestamp,
        progress: &(dyn Fn(&str, u64) + Sync),
    ) -> Result<Import> {
        let mut messages = messages.peekable();
        let begun = Instant::now();
        while messages.peek().is_some() {
            let batch: Vec<Message> = messages.by_ref().take(BATCH).collect();
            let count = batch.len() as u64;
            self.writer.ingest(agent, batch, OnConflict::Refuse, now).await?;
            progress("catalog", count);
        }
        let (catalog, begun, before) = (begun.elapsed(), Instant::now(), self.embedder.spent());
        self.writer.project(agent, now, &|rows| progress("tables", rows)).await?;
        let embedding = self.embedder.spent() - before;
        Ok(Import { catalog, embedding, tables: begun.elapsed().saturating_sub(embedding) })
    }

    /// Answers a query with the given search, and measures the time.
    pub(crate) async fn answer(
        &self,
        search: &Search,
        agent: &Agent,
        query: &Query,
        now: Timestamp,
    ) -> Result<(Answer, Durations)> {
        let (begun, before) = (Instant::now(), self.embedder.spent());
        let answer = search.answer(agent, query, now).await?;
        let (total, embedding) = (begun.elapsed(), self.embedder.spent() - before);
        Ok((answer, Durations { search: total.saturating_sub(embedding), embedding }))
    }

    /// Returns the turns with the most similar vectors, best first, as the tables find them without words.
    pub(crate) async fn nearest(
        &self,
        agent: &Agent,
        vector: Vec<f32>,
        within: Interval,
        count: usize,
    ) -> Result<Vec<MemoryId>> {
        let generation = self.catalog.watermark(agent, Grain::Working).await?.generation;
        let table = Table { agent: agent.clone(), grain: Grain::Working, generation };
        let filter = Filter { within, ..Filter::default() };
        let probe = Probe { vector: Some(vector), filter, limit: count, ..Probe::default() };
        let mut hits = self.strata.search(&table, &probe).await?.hits;
        hits.sort_by(|a, b| b.similarity.unwrap_or(-1.0).total_cmp(&a.similarity.unwrap_or(-1.0)));
        Ok(hits.into_iter().take(count).map(|hit| hit.memory).collect())
    }

    /// Returns the memories with these ids, in the order of the ids.
    pub(crate) async fn memories(&self, agent: &Agent, ids: &[MemoryId]) -> Result<Vec<annals_core::Memory>> {
        self.catalog.get(agent, ids).await
    }

    pub(crate) async fn footprint(&self) -> Result<Footprint> {
        let bytes = size(&self.folder).map_err(|error| Error::storage("measuring the folder", error))?;
        let memories = self.count().await?;
        let bytes_per_memory = bytes as f64 / memories.max(1) as f64;
        Ok(Footprint { memories, bytes_per_memory, resident_mb: status_mb("VmRSS:"), peak_mb: status_mb("VmHWM:") })
    }

    async fn count(&self) -> Result<u64> {
        let mut count = 0;
        for agent in self.catalog.all_agents().await? {
            count += self.catalog.counts(&agent).await?.memories[Grain::Working as usize];
        }
        Ok(count)
    }
}

/// Opens the tables with this kind of scoring.
async fn tables(folder: &Path, scoring: Scoring) -> Result<LanceStrata> {
    let memory = match scoring {
        Scoring::AsSet => CacheLimits::of_machine(),
        Scoring::Exact => CacheLimits { signs_from: usize::MAX, ..CacheLimits::of_machine() },
    };
    LanceStrata::open(folder, memory).await
}

/// Returns the size of all files in a folder, in bytes.
pub(crate) fn size(path: &Path) -> std::io::Result<u64> {
    let mut bytes = 0;
    for entry in std::fs::read_dir(path)? {
        let entry = entry?;
        bytes += if entry.file_type()?.is_dir() { size(&entry.path())? } else { entry.metadata()?.len() };
    }
    Ok(bytes)
}

/// Returns a field of this process's status, in MB; zero if the system does not report it.
pub(crate) fn status_mb(field: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(field)).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap_or(0) / 1024
}

/// An embedder that sums up the time that embedding takes. Clones share the sum.
#[derive(Clone)]
pub(crate) struct Timed {
    inner: Arc<dyn Embedder>,
    micros: Arc<AtomicU64>,
}

impl Timed {
    /// Wraps an embedder, with a sum of zero.
    pub(crate) fn new(inner: Arc<dyn Embedder>) -> Timed {
        Timed { inner, micros: Arc::default() }
    }

    /// Returns the sum so far.
    pub(crate) fn spent(&self) -> Duration {
        Duration::from_micros(self.micros.load(Ordering::Relaxed))
    }

    fn add(&self, begun: Instant) {
        let micros = u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX);
        self.micros.fetch_add(micros, Ordering::Relaxed);
    }
}

#[async_trait]
impl Embedder for Timed {
    fn model(&self) -> &str {
        self.inner.model()
    }

    fn dimension(&self) -> usize {
        self.inner.dimension()
    }

    fn split(&self, text: &str) -> Vec<std::ops::Range<usize>> {
        self.inner.split(text)
    }

    async fn embed(&self, texts: Vec<String>) -> Result<Vec<Vec<f32>>> {
        let begun = Instant::now();
        let vectors = self.inner.embed(texts).await;
        self.add(begun);
        vectors
    }

    async fn embed_query(&self, text: String) -> Result<Vec<f32>> {
        let begun = Instant::now();
        let vector = self.inner.embed_query(text).await;
        self.add(begun);
        vector
    }
}
