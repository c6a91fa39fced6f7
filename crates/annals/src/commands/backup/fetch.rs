//! Copies a backup into a folder and reports everything that is wrong with it.
//!
//! Trusts nothing at the target: only paths that a backup can have are accepted, a file is read no further than its stated size,
//! and the catalog is opened only if every digest matches.

use std::path::Path;

use annals_catalog::SqliteCatalog;
use annals_core::prelude::*;
use annals_core::{Error, ObjectKind, Result};
use data_encoding::HEXLOWER;
use futures::{StreamExt, TryStreamExt};
use object_store::ObjectStoreExt;
use sha2::{Digest, Sha256};
use tokio::io::AsyncWriteExt;

use super::Target;
use super::manifest::{self, Entry, Manifest};
use super::take::CATALOG;

/// Maximum number of concurrent requests for the sizes of files.
const REQUESTS: usize = 16;

/// A backup that was copied into a folder.
pub(crate) struct Fetched {
    pub manifest: Manifest,
    /// Descriptions of what is wrong; empty if the backup is sound.
    pub problems: Vec<String>,
    /// Number of agents in the catalog; 0 if the catalog was not opened.
    pub agents: u64,
}

/// Copies every file into a folder, compares it with its digest, then opens and checks the catalog. Each step is left out if an
/// earlier one found a problem. Returns an error if the backup has no manifest or does not fit the disk.
pub(crate) async fn fetch(target: &Target, backup: &str, into: &Path) -> Result<Fetched> {
    let none = || Error::NotFound { what: ObjectKind::CompleteBackup, name: backup.to_owned() };
    let manifest = manifest::read(target, backup).await?.ok_or_else(none)?;
    let make = std::fs::create_dir_all(into);
    make.map_err(|cause| Error::storage(format!("making {}", into.display()), cause))?;
    let mut problems = manifest.faults();
    if problems.is_empty() {
        problems = wrong_sizes(target, backup, &manifest).await?;
    }
    if problems.is_empty() {
        check_space(&manifest, into)?;
        for entry in &manifest.files {
            problems.extend(fetch_file(target, backup, entry, into).await?);
        }
    }
    // A catalog with a wrong digest is not opened: any error in it would only be a consequence.
    let agents = if problems.is_empty() { check(&manifest, into, &mut problems).await? } else { 0 };
    Ok(Fetched { manifest, problems, agents })
}

/// Describes the files that are missing or have another size than the manifest says. This comes before anything is copied, so
/// that a damaged size is not reported as a full disk.
async fn wrong_sizes(target: &Target, backup: &str, manifest: &Manifest) -> Result<Vec<String>> {
    let wrong = manifest.files.iter().map(|entry| async move {
        match target.store.head(&target.object_path(backup, &entry.path)).await {
            Ok(found) if found.size == entry.bytes => Ok(None),
            Ok(found) => Ok(Some(wrong_size(entry, found.size))),
            Err(object_store::Error::NotFound { .. }) => Ok(Some(format!("{} is missing", entry.path))),
            Err(cause) => Err(target.failed("reading", cause)),
        }
    });
    let wrong: Vec<Option<String>> = futures::stream::iter(wrong).buffered(REQUESTS).try_collect().await?;
    Ok(wrong.into_iter().flatten().collect())
}

fn wrong_size(entry: &Entry, bytes: u64) -> String {
    format!("{} has {bytes} bytes instead of {}", entry.path, entry.bytes)
}

/// Fails if the sizes in the manifest exceed the free disk space. The backup is not at fault.
fn check_space(manifest: &Manifest, into: &Path) -> Result<()> {
    let Ok(disk) = rustix::fs::statvfs(into) else { return Ok(()) };
    let (needed, free) = (manifest.bytes(), disk.f_bavail.saturating_mul(disk.f_frsize));
    if needed <= free {
        return Ok(());
    }
    let why = format!("it needs {needed} bytes of disk space, but only {free} are free in {}", into.display());
    Err(Error::storage("copying the backup", why))
}

async fn fetch_file(target: &Target, backup: &str, entry: &Entry, into: &Path) -> Result<Option<String>> {
    let mut pieces = match target.store.get(&target.object_path(backup, &entry.path)).await {
        Ok(found) => found.into_stream(),
        Err(object_store::Error::NotFound { .. }) => return Ok(Some(format!("{} is missing", entry.path))),
        Err(cause) => return Err(target.failed("reading", cause)),
    };
    let file_path = into.join(&entry.path);
    let failed = |cause| Error::storage(format!("writing {}", file_path.display()), cause);
    if let Some(folder) = file_path.parent() {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    let mut file = tokio::fs::File::create_new(&file_path).await.map_err(failed)?;
    let (mut hasher, mut bytes) = (Sha256::new(), 0);
    while let Some(piece) = pieces.try_next().await.map_err(|cause| target.failed("reading", cause))? {
        bytes += piece.len() as u64;
        if bytes > entry.bytes {
            return Ok(Some(format!("{} has more than {} bytes", entry.path, entry.bytes)));
        }
        hasher.update(&piece);
        file.write_all(&piece).await.map_err(failed)?;
    }
    file.sync_all().await.map_err(failed)?;
    Ok(difference(entry, bytes, &HEXLOWER.encode(&hasher.finalize())))
}

fn difference(entry: &Entry, bytes: u64, sha256: &str) -> Option<String> {
    if bytes != entry.bytes {
        return Some(wrong_size(entry, bytes));
    }
    (sha256 != entry.sha256).then(|| format!("{} has a wrong SHA-256 checksum", entry.path))
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
    Ok(catalog.all_agents().await?.len() as u64)
}
