//! Brings a backup into a folder and finds everything that is wrong with it on the way.

use std::path::Path;

use annals_catalog::SqliteCatalog;
use annals_core::{Catalog, Error, Result};
use data_encoding::HEXLOWER;
use futures::TryStreamExt;
use object_store::ObjectStoreExt;
use object_store::path::Path as Place;
use sha2::{Digest, Sha256};
use tokio::io::AsyncWriteExt;

use super::Target;
use super::manifest::{self, Entry, Manifest};
use super::take::CATALOG;

/// A backup in a folder.
pub struct Fetched {
    pub manifest: Manifest,
    /// What is wrong, in words; none if it can be relied on.
    pub problems: Vec<String>,
    /// How many agents the catalog knows.
    pub agents: u64,
}

/// Copies every file into a folder, compares each with its digest, and opens and checks the catalog.
pub async fn fetch(target: &Target, backup: &str, into: &Path) -> Result<Fetched> {
    let none = || Error::NotFound { what: "whole backup", name: backup.to_owned() };
    let manifest = manifest::read(target, backup).await?.ok_or_else(none)?;
    let mut problems = Vec::new();
    for entry in &manifest.files {
        problems.extend(fetch_file(target, backup, entry, into).await?);
    }
    if !manifest.files.iter().any(|entry| entry.path == CATALOG) {
        problems.push("holds no catalog".into());
    }
    // A catalog that is not what was written is not opened: whatever it says, it would not be the reason.
    let agents = if problems.is_empty() { check(&manifest, into, &mut problems).await? } else { 0 };
    Ok(Fetched { manifest, problems, agents })
}

async fn fetch_file(target: &Target, backup: &str, entry: &Entry, into: &Path) -> Result<Option<String>> {
    // The list may have been written by anybody who can write to the target.
    if Place::parse(&entry.path).is_err() {
        return Ok(Some(format!("{:?} is no path within a backup", entry.path)));
    }
    let mut pieces = match target.store.get(&target.place(backup, &entry.path)).await {
        Ok(found) => found.into_stream(),
        Err(object_store::Error::NotFound { .. }) => return Ok(Some(format!("{} is missing", entry.path))),
        Err(cause) => return Err(target.failed("reading", cause)),
    };
    let place = into.join(&entry.path);
    let failed = |cause| Error::storage(format!("writing {}", place.display()), cause);
    if let Some(folder) = place.parent() {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    let mut file = tokio::fs::File::create(&place).await.map_err(failed)?;
    let (mut hasher, mut bytes) = (Sha256::new(), 0);
    while let Some(piece) = pieces.try_next().await.map_err(|cause| target.failed("reading", cause))? {
        hasher.update(&piece);
        bytes += piece.len() as u64;
        file.write_all(&piece).await.map_err(failed)?;
    }
    file.sync_all().await.map_err(failed)?;
    Ok(difference(entry, bytes, &HEXLOWER.encode(&hasher.finalize())))
}

fn difference(entry: &Entry, bytes: u64, sha256: &str) -> Option<String> {
    if bytes != entry.bytes {
        return Some(format!("{} has {bytes} bytes instead of {}", entry.path, entry.bytes));
    }
    (sha256 != entry.sha256).then(|| format!("{} holds other bytes than were written", entry.path))
}

async fn check(manifest: &Manifest, folder: &Path, problems: &mut Vec<String>) -> Result<u64> {
    let catalog = match SqliteCatalog::open(&folder.join(CATALOG)) {
        Ok(catalog) => catalog,
        Err(error) => {
            problems.push(error.to_string());
            return Ok(0);
        }
    };
    problems.extend(catalog.check().await?);
    let last = catalog.last_sequence().await?;
    if last != manifest.catalog_sequence {
        problems.push(format!("the catalog ends with change {last} instead of {}", manifest.catalog_sequence));
    }
    Ok(catalog.agents().await?.len() as u64)
}
