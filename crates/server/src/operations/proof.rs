//! The proof of a forgetting: every store decodes what it holds and looks for the sentences that went; then every file of the
//! data folder is searched as bytes.

use std::fs;
use std::path::Path;

use aho_corasick::AhoCorasick;
use annals_core::ports::Select;
use annals_core::{Agent, Error, Grain, MemoryId, Period, Result};
use walkdir::WalkDir;

use crate::Service;
use crate::wire::ProofView;

/// Shorter sentences stand in too many texts to prove anything.
const SHORTEST: usize = 12;

impl Service {
    /// The sentences of the summaries of these periods: of a sealed one they are all that is left of its turns.
    pub(super) async fn told(&self, agent: &Agent, periods: &[Period]) -> Result<Vec<String>> {
        let ids: Vec<MemoryId> = periods.iter().map(|period| MemoryId::summary(agent, *period)).collect();
        let summaries = self.catalog.get(agent, &ids).await?;
        Ok(summaries.into_iter().flat_map(|summary| summary.sentences).map(|sentence| sentence.text).collect())
    }

    /// Those of the sentences that no memory tells any more.
    pub(super) async fn gone(&self, agent: &Agent, mut sentences: Vec<String>) -> Result<Vec<String>> {
        sentences.retain(|sentence| sentence.chars().count() >= SHORTEST);
        for grain in Grain::ALL {
            let all = Select::all(grain);
            let live = self.catalog.list(agent, &all).await?;
            sentences.retain(|sentence| !live.iter().any(|memory| memory.text.contains(sentence.as_str())));
        }
        Ok(sentences)
    }

    /// Looks for the sentences everywhere.
    pub(super) async fn prove(&self, agent: &Agent, sentences: Vec<String>) -> Result<ProofView> {
        let mut proof = ProofView { sentences: sentences.len(), files: 0, bytes: 0, still_in: Vec::new(), clean: true };
        if sentences.is_empty() {
            return Ok(proof);
        }
        proof.still_in = self.eraser.prove(agent, &sentences).await?;
        if let Some(folder) = self.folder.clone() {
            let search = move || search_files(&folder, &sentences);
            let files = tokio::task::spawn_blocking(search).await.map_err(failed)?.map_err(failed)?;
            (proof.files, proof.bytes) = (files.read, files.bytes);
            proof.still_in.extend(files.holding);
        }
        proof.clean = proof.still_in.is_empty();
        Ok(proof)
    }
}

fn failed(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
    Error::storage("searching the data folder", error)
}

#[derive(Default)]
struct Files {
    read: u64,
    bytes: u64,
    holding: Vec<String>,
}

fn search_files(root: &Path, sentences: &[String]) -> std::io::Result<Files> {
    let search = AhoCorasick::new(sentences).map_err(std::io::Error::other)?;
    let mut files = Files::default();
    for entry in WalkDir::new(root).sort_by_file_name() {
        let entry = match entry {
            Ok(entry) => entry,
            // A file that went while the folder was listed holds nothing any more.
            Err(error) if is_gone(error.io_error()) => continue,
            Err(error) => return Err(error.into()),
        };
        if !entry.file_type().is_file() {
            continue;
        }
        let bytes = match fs::read(entry.path()) {
            Ok(bytes) => bytes,
            Err(error) if is_gone(Some(&error)) => continue,
            Err(error) => return Err(error),
        };
        files.read += 1;
        files.bytes += bytes.len() as u64;
        if search.is_match(&bytes) {
            files.holding.push(entry.path().strip_prefix(root).unwrap_or(entry.path()).display().to_string());
        }
    }
    Ok(files)
}

fn is_gone(error: Option<&std::io::Error>) -> bool {
    error.is_some_and(|error| error.kind() == std::io::ErrorKind::NotFound)
}
