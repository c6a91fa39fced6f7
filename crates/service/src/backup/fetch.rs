//! Copies a backup into a folder and reports everything that is wrong with it.
//!
//! Trusts nothing at the target: only paths that a backup can have are accepted, a file is read no further than its stated
//! size, and the catalog is opened only if every digest matches.

use std::path::Path;

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
pub struct Fetched {
    /// The manifest as it was at the target. It may be wrong if `problems` is not empty.
    pub manifest: Manifest,
    /// Descriptions of what is wrong; empty if the backup is sound.
    pub problems: Vec<String>,
    /// Number of agents in the catalog; 0 if the catalog was not opened.
    pub agents: u64,
}

/// What a check of the copy of a catalog found.
#[derive(Default)]
pub struct CheckedCatalog {
    /// Descriptions of what is wrong; empty if the catalog is sound.
    pub problems: Vec<String>,
    /// Sequence number of the last change in the catalog; `None` if it cannot be opened.
    pub last_sequence: Option<i64>,
    /// Number of agents; 0 if the catalog cannot be opened.
    pub agents: u64,
}

/// Checks the list of files and their sizes, copies the files into a folder and compares them with their digests, then has the
/// catalog checked. Each step is left out if an earlier one found a problem. Fails if the backup has no manifest or an invalid
/// one, if it does not fit the disk, or if the target cannot be read.
pub async fn fetch(
    target: &Target,
    backup: &str,
    into: &Path,
    check_catalog: impl AsyncFn(&Path) -> Result<CheckedCatalog>,
) -> Result<Fetched> {
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
    let agents = if problems.is_empty() { check(&manifest, into, check_catalog, &mut problems).await? } else { 0 };
    Ok(Fetched { manifest, problems, agents })
}

/// Describes the files that are missing or have another size than the manifest says. Runs before anything is copied, so that a
/// wrong size in the manifest is not reported as a full disk.
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

/// Fails if the sizes in the manifest exceed the free disk space. A full disk is not a problem of the backup, so it is an
/// error. Succeeds if the free space is unknown.
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

async fn check(
    manifest: &Manifest,
    folder: &Path,
    check_catalog: impl AsyncFn(&Path) -> Result<CheckedCatalog>,
    problems: &mut Vec<String>,
) -> Result<u64> {
    let found = check_catalog(&folder.join(CATALOG)).await?;
    problems.extend(found.problems);
    if let Some(last) = found.last_sequence.filter(|last| *last != manifest.catalog_sequence) {
        problems.push(format!("the catalog ends with change {last} instead of {}", manifest.catalog_sequence));
    }
    Ok(found.agents)
}
