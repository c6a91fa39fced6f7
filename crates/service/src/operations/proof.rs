//! The proof of an erasure. First every store decodes its data of the agent and searches them for the erased sentences. Then
//! the bytes of the agent's files are searched, and those of files that belong to no agent.
//!
//! Data of other agents is not searched: whether it contains the same sentence is private. The file of the catalog is not
//! opened here: when a process closes a file, the system drops all locks of the process on that file, those of SQLite too.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use annals_core::ports::Change;
use annals_core::{Agent, Error, Grain, Phrases, Result, is_searched};
use annals_objects::unless_missing;
use walkdir::{DirEntry, WalkDir};

use crate::Service;
use crate::backup::CATALOG;
use crate::wire::ProofView;

/// Number of changes that one query reads.
const BATCH: usize = 500;

/// Folders that contain a folder for each agent.
const OF_AGENTS: [&str; 2] = ["tables", "facts"];
/// Prefix of the names of temporary folders, such as the one of a backup under way.
const SCRATCH: &str = "annals-scratch-";

impl Service {
    /// Returns the sentences that no memory contains any more, without those that are too short to prove anything.
    pub(super) async fn erased_everywhere(&self, agent: &Agent, mut sentences: Vec<String>) -> Result<Vec<String>> {
        sentences.retain(|sentence| is_searched(sentence));
        if sentences.is_empty() {
            return Ok(sentences);
        }
        let (phrases, mut held) = (Phrases::new(&sentences), BTreeSet::new());
        for grain in Grain::ALL {
            let mut after = 0;
            loop {
                let changes = self.parts.store.changes(agent, grain, after, BATCH).await?;
                let Some(last) = changes.last() else { break };
                after = last.seq();
                for change in &changes {
                    if let Change::Upsert(memory) = change {
                        phrases.each_in(&memory.text, |sentence| {
                            held.insert(sentence.to_vec());
                        });
                    }
                }
            }
        }
        sentences.retain(|sentence| !held.contains(sentence.as_bytes()));
        Ok(sentences)
    }

    /// Searches the agent's data in all stores, the agent's files, and files that belong to no agent for the sentences.
    pub(super) async fn prove(&self, agent: &Agent, sentences: Vec<String>) -> Result<ProofView> {
        let mut proof = ProofView { sentences: sentences.len(), files: 0, bytes: 0, still_in: Vec::new(), clean: true };
        if sentences.is_empty() {
            return Ok(proof);
        }
        proof.still_in = self.parts.eraser.prove(agent, &sentences).await?;
        if let Some(folder) = self.parts.folder.clone() {
            let agent_folder = agent.folder();
            let search = move || search_files(&folder, &agent_folder, &Phrases::new(&sentences));
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

#[derive(Debug, Default)]
struct Files {
    read: u64,
    bytes: u64,
    holding: Vec<String>,
}

fn search_files(root: &Path, agent_folder: &str, phrases: &Phrases) -> io::Result<Files> {
    let catalog = catalog_files(root)?;
    let mut files = Files::default();
    let entries = WalkDir::new(root).sort_by_file_name().into_iter();
    for entry in entries.filter_entry(|entry| may_be_searched(root, agent_folder, entry)) {
        let Some(entry) = unless_missing(entry.map_err(io::Error::from))? else { continue };
        if !entry.file_type().is_file() {
            continue;
        }
        let Some(metadata) = unless_missing(fs::metadata(entry.path()))? else { continue };
        if catalog.contains(&(metadata.dev(), metadata.ino())) {
            // This is a link to a file of the catalog. Opening and closing it would drop SQLite's locks.
            continue;
        }
        let Some(file) = unless_missing(File::open(entry.path()))? else { continue };
        files.read += 1;
        files.bytes += metadata.len();
        if phrases.is_in_stream(file)? {
            files.holding.push(entry.path().strip_prefix(root).unwrap_or(entry.path()).display().to_string());
        }
    }
    Ok(files)
}

/// Returns false for the catalog, data of other agents, and temporary folders.
fn may_be_searched(root: &Path, agent_folder: &str, entry: &DirEntry) -> bool {
    let relative: PathBuf = entry.path().strip_prefix(root).unwrap_or(entry.path()).to_owned();
    let parts: Vec<_> = relative.iter().map(|part| part.to_string_lossy()).collect();
    match parts.as_slice() {
        [first] => !first.starts_with(CATALOG) && !first.starts_with(SCRATCH),
        [first, second, ..] if OF_AGENTS.contains(&first.as_ref()) => second == agent_folder,
        _ => true,
    }
}

/// Returns the device and inode numbers of the catalog's files.
fn catalog_files(root: &Path) -> io::Result<BTreeSet<(u64, u64)>> {
    let mut files = BTreeSet::new();
    for entry in fs::read_dir(root)? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with(CATALOG) {
            files.extend(unless_missing(entry.metadata())?.map(|file| (file.dev(), file.ino())));
        }
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_the_agent_and_of_no_agent_are_searched() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("catalog.sqlite"), "the words").unwrap();
        fs::hard_link(folder.path().join("catalog.sqlite"), folder.path().join("another name")).unwrap();
        for file in [
            "catalog.sqlite-wal",
            "catalog.sqlite-journal",
            "annals-scratch-backup/catalog.sqlite",
            "tables/default_bob/working-g0.lance/1",
            "tables/default_ann/working-g0.lance/1",
            "facts/default_bob/facts-1.parquet",
            "facts/default_ann/facts-1.parquet",
            "facts/scratch/1.parquet",
            "retention/own.toml",
            "annals.toml",
        ] {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "so the words are here").unwrap();
        }
        let held = |agent: &str| search_files(folder.path(), agent, &Phrases::new(["the words"])).unwrap();
        let ann = held("default_ann");
        assert_eq!(
            ann.holding,
            [
                "annals.toml",
                "facts/default_ann/facts-1.parquet",
                "retention/own.toml",
                "tables/default_ann/working-g0.lance/1"
            ]
        );
        assert_eq!((ann.read, ann.bytes), (4, 84));
        assert_eq!(held("default_cid").holding, ["annals.toml", "retention/own.toml"]);
    }
}
