//! `annals-bench lag`: how long after it was sent to a running service a message is found by searches, beside memories of
//! different numbers; and what a memory takes on disk. Messages come at a steady rate, whatever becomes of those before.
//!
//! The service is the command `annals`, over HTTP, with its own jobs at work; those that it begins with are waited for. Its memory is filled and
//! rolled up before.

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

/// Days that pass before the agent is written to: all its years are over, and nothing is due.
const LATER: usize = 400;

#[derive(Args)]
pub struct Lag {
    /// What the agent was told before, and is told now: one message a line
    #[arg(long, value_name = "FILE")]
    messages: PathBuf,
    /// Turns that it was told before
    #[arg(long, value_delimiter = ',', default_value = "0,10000,100000")]
    rows: Vec<usize>,
    /// Where filled memories and all vectors are kept, for the next run; a folder of `growth` is good for both
    #[arg(long, value_name = "DIR")]
    folder: PathBuf,
    /// The command [default: annals beside this one]
    #[arg(long, value_name = "FILE")]
    annals: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Fills, writes and reports.
pub async fn run(args: &Lag) -> Result<(), Failure> {
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

/// A folder with at least so many turns, as many days as that takes.
async fn fill(place: &Path, life: &Life, rows: usize, embedder: Arc<dyn Embedder>) -> Result<PathBuf, Failure> {
    let place = place.join(format!("told-{}", &life.digest().to_string()[..8]));
    std::fs::create_dir_all(&place)?;
    let agent = Agent::new(AGENT)?;
    let folder =
        Folders { place: &place, life, agent: &agent, embedder: embedder.clone() }.at(days(life, rows), None).await?;
    let stores = Stores::open(&folder, embedder).await?;
    stores.tell(&agent, &[], crate::growth::life::age(days(life, rows) + LATER)).await?;
    Ok(folder)
}

/// The days it takes to be told so many turns.
fn days(life: &Life, rows: usize) -> usize {
    let told_before = life.days().scan(0, |turns, day| Some(std::mem::replace(turns, *turns + day.len())));
    told_before.take_while(|turns| *turns < rows).count()
}

/// Writes to a service over a copy of the folder.
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

/// Memories, and bytes on disk of each.
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

/// One row for each number of memories.
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
    fn as_many_days_as_the_turns_take() {
        let message = |number: usize| annals_testkit::message("2026-03-04T10:00:00Z", &format!("message {number:03}"));
        let life = Life::new((0..50).map(message), 33).unwrap();
        assert_eq!([0, 1, 3, 4, 7].map(|rows| days(&life, rows)), [0, 1, 1, 2, 3], "three a day");
    }

    #[test]
    fn a_row_for_each_number_of_memories() {
        let mut seen = Seen::new().unwrap();
        [1_000, 2_000].into_iter().for_each(|micros| seen.found.record(micros).unwrap());
        let row = report(10, &seen, 99.6, (12, 3400), (20, 3600));
        assert_eq!(row["found_ms"]["count"], 2);
        let text = table(&[row]);
        assert!(text.ends_with("| 1.0 / 2.0 / 2.0 | 0.0 / 0.0 / 0.0 | 100.0 | 3600 |\n"), "{text}");
        assert!(text.lines().all(|line| line.matches('|').count() == 8), "{text}");
    }
}
