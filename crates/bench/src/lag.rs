//! `annals-bench lag`: measures the time from sending a message to a running service until a search finds it, with memories of
//! different sizes. Also measures the disk space per memory. Messages are sent at a fixed rate, however long earlier messages
//! take.
//!
//! The service is the command `annals`, called over HTTP, with its jobs enabled. Its memory is filled and rolled up in advance,
//! and the measurement waits for the jobs that run at the start.

mod service;
mod write;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use annals_core::{Agent, Embedder, Message};
use annals_embedder::OnnxEmbedder;
use clap::Args;
use serde_json::{Value, json};

use crate::growth::folders::{Folders, copy};
use crate::growth::life::Life;
use crate::growth::{AGENT, Failure, PER_DAY, texts, vectors};
use crate::load::in_ms;
use crate::stores::Stores;
use crate::vectors::Kept;
use crate::world::size;
use service::Service;
use write::{Seen, write};

/// Days between filling the memory and writing to it, so that all its years are closed and nothing is due.
const LATER: usize = 400;

#[derive(Args)]
pub(crate) struct Lag {
    /// Messages for filling the memory, and then for writing to it: one per line
    #[arg(long, value_name = "FILE")]
    messages: PathBuf,
    /// Number of turns in the memory before the measurement
    #[arg(long, value_delimiter = ',', default_value = "0,10000,100000")]
    rows: Vec<usize>,
    /// Folder in which filled memories and all vectors are kept for the next run; it can be the same as for `growth`
    #[arg(long, value_name = "DIR")]
    folder: PathBuf,
    /// The `annals` binary to run [default: the one beside this program]
    #[arg(long, value_name = "FILE")]
    annals: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Fills the memories, measures and prints the report.
pub(crate) async fn run(args: &Lag) -> Result<(), Failure> {
    let life = Life::new(texts(&args.messages)?, PER_DAY)?;
    let command = match &args.annals {
        Some(command) => command.clone(),
        None => std::env::current_exe()?.with_file_name("annals"),
    };
    std::fs::create_dir_all(&args.folder)?;
    let embedder = Arc::new(Kept::open(&vectors(&args.folder), OnnxEmbedder::bundled()?)?);
    let mut all = Vec::new();
    for rows in &args.rows {
        eprintln!("{rows} turns: filling");
        let filled = fill(&args.folder, &life, *rows, embedder.clone()).await?;
        eprintln!("{rows} turns: writing");
        all.push(measure(&command, &filled, &life, *rows, embedder.clone()).await?);
    }
    match args.json {
        true => println!("{}", Value::from(all)),
        false => print!("{}", table(&all)),
    }
    Ok(())
}

/// Returns a folder with at least `rows` turns, filled with as many days as that takes.
async fn fill(root: &Path, life: &Life, rows: usize, embedder: Arc<dyn Embedder>) -> Result<PathBuf, Failure> {
    let root = root.join(format!("fill-{}", &life.digest().to_string()[..8]));
    std::fs::create_dir_all(&root)?;
    let agent = Agent::new(AGENT)?;
    let folder =
        Folders { root: &root, life, agent: &agent, embedder: embedder.clone() }.at(days(life, rows), None).await?;
    let stores = Stores::open(&folder, embedder).await?;
    stores.ingest(&agent, &[], crate::growth::life::age(days(life, rows) + LATER)).await?;
    Ok(folder)
}

/// Returns the number of days that together hold at least `rows` turns.
fn days(life: &Life, rows: usize) -> usize {
    let turns_before = life.days().scan(0, |turns, day| Some(std::mem::replace(turns, *turns + day.len())));
    turns_before.take_while(|turns| *turns < rows).count()
}

/// Measures a service over a copy of the folder: writes messages to it, and searches for them.
async fn measure(
    command: &Path,
    filled: &Path,
    life: &Life,
    rows: usize,
    embedder: Arc<dyn Embedder>,
) -> Result<Value, Failure> {
    let folder = tempfile::tempdir()?;
    let (data, agent) = (folder.path().join("data"), Agent::new(AGENT)?);
    copy(filled, &data)?;
    let before = per_memory(&data, &agent, embedder.clone()).await?;
    let service = Service::start(command, &data).await?;
    service.settle().await?;
    let new: Vec<Message> = life.days().skip(days(life, rows)).flatten().take(write::NUMBER).collect();
    let seen = write(service.address(), &agent, &new).await?;
    let resident_mb = service.resident_mb().await?;
    service.stop().await?;
    let after = per_memory(&data, &agent, embedder).await?;
    Ok(report(rows, &seen, resident_mb, before, after))
}

/// Returns the number of memories, and the bytes on disk per memory.
async fn per_memory(data: &Path, agent: &Agent, embedder: Arc<dyn Embedder>) -> Result<(u64, u64), Failure> {
    let bytes = size(data)?;
    let memories = Stores::open(data, embedder).await?.memories(agent).await?.iter().sum::<u64>();
    Ok((memories, bytes.checked_div(memories).unwrap_or(0)))
}

fn report(rows: usize, seen: &Seen, resident_mb: f64, before: (u64, u64), after: (u64, u64)) -> Value {
    json!({
        "rows": rows, "per_second": write::PER_SECOND, "resident_mb": resident_mb.round(),
        "acknowledged_ms": in_ms(&seen.acknowledged), "searchable_ms": in_ms(&seen.searchable),
        "found_ms": in_ms(&seen.found), "search_ms": in_ms(&seen.search), "late": seen.late, "not_found": seen.not_found,
        "before": { "memories": before.0, "bytes_per_memory": before.1 },
        "after": { "memories": after.0, "bytes_per_memory": after.1 },
    })
}

/// Formats one row for each size of memory.
fn table(all: &[Value]) -> String {
    let head = ["memories", "acknowledged", "searchable", "found", "one search", "resident MB", "bytes per memory"];
    let mut text = format!("| {} |\n| {} |\n", head.join(" | "), ["---"; 7].join(" | "));
    for row in all {
        let times = |name: &str| {
            let times = &row[name];
            format!("{} / {} / {}", times["p50"], times["p95"], times["p99"])
        };
        let cells = [
            row["before"]["memories"].to_string(),
            times("acknowledged_ms"),
            times("searchable_ms"),
            times("found_ms"),
            times("search_ms"),
            row["resident_mb"].to_string(),
            row["after"]["bytes_per_memory"].to_string(),
        ];
        text += &format!("| {} |\n", cells.join(" | "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn enough_days_are_filled_for_the_turns() {
        let message = |number: usize| annals_testkit::message("2026-03-04T10:00:00Z", &format!("message {number:03}"));
        let life = Life::new((0..50).map(message), 33).unwrap();
        assert_eq!([0, 1, 3, 4, 7].map(|rows| days(&life, rows)), [0, 1, 1, 2, 3], "three a day");
    }

    #[test]
    fn report_has_a_row_for_each_memory_size() {
        let mut seen = Seen::new().unwrap();
        [1_000, 2_000].into_iter().for_each(|micros| seen.found.record(micros).unwrap());
        let row = report(10, &seen, 99.6, (12, 3400), (20, 3600));
        assert_eq!(row["found_ms"]["count"], 2);
        let text = table(&[row]);
        assert!(text.ends_with("| 1.0 / 2.0 / 2.0 | 0.0 / 0.0 / 0.0 | 100.0 | 3600 |\n"), "{text}");
        assert!(text.lines().all(|line| line.matches('|').count() == 8), "{text}");
    }
}
