//! The manifest of a backup, and the list of backups at a target.

use std::collections::HashSet;

use annals_core::{Error, ObjectKind, Result, Timestamp};
use futures::TryStreamExt;
use object_store::ObjectStoreExt;
use serde::{Deserialize, Serialize};

use super::Target;
use super::take::CATALOG;
use crate::config::NAME as SETTINGS;

/// The file that marks a backup as complete.
pub(crate) const MANIFEST: &str = "manifest.json";

/// The format version that this code writes and reads.
pub(crate) const FORMAT: u32 = 1;

/// Folders of files that users write, with the extension of those files.
pub(crate) const FOLDERS: [(&str, &str); 3] = [("retention", "toml"), ("jobs", "toml"), ("prompts", "md")];

/// A manifest has a few hundred bytes per file; these limits exceed any that was ever written.
const MAX_FILES: usize = 10_000;
const MAX_MANIFEST_BYTES: usize = 8 << 20;

/// Format of backup names: sortable, and without characters that file systems refuse.
const NAME: &str = "%Y-%m-%dT%H-%M-%SZ";

/// The contents of a backup. The field names are part of the stored format.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Manifest {
    /// The format version.
    pub format: u32,
    /// The version of Annals that made the backup.
    pub annals: String,
    /// When the backup was made.
    pub created: Timestamp,
    /// The sequence number of the last change in the catalog.
    pub catalog_sequence: i64,
    /// Settings that were left out because they are secret.
    pub left_out: Vec<String>,
    /// Every file except the manifest.
    pub files: Vec<Entry>,
}

/// One file of a backup.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Entry {
    /// Path within the backup, separated by `/`.
    pub path: String,
    pub bytes: u64,
    /// SHA-256 digest in hexadecimal.
    pub sha256: String,
}

/// A backup at a target.
#[derive(Debug, Serialize)]
pub(crate) struct Backup {
    pub name: String,
    /// None if the backup was never completed.
    pub manifest: Option<Manifest>,
}

impl Manifest {
    /// Returns the total size of all files.
    pub(crate) fn bytes(&self) -> u64 {
        self.files.iter().fold(0, |sum, file| sum.saturating_add(file.bytes))
    }

    /// Describes what is wrong with the file list. The list is untrusted: anybody who can write to the target can change it.
    pub(crate) fn faults(&self) -> Vec<String> {
        if self.files.len() > MAX_FILES {
            return vec![format!("lists {} files; at most {MAX_FILES} are read", self.files.len())];
        }
        let mut seen = HashSet::new();
        let fault = |entry: &Entry| match () {
            () if !is_path_of_a_backup(&entry.path) => Some(format!("{:?} is not a path of a backup", entry.path)),
            () if !seen.insert(entry.path.clone()) => Some(format!("lists {:?} twice", entry.path)),
            () => None,
        };
        let mut faults: Vec<String> = self.files.iter().filter_map(fault).collect();
        if !self.files.iter().any(|entry| entry.path == CATALOG) {
            faults.push("holds no catalog".into());
        }
        faults
    }
}

/// Returns whether [`super::take()`] writes this path: the catalog, the settings, or a file in one of [`FOLDERS`]. Any other path
/// would have a meaning in a data folder or lie outside of it.
pub(crate) fn is_path_of_a_backup(path: &str) -> bool {
    match path.split_once('/') {
        None => path == CATALOG || path == SETTINGS,
        Some((folder, file)) => {
            let known = FOLDERS.iter().find(|(name, _)| *name == folder);
            known.is_some_and(|(_, extension)| is_file_name(file, extension))
        }
    }
}

fn is_file_name(file: &str, extension: &str) -> bool {
    let stem = file.strip_suffix(extension).and_then(|stem| stem.strip_suffix('.'));
    stem.is_some_and(|stem| !stem.is_empty()) && !file.chars().any(|c| c == '/' || c.is_control())
}

/// Returns the name of a backup made at this moment.
pub(crate) fn name(created: Timestamp) -> String {
    created.strftime(NAME).to_string()
}

/// Returns the moment at which a backup of this name was made, or `None` if it is not the name of a backup.
pub(crate) fn moment(name: &str) -> Option<Timestamp> {
    Some(jiff::civil::DateTime::strptime(NAME, name).ok()?.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp())
}

/// Lists all backups, oldest first. Ignores folders with other names.
pub(crate) async fn list(target: &Target) -> Result<Vec<Backup>> {
    let root = (!target.root().as_ref().is_empty()).then(|| target.root());
    let found = target.store.list_with_delimiter(root).await.map_err(|cause| target.failed("listing", cause))?;
    let names = found.common_prefixes.iter().filter_map(|prefix| prefix.filename().map(str::to_owned));
    let mut names: Vec<String> = names.filter(|name| moment(name).is_some()).collect();
    names.sort();
    let mut backups = Vec::new();
    for name in names {
        let manifest = read(target, &name).await?;
        backups.push(Backup { name, manifest });
    }
    Ok(backups)
}

/// Returns the given name, without checking it, or the name of the newest complete backup. Fails if no name is given and no
/// backup is complete.
pub(crate) async fn newest(target: &Target, named: Option<&str>) -> Result<String> {
    if let Some(name) = named {
        return Ok(name.to_owned());
    }
    let whole = list(target).await?.into_iter().rfind(|backup| backup.manifest.is_some());
    let none = || Error::NotFound { what: ObjectKind::LatestBackup, name: target.shown().to_owned() };
    whole.map(|backup| backup.name).ok_or_else(none)
}

/// Reads the manifest of a backup. `None` if it has none. Fails if the manifest is too large, is not valid or has another
/// format.
pub(crate) async fn read(target: &Target, backup: &str) -> Result<Option<Manifest>> {
    let failed = |cause| target.failed("reading", cause);
    let mut pieces = match target.store.get(&target.object_path(backup, MANIFEST)).await {
        Ok(found) => found.into_stream(),
        Err(object_store::Error::NotFound { .. }) => return Ok(None),
        Err(cause) => return Err(failed(cause)),
    };
    let damaged = |why: String| Error::damaged(format!("{MANIFEST} of the backup {backup}"), why);
    let mut bytes = Vec::new();
    while let Some(piece) = pieces.try_next().await.map_err(failed)? {
        bytes.extend_from_slice(&piece);
        if bytes.len() > MAX_MANIFEST_BYTES {
            return Err(damaged(format!("it is larger than {MAX_MANIFEST_BYTES} bytes")));
        }
    }
    let manifest: Manifest = serde_json::from_slice(&bytes).map_err(|error| damaged(error.to_string()))?;
    match manifest.format {
        FORMAT => Ok(Some(manifest)),
        other => Err(Error::invalid(
            format!("the backup {backup}"),
            format!(
                "has format {other}, but this version of annals reads format {FORMAT}; use the version that made it"
            ),
        )),
    }
}
