//! `annals-bench retrieval`: imports each set of messages into a new folder through the real writer, and asks each question of
//! its own agent through the real search with default settings. Measures how high the messages that answer it are ranked. Plain
//! BM25 and the embedder alone rank the same messages for comparison.
//!
//! The same files give the same figures, except times and memory: no clock is read for questions, and nothing is tuned.

pub(crate) mod ask;
mod baselines;
mod compared;
mod measures;
pub(crate) mod report;

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use annals_core::{Embedder, Error, Result, Timestamp};
use annals_embedder::{Cached, OnnxEmbedder};
use annals_search::Weights;
use clap::Args;
use serde_json::{Map, Value};
use tempfile::TempDir;

use crate::input::{self, Messages, Question};
use crate::vectors::Kept;
use crate::world::{Import, Scoring, World};
use compared::Compared;
use report::Report;

/// Number of vectors cached, as in the command `annals`. Questions repeated for ablation are embedded once.
const CACHED: NonZeroUsize = NonZeroUsize::new(4096).expect("4096 is not zero");

/// Input files and options.
#[derive(Args)]
pub(crate) struct Retrieval {
    /// Folders, each with messages.jsonl (agent, conversation, id, role, name, content, at) and queries.jsonl (agent, id,
    /// query, at, type, evidence: ids of the messages that answer it)
    #[arg(required = true, value_name = "FOLDER")]
    sets: Vec<PathBuf>,
    /// Keep vectors in this folder between runs
    #[arg(long, value_name = "FOLDER")]
    cache: Option<PathBuf>,
    /// Repeat the questions without each part of the ranking
    #[arg(long)]
    ablate: bool,
    /// Print all figures of each set, not only the summary table
    #[arg(long)]
    details: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) async fn run(args: &Retrieval) -> Result<()> {
    let embedder = embedder(args.cache.as_deref())?;
    let (mut tables, mut reports) = (Vec::new(), Map::new());
    for set in &args.sets {
        let name = set.file_name().unwrap_or(set.as_os_str()).to_string_lossy().into_owned();
        let (report, compared) = measure(set, &name, embedder.clone(), args.ablate).await?;
        if args.details && !args.json {
            println!("{name}: {}", report.table());
        }
        reports.insert(name, report_of(&report, &compared));
        tables.push(compared);
    }
    if args.json {
        println!("{}", Value::Object(reports));
    } else {
        print!("{}", compared::table(&tables));
    }
    Ok(())
}

fn report_of(report: &Report, compared: &Compared) -> Value {
    let mut all = report.in_json();
    all["compared"] = compared.in_json();
    all
}

async fn measure(set: &Path, name: &str, embedder: Arc<dyn Embedder>, ablate: bool) -> Result<(Report, Compared)> {
    let messages = input::messages(&set.join("messages.jsonl"))?;
    let (questions, unanswerable) = input::questions(&set.join("queries.jsonl"), &messages)?;
    let folder = TempDir::new().map_err(|error| Error::storage("making a temporary folder", error))?;
    let world = World::open(folder.path(), embedder, Scoring::AsSet).await?;
    let import = fill(&world, &messages, &questions).await?;
    let results = ask::ask(&world, &questions, Weights::default()).await?;
    let mut report = Report::new(&results, unanswerable, &world.footprint().await?, import);
    if ablate {
        for (part, weights) in Weights::ablations() {
            report.ablated(part, &ask::ask(&world, &questions, weights).await?);
        }
    }
    let bm25 = baselines::by_words(&messages, &questions);
    let vectors = baselines::by_vectors(&world, &questions).await?;
    Ok((report, Compared::new(name, &results, [("BM25", bm25), ("MiniLM", vectors)])))
}

/// Returns the bundled model with a cache in memory, as the command `annals` uses it. If `cache` names a folder, vectors are
/// kept in that folder instead.
pub(crate) fn embedder(cache: Option<&Path>) -> Result<Arc<dyn Embedder>> {
    let bundled = OnnxEmbedder::bundled()?;
    let Some(folder) = cache else { return Ok(Arc::new(Cached::new(bundled, CACHED))) };
    std::fs::create_dir_all(folder).map_err(|error| Error::storage("making the folder of vectors", error))?;
    Ok(Arc::new(Kept::open(&folder.join("vectors"), bundled)?))
}

/// Opens the stores in a folder with the bundled model and a cache in memory.
pub(crate) async fn open(folder: &Path, scoring: Scoring) -> Result<World> {
    World::open(folder, embedder(None)?, scoring).await
}

/// Stores and embeds all messages. The current time is that of the last message or question.
pub(crate) async fn fill(world: &World, messages: &Messages, questions: &[Question]) -> Result<Import> {
    let moments = messages.values().flatten().map(|message| message.at);
    let now = moments.chain(questions.iter().map(|question| question.at)).max().unwrap_or(Timestamp::UNIX_EPOCH);
    let mut import = Import::default();
    for (agent, messages) in messages {
        let one = world.fill(agent, messages.iter().cloned(), now, &|_, _| ()).await?;
        import.catalog += one.catalog;
        import.embedding += one.embedding;
        import.tables += one.tables;
    }
    Ok(import)
}
