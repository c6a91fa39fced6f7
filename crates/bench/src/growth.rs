//! `annals-bench growth`: an agent is told so many bytes a day for up to ten years, through the real writer and roll-up. At each
//! age a process is started that opens its memory and answers: how long that takes cold and warm, for questions about the
//! last days and about the first month, and what it needs in memory and on disk.
//!
//! The same messages give the same life and the same questions; only times and memory differ from run to run.

mod ask;
pub mod folders;
pub mod life;
mod measure;
mod plot;
mod questions;
mod report;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use annals_core::{Agent, Error, Message};
use annals_embedder::OnnxEmbedder;
use clap::Args;

use crate::input;
use crate::vectors::Kept;
pub use ask::{Ask, run as answer};
use folders::Folders;
use life::Life;

/// Of a whole measurement.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Who grows older.
pub const AGENT: &str = "growing";
/// What an agent is told a day.
pub const PER_DAY: usize = 10_240;

#[derive(Args)]
pub struct Growth {
    /// What it is told, one message a line: role, name, content are taken; a day is filled in the order of the file
    #[arg(long, value_name = "FILE")]
    messages: PathBuf,
    /// Ages at which it is asked, in days
    #[arg(long, value_delimiter = ',', default_value = "30,90,180,365,3650")]
    days: Vec<usize>,
    /// Bytes of text a day
    #[arg(long, default_value_t = PER_DAY)]
    per_day: usize,
    /// Where its memory at each age and all vectors are kept, for the next run
    #[arg(long, value_name = "DIR")]
    folder: PathBuf,
    /// Draw the figures
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Fills, asks and reports.
pub async fn run(args: &Growth) -> Result<(), Failure> {
    let mut ages = args.days.clone();
    ages.sort_unstable();
    ages.dedup();
    if ages.first().is_none_or(|first| *first == 0) {
        return Err(Error::invalid("--days", "are ages of at least one day").into());
    }
    let life = Life::new(texts(&args.messages)?, args.per_day)?;
    std::fs::create_dir_all(&args.folder)?;
    claim(&args.folder, &life)?;
    let agent = Agent::new(AGENT)?;
    let embedder = Arc::new(Kept::open(&vectors(&args.folder), OnnxEmbedder::bundled()?)?);
    let folders = Folders { place: &args.folder, life: &life, agent: &agent, embedder: embedder.clone() };
    let mut measured = Vec::new();
    for (place, days) in ages.iter().copied().enumerate() {
        eprintln!("{days} days: filling");
        let folder = folders.at(days, place.checked_sub(1).map(|before| ages[before])).await?;
        eprintln!("{days} days: asking");
        measured.push(measure::measure(&life, &folder, days, embedder.clone()).await?);
    }
    if let Some(file) = &args.svg {
        std::fs::write(file, plot::svg(&measured)?)?;
    }
    match args.json {
        true => println!("{}", serde_json::to_string(&measured)?),
        false => print!("{}", report::tables(&measured)),
    }
    Ok(())
}

/// All messages of a file, whoever they were told to.
pub fn texts(file: &Path) -> Result<Vec<Message>, Failure> {
    Ok(input::messages(file)?.into_values().flatten().collect())
}

/// The file of vectors in a folder.
pub fn vectors(folder: &Path) -> PathBuf {
    folder.join("vectors")
}

/// Notes whose life is kept in the folder; an error if it is another's.
fn claim(folder: &Path, life: &Life) -> Result<(), Failure> {
    let (note, digest) = (folder.join("life"), life.digest().to_string());
    match std::fs::read_to_string(&note) {
        Ok(other) if other != digest => {
            let reason = format!("is {}, which holds an agent that was told something else", folder.display());
            Err(Error::invalid("--folder", reason).into())
        }
        Ok(_) => Ok(()),
        Err(_) => Ok(std::fs::write(note, digest)?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_belongs_to_one_life() {
        let folder = tempfile::tempdir().unwrap();
        let life = |text: &str| {
            let message = annals_testkit::message("2026-03-04T10:00:00Z", text);
            Life::new([message], 100).unwrap()
        };
        claim(folder.path(), &life("one")).unwrap();
        claim(folder.path(), &life("one")).unwrap();
        let error = claim(folder.path(), &life("two")).unwrap_err().to_string();
        assert!(error.contains("--folder"), "{error}");
    }
}
