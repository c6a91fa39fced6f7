//! `annals-bench scale`: measures one agent with very many memories. Fills a folder through the real writer, once. Then asks
//! the questions in a new process, and reports latency, the memory of that process, and the recall of the exactly nearest
//! vectors.
//!
//! Rows are real texts with real embeddings. Rows beyond the distinct texts of the file repeat a text with its words in another
//! order, or a short text with a number added. Their vectors are moved as far as the model moves a vector for reordered words
//! (`rows.rs`, `row_vectors.rs`). Everything except times and memory is determined by the files and options.

pub(crate) mod ask;
mod exact;
mod export;
mod fill;
mod questions;
mod row_vectors;
mod rows;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use annals_core::{Embedder, Error, Result};
use annals_embedder::OnnxEmbedder;
use clap::Args;
use serde_json::json;

use crate::figures::round;
use crate::input;
use crate::progress::Progress;
use crate::vectors::Kept;
use ask::{Latency, QuestionResult};
use fill::{Filling, Seconds};
use questions::{Asking, Wanted};
use row_vectors::RowVectors;
use rows::Rows;

/// Number of texts embedded between two progress updates.
const BATCH: usize = 256;

/// Input files and options.
#[derive(Args)]
pub(crate) struct Scale {
    /// Messages, one per line: agent, conversation, id, role, name, content, at
    #[arg(long, value_name = "FILE")]
    messages: PathBuf,
    /// Number of memories
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(1..))]
    rows: u32,
    /// Folder in which the stores are kept between runs; a folder that is already filled is not filled again
    #[arg(long, value_name = "DIR")]
    folder: PathBuf,
    /// File in which the vectors of the texts are kept [default: in the folder]; folders can share it
    #[arg(long, value_name = "FILE")]
    vectors: Option<PathBuf>,
    /// Number of questions made from rows
    #[arg(long, value_name = "N", default_value_t = 500)]
    questions: usize,
    /// More questions, one per line, as for `retrieval`; their answers need not be in the memory
    #[arg(long, value_name = "FILE")]
    queries: Option<PathBuf>,
    /// Write rows and questions with their vectors as plain files, for other engines
    #[arg(long, value_name = "DIR")]
    export: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) async fn run(args: &Scale) -> Result<()> {
    let folder = &args.folder;
    std::fs::create_dir_all(folder).map_err(|error| Error::storage(format!("making {}", folder.display()), error))?;
    let filling = Filling { messages: args.messages.clone(), rows: args.rows as usize };
    let wanted = Wanted { made: args.questions, queries: args.queries.clone() };
    let filled = fill::filled(folder, &filling)?;
    let prepared = Asking::read(&asking(folder))?;
    let (seconds, asking) = match (filled, prepared) {
        (Some(seconds), Some(asking)) if asking.wanted == wanted && args.export.is_none() => (seconds, asking),
        (filled, _) => prepare(args, filling, filled, wanted).await?,
    };
    let result = ask::in_new_process(folder)?;
    match args.json {
        true => println!("{}", in_json(args, seconds, &asking, &result)),
        false => print!("{}", table(args, seconds, &asking, &result)),
    }
    Ok(())
}

/// Returns the path of the file with the prepared questions.
fn asking(folder: &Path) -> PathBuf {
    folder.join("asking.json")
}

/// Embeds the texts without a saved vector, fills the stores unless `filled` is set, and writes the questions with their nearest
/// rows. Also exports rows and questions if `--export` is given. Returns the times of filling and the questions.
async fn prepare(args: &Scale, filling: Filling, filled: Option<Seconds>, wanted: Wanted) -> Result<(Seconds, Asking)> {
    let bundled = OnnxEmbedder::bundled()?;
    let messages = input::messages(&args.messages)?;
    let rows = Arc::new(Rows::new(&messages, filling.rows, |text| bundled.split(text).len() == 1)?);
    let path = args.vectors.clone().unwrap_or_else(|| args.folder.join("vectors"));
    let kept = Kept::open(&path, bundled)?;
    let bases = embed(&kept, rows.texts()).await?;
    let vectors = Arc::new(RowVectors::new(rows.clone(), kept.model(), bases));
    let seconds = match filled {
        Some(seconds) => seconds,
        None => fill::fill(&args.folder, filling, &rows, vectors.clone()).await?,
    };
    let asking = questions::prepare(&rows, &vectors, &kept, wanted).await?;
    asking.write(&self::asking(&args.folder))?;
    if let Some(folder) = &args.export {
        let question_vectors =
            kept.embed(asking.questions.iter().map(|question| question.text.clone()).collect()).await?;
        let failed = |error| Error::storage(format!("exporting to {}", folder.display()), error);
        export::export(folder, &rows, &vectors, &asking, &question_vectors).map_err(failed)?;
    }
    Ok((seconds, asking))
}

async fn embed(embedder: &impl Embedder, texts: Vec<String>) -> Result<Vec<Vec<f32>>> {
    let progress = Progress::new("embedded", texts.len());
    let mut vectors = Vec::with_capacity(texts.len());
    for batch in texts.chunks(BATCH) {
        vectors.extend(embedder.embed(batch.to_vec()).await?);
        progress.add(batch.len());
    }
    Ok(vectors)
}

fn in_json(args: &Scale, seconds: Seconds, asking: &Asking, result: &QuestionResult) -> String {
    json!({
        "rows": args.rows,
        "questions": result.questions,
        "latency_ms": {
            "no_filter": result.no_filter, "range": result.range, "cold": result.cold_ms, "open": result.open_ms,
        },
        "resident_mb": result.resident_mb,
        "peak_mb": result.peak_mb,
        "build_s": round(seconds.catalog + seconds.tables),
        "build_parts_s": seconds,
        "recall@10": result.recall,
        "recall@10_range": result.recall_in_range,
        "range_percent": asking.range.percent,
        "bytes_per_memory": result.bytes_per_memory,
    })
    .to_string()
}

fn table(args: &Scale, seconds: Seconds, asking: &Asking, result: &QuestionResult) -> String {
    let row = |what: &str, times: Latency, recall: f64| {
        let Latency { p50, p95, p99 } = times;
        format!("{what:<24} {p50:>8.2} {p95:>8.2} {p99:>8.2} {recall:>10.2}\n")
    };
    let range = &asking.range;
    let mut text = format!("{} memories, {} questions\n\n", args.rows, result.questions);
    text += "ms without embedding          p50      p95      p99  recall@10\n";
    text += &row("no filter", result.no_filter, result.recall);
    text += &row(&format!("range of {} %", range.percent), result.range, result.recall_in_range);
    text += &format!("\nfirst answer {} ms after opening in {} ms\n", result.cold_ms, result.open_ms);
    text += &format!("resident {} MB, at most {} MB\n", result.resident_mb, result.peak_mb);
    text += &format!("on disk {} bytes per memory\n", result.bytes_per_memory);
    text + &format!("filled in {} s (catalog) and {} s (tables), without embedding\n", seconds.catalog, seconds.tables)
}
