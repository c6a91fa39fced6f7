//! Measures an agent's memory at one age. Starts two processes over its folder: one after the system has dropped the folder's
//! files from its page cache, and one after all files were read. The second process gets all questions, the first only the
//! questions about the last days.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Instant;

use annals_core::{Agent, Embedder};
use rustix::fs::{Advice, fadvise};
use serde::{Deserialize, Serialize};

use super::ask::{Start, Times, Warm};
use super::life::Life;
use super::questions::Questions;
use super::{AGENT, Failure};
use crate::figures::in_ms;
use crate::stores::Stores;
use crate::world::size;

/// All measurements at one age.
#[derive(Serialize, Deserialize)]
pub(crate) struct Measured {
    /// Age of the agent in days.
    pub days: usize,
    /// Bytes of text ingested so far.
    pub text_bytes: u64,
    /// Memories per grain, from working to yearly.
    pub memories: [u64; 6],
    pub disk: Disk,
    /// A process that must read its files from the disk.
    pub from_disk: Cold,
    /// Times of the process's further questions about the last days. The memories that they return are still on the disk.
    pub next_from_disk: Times,
    /// A process that finds its files in the page cache.
    pub cold: Cold,
    /// Times of further questions to the second process.
    pub warm: Warm,
}

/// Bytes on disk.
#[derive(Serialize, Deserialize)]
pub(crate) struct Disk {
    /// All files.
    pub bytes: u64,
    /// The catalog, which is the source of truth.
    pub catalog: u64,
    /// The searchable tables.
    pub tables: u64,
}

/// A process from its start to its first answer.
#[derive(Serialize, Deserialize)]
pub(crate) struct Cold {
    /// Time measured by the parent process, in ms.
    pub process_ms: f64,
    /// Times reported by the process itself.
    pub start: Start,
}

/// Measures the folder of an agent of this age.
pub(crate) async fn measure(
    life: &Life,
    folder: &Path,
    days: usize,
    embedder: Arc<dyn Embedder>,
) -> Result<Measured, Failure> {
    let memories = Stores::open(folder, embedder).await?.memories(&Agent::new(AGENT)?).await?;
    let questions = Questions::at(life, days);
    let messages = life.days().take(days).flatten();
    each_file(folder, &forget)?;
    let (from_disk, next) = process(folder, &questions.recent_alone())?;
    // Otherwise the page cache would hold only the pages that the first process read, which are few in a memory of ten years.
    each_file(folder, &remember)?;
    let (cold, warm) = process(folder, &questions)?;
    Ok(Measured {
        days,
        text_bytes: messages.map(|message| message.content.len() as u64).sum(),
        memories,
        disk: disk(folder)?,
        from_disk,
        next_from_disk: next.recent,
        cold,
        warm,
    })
}

fn process(folder: &Path, questions: &Questions) -> Result<(Cold, Warm), Failure> {
    let questions = serde_json::to_vec(questions)?;
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("growth-ask").arg(folder).stdin(Stdio::piped()).stdout(Stdio::piped());
    let begun = Instant::now();
    let mut child = command.spawn()?;
    child.stdin.take().ok_or("the process has no standard input")?.write_all(&questions)?;
    let mut lines = BufReader::new(child.stdout.take().ok_or("the process has no standard output")?).lines();
    let first = lines.next();
    let process_ms = in_ms(begun.elapsed());
    let last = lines.next();
    let status = child.wait()?;
    match (first, last) {
        (Some(first), Some(last)) if status.success() => {
            Ok((Cold { process_ms, start: serde_json::from_str(&first?)? }, serde_json::from_str(&last?)?))
        }
        _ => Err(format!("the process that was asked ended with {status}").into()),
    }
}

fn each_file(folder: &Path, act: &dyn Fn(File) -> io::Result<()>) -> io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() { each_file(&path, act)? } else { act(File::open(&path)?)? }
    }
    Ok(())
}

/// Makes the system drop the file from its page cache.
fn forget(file: File) -> io::Result<()> {
    // Dirty pages would stay in the cache.
    file.sync_all()?;
    Ok(fadvise(&file, 0, None, Advice::DontNeed)?)
}

/// Makes the system load the file into its page cache.
fn remember(mut file: File) -> io::Result<()> {
    io::copy(&mut file, &mut io::sink()).map(drop)
}

fn disk(folder: &Path) -> Result<Disk, Failure> {
    let file = |name: &str| folder.join(name).metadata().map_or(0, |file| file.len());
    let catalog = file("catalog.sqlite") + file("catalog.sqlite-wal");
    Ok(Disk { bytes: size(folder)?, catalog, tables: size(&folder.join("tables"))? })
}
