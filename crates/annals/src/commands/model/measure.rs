//! `annals model measure`: measures how fast the configured model is on this machine.

use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use annals_core::ports::Embedders;
use annals_core::{Embedder, Error, Result};
use annals_llm::{EmbedderChoice, EmbedderSettings};
use annals_service::metrics::Metrics;
use serde_json::json;

use crate::embedders::{AllEmbedders, runtime};
use crate::failure::unreadable;
use crate::view::{print_json, say};

const SENTENCES: &str = include_str!("../../../../../models/all-MiniLM-L6-v2/sentences.txt");

/// Maximum number of texts in one call.
const BATCH: usize = 64;

/// Maximum number of texts that are measured; further lines are left out.
const MAX_TEXTS: usize = 512;

/// Maximum number of the texts that are also embedded one by one, as questions.
const QUESTIONS: usize = 100;

pub(crate) async fn run(data: &Path, settings: &EmbedderSettings, file: Option<&Path>, json: bool) -> Result<ExitCode> {
    let texts = match file {
        Some(path) => std::fs::read_to_string(path).map_err(|cause| unreadable(path, cause))?,
        None => SENTENCES.to_owned(),
    };
    let texts: Vec<&str> = texts.lines().filter(|line| !line.trim().is_empty()).take(MAX_TEXTS).collect();
    if texts.is_empty() {
        return Err(Error::invalid("the file", "has no line of text"));
    }
    let embedder = AllEmbedders::open(data, settings, &[], &Metrics::new()).await?.configured();
    embedder.embed(vec!["warm".into()]).await?;
    let rate = rate(&*embedder, &texts).await?;
    let times = questions(&*embedder, &texts).await?;
    let at = |share: usize| times[(times.len() - 1) * share / 100].as_secs_f64() * 1000.0;
    let by = match settings.choice {
        EmbedderChoice::Endpoint(_) => "an endpoint".to_owned(),
        _ => runtime(settings).describe(),
    };
    if json {
        let (median, slow) = (at(50), at(95));
        print_json(&json!({ "model": embedder.model(), "dimension": embedder.dimension(), "runtime": by,
            "texts": texts.len(), "texts_per_second": rate, "query_ms": { "p50": median, "p95": slow } }));
        return Ok(ExitCode::SUCCESS);
    }
    say!("{}, {} components, by {by}", embedder.model(), embedder.dimension());
    say!("{rate:.0} texts a second ({} texts, {BATCH} in a call)", texts.len());
    say!("one question: {:.1} ms in the median, {:.1} ms at the 95th percentile", at(50), at(95));
    Ok(ExitCode::SUCCESS)
}

/// Returns texts per second. No text was embedded before, so only a text that occurs twice comes from the cache.
async fn rate(embedder: &dyn Embedder, texts: &[&str]) -> Result<f64> {
    let begun = Instant::now();
    for batch in texts.chunks(BATCH) {
        embedder.embed(batch.iter().map(ToString::to_string).collect()).await?;
    }
    Ok(texts.len() as f64 / begun.elapsed().as_secs_f64())
}

/// Returns the time that embedding each question took, shortest first.
async fn questions(embedder: &dyn Embedder, texts: &[&str]) -> Result<Vec<Duration>> {
    let mut times = Vec::new();
    for text in texts.iter().take(QUESTIONS) {
        let begun = Instant::now();
        embedder.embed_query((*text).to_owned()).await?;
        times.push(begun.elapsed());
    }
    times.sort();
    Ok(times)
}
