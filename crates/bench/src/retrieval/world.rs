//! A fresh folder with the same stores as the command's, filled through the writer.

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use annals_catalog::SqliteCatalog;
use annals_core::{Agent, Catalog, Embedder, Error, Grain, Result, Strata, Timestamp};
use annals_embedder::{Cached, OnnxEmbedder};
use annals_facts::DuckFacts;
use annals_search::Search;
use annals_strata::LanceStrata;
use annals_writer::Writer;
use async_trait::async_trait;
use tempfile::TempDir;

use super::input::{Messages, Question};

/// Messages per transaction, as in an import.
const BATCH: usize = 500;
/// Vectors kept, as in the command: questions that are asked again, for ablation, are embedded once.
const CACHED: NonZeroUsize = NonZeroUsize::new(4096).expect("4096 is not zero");

/// Open stores over a folder that goes with them.
pub struct World {
    /// The search to be measured.
    pub search: Search,
    /// What embedding has taken so far.
    pub embedding: Arc<Timed>,
    /// What the import came to.
    pub import: Import,
    catalog: Arc<SqliteCatalog>,
    folder: TempDir,
}

/// Figures of the import.
#[derive(Clone, Copy)]
pub struct Import {
    /// All of it.
    pub total: Duration,
    /// Embedding alone.
    pub embedding: Duration,
    /// Memories stored.
    pub memories: u64,
}

/// What is stored and held.
pub struct Footprint {
    /// On disk, per memory.
    pub bytes_per_memory: f64,
    /// Of this process now and at most, in MB; zero where the system does not say.
    pub resident_mb: u64,
    /// At most so far.
    pub peak_mb: u64,
}

impl World {
    /// Stores and embeds all messages. Now is when the last message was said or the last question is asked.
    pub async fn fill(messages: &Messages, questions: &[Question]) -> Result<World> {
        let folder = TempDir::new().map_err(|error| Error::storage("making a temporary folder", error))?;
        let path = folder.path();
        let embedding = Arc::new(Timed::new(OnnxEmbedder::bundled()?));
        let embedder: Arc<dyn Embedder> = Arc::new(Cached::new(Shared(embedding.clone()), CACHED));
        let catalog = Arc::new(SqliteCatalog::open(&path.join("catalog.sqlite"))?);
        let facts = Arc::new(DuckFacts::open(&path.join("facts"))?);
        let strata: Arc<dyn Strata> = Arc::new(LanceStrata::open(&path.join("tables"), embedder.dimension()).await?);
        let writer = Writer::new(catalog.clone(), catalog.clone(), strata.clone(), embedder.clone());
        let said = messages.values().flatten().map(|message| message.at);
        let now = said.chain(questions.iter().map(|question| question.at)).max().unwrap_or(Timestamp::UNIX_EPOCH);
        let begun = Instant::now();
        for (agent, messages) in messages {
            for batch in messages.chunks(BATCH) {
                writer.ingest(agent, batch.to_vec(), false, now).await?;
            }
            writer.project(agent, now, &|_| ()).await?;
        }
        let import = Import { total: begun.elapsed(), embedding: embedding.spent(), memories: count(&catalog).await? };
        let search = Search::new(catalog.clone(), strata, facts, embedder);
        Ok(World { search, embedding, import, catalog, folder })
    }

    /// What it takes.
    pub async fn footprint(&self) -> Result<Footprint> {
        let bytes = size(self.folder.path()).map_err(|error| Error::storage("measuring the folder", error))?;
        let memories = count(&self.catalog).await?.max(1);
        let bytes_per_memory = bytes as f64 / memories as f64;
        Ok(Footprint { bytes_per_memory, resident_mb: status_mb("VmRSS:"), peak_mb: status_mb("VmHWM:") })
    }
}

async fn count(catalog: &SqliteCatalog) -> Result<u64> {
    let mut count = 0;
    for agent in catalog.agents().await? {
        count += live(catalog, &agent).await?;
    }
    Ok(count)
}

async fn live(catalog: &SqliteCatalog, agent: &Agent) -> Result<u64> {
    Ok(catalog.counts(agent).await?.memories[Grain::Working as usize])
}

fn size(path: &Path) -> std::io::Result<u64> {
    let mut bytes = 0;
    for entry in std::fs::read_dir(path)? {
        let entry = entry?;
        bytes += if entry.file_type()?.is_dir() { size(&entry.path())? } else { entry.metadata()?.len() };
    }
    Ok(bytes)
}

fn status_mb(field: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(field)).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap_or(0) / 1024
}

/// An embedder that adds up the time it takes.
pub struct Timed {
    inner: OnnxEmbedder,
    micros: AtomicU64,
}

impl Timed {
    fn new(inner: OnnxEmbedder) -> Timed {
        Timed { inner, micros: AtomicU64::new(0) }
    }

    /// The sum so far.
    pub fn spent(&self) -> Duration {
        Duration::from_micros(self.micros.load(Ordering::Relaxed))
    }
}

struct Shared(Arc<Timed>);

#[async_trait]
impl Embedder for Shared {
    fn model(&self) -> &str {
        self.0.inner.model()
    }

    fn dimension(&self) -> usize {
        self.0.inner.dimension()
    }

    fn split(&self, text: &str) -> Vec<std::ops::Range<usize>> {
        self.0.inner.split(text)
    }

    async fn embed(&self, texts: Vec<String>) -> Result<Vec<Vec<f32>>> {
        let begun = Instant::now();
        let vectors = self.0.inner.embed(texts).await;
        let micros = u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX);
        self.0.micros.fetch_add(micros, Ordering::Relaxed);
        vectors
    }
}
