//! `annals-bench growth`: feeds an agent a fixed number of bytes a day for up to ten years, through the real writer and roll-up.
//! At each age, a new process opens its memory and answers questions about the last days and about the first month. Measures cold
//! start, warm latency, memory and disk space.
//!
//! The same messages give the same history and questions; only times and memory differ between runs.

mod ask;
pub(crate) mod folders;
pub(crate) mod life;
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
pub(crate) use ask::{Ask, run as answer};
use folders::Folders;
use life::Life;

/// Error of a whole measurement.
pub(crate) type Failure = Box<dyn std::error::Error + Send + Sync>;

/// The agent that is measured.
pub(crate) const AGENT: &str = "growing";
/// Default number of bytes of text a day.
pub(crate) const PER_DAY: usize = 10_240;

#[derive(Args)]
pub(crate) struct Growth {
    /// Messages to import, one per line: role, name and content are used; days are filled in the order of the file
    #[arg(long, value_name = "FILE")]
    messages: PathBuf,
    /// Ages at which the agent is measured, in days
    #[arg(long, value_delimiter = ',', default_value = "30,90,180,365,3650")]
    days: Vec<usize>,
    /// Bytes of text a day
    #[arg(long, default_value_t = PER_DAY)]
    per_day: usize,
    /// Folder in which memory at each age and all vectors are kept for the next run
    #[arg(long, value_name = "DIR")]
    folder: PathBuf,
    /// Write a chart of the figures to this SVG file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Fills the folders, asks the questions and prints the report.
pub(crate) async fn run(args: &Growth) -> Result<(), Failure> {
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
    let folders = Folders { root: &args.folder, life: &life, agent: &agent, embedder: embedder.clone() };
    let mut measured = Vec::new();
    for (root, days) in ages.iter().copied().enumerate() {
        eprintln!("{days} days: filling");
        let folder = folders.at(days, root.checked_sub(1).map(|before| ages[before])).await?;
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

/// Returns all messages of a file, of all agents.
pub(crate) fn texts(file: &Path) -> Result<Vec<Message>, Failure> {
    Ok(input::messages(file)?.into_values().flatten().collect())
}

/// Returns the path of the vector file in a folder.
pub(crate) fn vectors(folder: &Path) -> PathBuf {
    folder.join("vectors")
}

/// Records which `Life` the folder belongs to. Fails if it belongs to another one.
fn claim(folder: &Path, life: &Life) -> Result<(), Failure> {
    let (note, digest) = (folder.join("life"), life.digest().to_string());
    match std::fs::read_to_string(&note) {
        Ok(other) if other != digest => {
            let reason = format!("is {}, which holds an agent with other messages", folder.display());
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
    fn folder_of_another_life_is_refused() {
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
