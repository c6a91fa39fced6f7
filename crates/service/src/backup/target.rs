//! The place where backups are stored: a folder, or a prefix of a bucket. The same code serves both.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use annals_core::{Error, ObjectKind, Result};
use annals_objects::Bucket;
use object_store::ObjectStore;
use object_store::local::LocalFileSystem;
use object_store::path::Path as ObjectPath;

use crate::refuse_in_data_folder;

/// An open target.
pub struct Target {
    /// The store that holds the backups.
    pub(super) store: Arc<dyn ObjectStore>,
    prefix: ObjectPath,
    text: String,
}

impl Target {
    /// Opens a target for writing, and creates the folder if necessary. Fails if the target lies in the data folder, because
    /// the backups would be lost with it.
    pub fn to_write(text: &str, data: &Path) -> Result<Target> {
        if bucket(text)?.is_none() {
            let inside = "lies in the data folder and would be lost with it; choose a folder outside of it";
            refuse_in_data_folder(data, Path::new(text)).map_err(|_| Error::invalid("TARGET", inside))?;
            let failed = |cause| Error::storage(format!("cannot use {text} for backups"), cause);
            std::fs::create_dir_all(text).map_err(failed)?;
        }
        Target::to_read(text)
    }

    /// Opens an existing target for reading. Fails if the folder does not exist. Does not check whether a bucket exists.
    pub fn to_read(text: &str) -> Result<Target> {
        let opened = match bucket(text)? {
            Some(bucket) => bucket.open(None).map(|store| (store, bucket.prefix)),
            None if !Path::new(text).is_dir() => {
                return Err(Error::NotFound { what: ObjectKind::BackupFolder, name: text.to_owned() });
            }
            None => folder(text).map(|store| (store, ObjectPath::default())),
        };
        let (store, prefix) = opened.map_err(|cause| Error::storage(format!("cannot open {text}"), cause))?;
        Ok(Target { store, prefix, text: text.to_owned() })
    }

    /// Returns the path of a file of a backup in the store. `file` is a path within the backup.
    pub fn object_path(&self, backup: &str, file: &str) -> ObjectPath {
        file.split('/').fold(self.folder(backup), ObjectPath::join)
    }

    /// Returns the prefix of all files of a backup in the store.
    pub fn folder(&self, backup: &str) -> ObjectPath {
        self.prefix.clone().join(backup)
    }

    /// Returns the prefix of all backups in the store; empty for a local folder.
    pub fn root(&self) -> &ObjectPath {
        &self.prefix
    }

    /// Returns the target as the user wrote it.
    pub fn shown(&self) -> &str {
        &self.text
    }

    /// Returns the path of a backup on this machine, or `None` for an object store.
    pub fn on_disk(&self, backup: &str) -> Option<PathBuf> {
        (!self.text.contains("://")).then(|| Path::new(&self.text).join(backup))
    }

    /// Wraps an error of the store in one that names the target. `doing` is what failed, such as `reading`.
    pub fn failed(&self, doing: &str, cause: object_store::Error) -> Error {
        Error::storage(format!("{doing} {}", self.text), cause)
    }
}

/// Returns whether the text names a local folder that does not exist yet.
pub(super) fn is_new(text: &str) -> bool {
    !text.contains("://") && !Path::new(text).is_dir()
}

/// Parses the URL of a bucket. Returns `None` for the path of a folder, and an error for other URLs.
fn bucket(text: &str) -> Result<Option<Bucket>> {
    if !text.contains("://") {
        return Ok(None);
    }
    Bucket::parse(text).map(Some).map_err(|reason| Error::invalid("TARGET", reason))
}

fn folder(path: &str) -> object_store::Result<Arc<dyn ObjectStore>> {
    let store = LocalFileSystem::new_with_prefix(path)?;
    Ok(Arc::new(store.with_fsync(true).with_automatic_cleanup(true)))
}
