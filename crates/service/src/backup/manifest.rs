//! The manifest of a backup, and the list of backups at a target.

use std::collections::HashSet;

use annals_core::{Error, ObjectKind, Result, Timestamp};
use futures::TryStreamExt;
use object_store::ObjectStoreExt;
use serde::{Deserialize, Serialize};

use super::Target;
use super::take::{CATALOG, SETTINGS};

/// The file that marks a backup as complete.
pub const MANIFEST: &str = "manifest.json";

/// Version of the format that this code writes, and the only one that it reads.
pub const FORMAT: u32 = 1;

/// Folders of files that users write, with the extension of those files.
pub const FOLDERS: [(&str, &str); 3] = [("retention", "toml"), ("jobs", "toml"), ("prompts", "md")];

/// Limits against a manifest that somebody has changed. A manifest has a few hundred bytes per file.
const MAX_FILES: usize = 10_000;
const MAX_MANIFEST_BYTES: usize = 8 << 20;

/// Format of backup names: sortable, and without characters that file systems refuse.
const NAME: &str = "%Y-%m-%dT%H-%M-%SZ";

/// The contents of a backup. The field names are part of the stored format.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// Version of the format: `FORMAT` when it was written.
    pub format: u32,
    /// The version of Annals that made the backup.
    pub annals: String,
    /// When the backup was begun, as its name says.
    pub created: Timestamp,
    /// Sequence number of the last change in the catalog. A check compares it with the catalog itself.
    pub catalog_sequence: i64,
    /// Keys of settings that were left out because they are secret.
    pub left_out: Vec<String>,
    /// Every file except the manifest.
    pub files: Vec<Entry>,
}

/// One file of a backup.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Path within the backup, separated by `/`.
    pub path: String,
    pub bytes: u64,
    /// SHA-256 digest in hexadecimal.
    pub sha256: String,
}

/// A backup at a target.
#[derive(Debug, Serialize)]
pub struct Backup {
    /// Name of the backup: the UTC time at which it was begun.
    pub name: String,
    /// `None` if the backup was never completed.
    pub manifest: Option<Manifest>,
}

impl Manifest {
    /// Returns the size of all files together in bytes, without the manifest.
    pub fn bytes(&self) -> u64 {
        self.files.iter().fold(0, |sum, file| sum.saturating_add(file.bytes))
    }

    /// Describes what is wrong with the list of files; empty if nothing is. The files of a list that is too long are not
    /// checked. Anybody who can write to the target can change the list.
    pub fn faults(&self) -> Vec<String> {
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

/// Returns whether [`super::take::take()`] can write this path: the catalog, the settings, or a file in one of [`FOLDERS`]. A
/// restore could write any other path over another part of the data folder, or outside of it.
pub fn is_path_of_a_backup(path: &str) -> bool {
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

/// Returns the name of a backup that is begun at this time.
pub fn name(created: Timestamp) -> String {
    created.strftime(NAME).to_string()
}

/// Returns when a backup of this name was begun, or `None` if it is not the name of a backup.
pub fn moment(name: &str) -> Option<Timestamp> {
    Some(jiff::civil::DateTime::strptime(NAME, name).ok()?.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp())
}

/// Lists all backups, oldest first. Ignores folders with names that are not times. Fails if a manifest cannot be read or is not
/// valid.
pub async fn list(target: &Target) -> Result<Vec<Backup>> {
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
pub async fn newest(target: &Target, named: Option<&str>) -> Result<String> {
    if let Some(name) = named {
        return Ok(name.to_owned());
    }
    let whole = list(target).await?.into_iter().rfind(|backup| backup.manifest.is_some());
    let none = || Error::NotFound { what: ObjectKind::LatestBackup, name: target.shown().to_owned() };
    whole.map(|backup| backup.name).ok_or_else(none)
}

/// Reads the manifest of a backup. `None` if it has none. Fails if the manifest is too large, is not valid or has another
/// format.
pub async fn read(target: &Target, backup: &str) -> Result<Option<Manifest>> {
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
