//! The proof of a forgetting: every store decodes what it holds and looks for the sentences that went; then every file of the
//! data folder is searched as bytes.

use std::fs;
use std::path::Path;

use aho_corasick::AhoCorasick;
use annals_core::ports::Select;
use annals_core::{Agent, Error, Grain, Interval, MemoryId, Period, Result};
use serde_json::{Value, json};
use walkdir::WalkDir;

use crate::folder::Folder;
use crate::view::{WARN, count, plural, say};

/// What was looked for, where, and what was found.
pub struct Proof {
    /// Sentences that were looked for.
    pub sentences: usize,
    /// Files that were read as bytes.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Places that still hold one of the sentences; none if all is gone.
    pub places: Vec<String>,
}

/// Shorter sentences stand in too many texts to prove anything.
const SHORTEST: usize = 12;

/// The sentences of the summaries of these periods: of a sealed one they are all that is left of its turns.
pub async fn told(folder: &Folder, agent: &Agent, periods: &[Period]) -> Result<Vec<String>> {
    let ids: Vec<MemoryId> = periods.iter().map(|period| MemoryId::summary(agent, *period)).collect();
    let summaries = folder.catalog.get(agent, &ids).await?;
    Ok(summaries.into_iter().flat_map(|summary| summary.sentences).map(|sentence| sentence.text).collect())
}

/// Those of the sentences that no memory tells any more.
pub async fn gone(folder: &Folder, agent: &Agent, mut sentences: Vec<String>) -> Result<Vec<String>> {
    sentences.retain(|sentence| sentence.chars().count() >= SHORTEST);
    for grain in Grain::ALL {
        let all =
            Select { grain, within: Interval::ALWAYS, conversation: None, newest_first: false, limit: usize::MAX };
        let live = folder.catalog.list(agent, &all).await?;
        sentences.retain(|sentence| !live.iter().any(|memory| memory.text.contains(sentence.as_str())));
    }
    Ok(sentences)
}

/// Looks for the sentences everywhere.
pub async fn prove(folder: &Folder, agent: &Agent, sentences: &[String]) -> Result<Proof> {
    let mut proof = Proof { sentences: sentences.len(), files: 0, bytes: 0, places: Vec::new() };
    if sentences.is_empty() {
        return Ok(proof);
    }
    proof.places = folder.eraser.prove(agent, sentences).await?;
    let search = AhoCorasick::new(sentences).map_err(|error| Error::storage("searching the data folder", error))?;
    search_files(&folder.path, &search, &mut proof)
        .map_err(|error| Error::storage("searching the data folder", error))?;
    Ok(proof)
}

fn search_files(root: &Path, search: &AhoCorasick, proof: &mut Proof) -> std::io::Result<()> {
    for entry in WalkDir::new(root).sort_by_file_name() {
        let entry = entry?;
        if !entry.file_type().is_file() {
            continue;
        }
        let bytes = fs::read(entry.path())?;
        proof.files += 1;
        proof.bytes += bytes.len() as u64;
        if search.is_match(&bytes) {
            proof.places.push(entry.path().strip_prefix(root).unwrap_or(entry.path()).display().to_string());
        }
    }
    Ok(())
}

impl Proof {
    pub fn print(&self) {
        let sentences = plural(self.sentences as u64, "sentence");
        let searched = format!("{}, {} bytes", plural(self.files, "file"), count(self.bytes));
        if self.places.is_empty() {
            say!("Proof: {sentences} looked for in every decoded table and in {searched}: none is left.");
            say!("Backups and copies outside this folder are not reached.");
            return;
        }
        say!("{WARN}Not all is gone: of {sentences} some are still in{WARN:#}");
        self.places.iter().for_each(|place| say!("  {WARN}{place}{WARN:#}"));
    }

    pub fn view(&self) -> Value {
        json!({
            "sentences": self.sentences, "files": self.files, "bytes": self.bytes, "still_in": self.places,
            "clean": self.places.is_empty(),
        })
    }
}
