//! What an agent's memory takes at one age: two processes are started over its folder, one after the system has been told to
//! forget the folder's files, one that finds them in memory and stays to be asked more.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Instant;

use annals_core::{Agent, Embedder};
use rustix::fs::{Advice, fadvise};
use serde::{Deserialize, Serialize};

use super::ask::{Start, Warm};
use super::life::Life;
use super::questions::Questions;
use super::stores::Stores;
use super::{AGENT, Failure};
use crate::figures::in_ms;
use crate::world::size;

/// Everything at one age.
#[derive(Serialize, Deserialize)]
pub struct Measured {
    /// The age.
    pub days: usize,
    /// Bytes of text it was told.
    pub text_bytes: u64,
    /// Memories per grain, from working to yearly.
    pub memories: [u64; 6],
    /// Bytes on disk.
    pub disk: Disk,
    /// A process whose files have to be read from the disk.
    pub from_disk: Cold,
    /// A process that finds its files in the system's memory.
    pub cold: Cold,
    /// The same process, asked on.
    pub warm: Warm,
}

/// Bytes on disk.
#[derive(Serialize, Deserialize)]
pub struct Disk {
    /// All.
    pub bytes: u64,
    /// The truth.
    pub catalog: u64,
    /// The tables that are searched.
    pub tables: u64,
}

/// A process from its start to its first answer.
#[derive(Serialize, Deserialize)]
pub struct Cold {
    /// As whoever started it sees it, in ms.
    pub process_ms: f64,
    /// As it tells.
    pub start: Start,
}

/// Measures the folder of an agent of this age.
pub async fn measure(
    life: &Life,
    folder: &Path,
    days: usize,
    embedder: Arc<dyn Embedder>,
) -> Result<Measured, Failure> {
    let memories = Stores::open(folder, embedder).await?.memories(&Agent::new(AGENT)?).await?;
    let questions = Questions::at(life, days);
    let told = life.days().take(days).flatten();
    forget_files(folder)?;
    let (from_disk, _) = process(folder, &questions.first_alone())?;
    let (cold, warm) = process(folder, &questions)?;
    Ok(Measured {
        days,
        text_bytes: told.map(|message| message.content.len() as u64).sum(),
        memories,
        disk: disk(folder)?,
        from_disk,
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

/// Has the system drop what it holds of the folder's files in memory.
fn forget_files(folder: &Path) -> Result<(), Failure> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            forget_files(&path)?;
        } else {
            // What is not written yet would stay.
            let file = File::open(&path)?;
            file.sync_all()?;
            fadvise(&file, 0, None, Advice::DontNeed)?;
        }
    }
    Ok(())
}

fn disk(folder: &Path) -> Result<Disk, Failure> {
    let file = |name: &str| folder.join(name).metadata().map_or(0, |file| file.len());
    let catalog = file("catalog.sqlite") + file("catalog.sqlite-wal");
    Ok(Disk { bytes: size(folder)?, catalog, tables: size(&folder.join("tables"))? })
}
