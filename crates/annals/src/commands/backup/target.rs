//! The place where backups are stored: a folder, or a prefix in an S3-compatible bucket. The same code serves both.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use annals_core::{Error, ObjectKind, Result};
use annals_objects::S3;
use annals_service::refuse_in_data_folder;
use object_store::ObjectStore;
use object_store::local::LocalFileSystem;
use object_store::path::Path as Place;

/// An open target.
pub(crate) struct Target {
    pub store: Arc<dyn ObjectStore>,
    prefix: Place,
    text: String,
}

impl Target {
    /// Opens a target for writing, and creates the folder if necessary. The target must not lie in the data folder: it would be
    /// lost with it.
    pub(crate) fn to_write(text: &str, data: &Path) -> Result<Target> {
        if bucket(text)?.is_none() {
            let inside = "lies in the data folder and would be lost with it; choose a folder outside of it";
            refuse_in_data_folder(data, Path::new(text)).map_err(|_| Error::invalid("TARGET", inside))?;
            let failed = |cause| Error::storage(format!("cannot use {text} for backups"), cause);
            std::fs::create_dir_all(text).map_err(failed)?;
        }
        Target::to_read(text)
    }

    /// Opens an existing target for reading.
    pub(crate) fn to_read(text: &str) -> Result<Target> {
        let opened = match bucket(text)? {
            Some(s3) => s3.open(None).map(|store| (store, s3.prefix)),
            None if !Path::new(text).is_dir() => {
                return Err(Error::NotFound { what: ObjectKind::BackupFolder, name: text.to_owned() });
            }
            None => folder(text).map(|store| (store, Place::default())),
        };
        let (store, prefix) = opened.map_err(|cause| Error::storage(format!("cannot open {text}"), cause))?;
        Ok(Target { store, prefix, text: text.to_owned() })
    }

    /// Returns the path of a file of a backup.
    pub(crate) fn object_path(&self, backup: &str, file: &str) -> Place {
        file.split('/').fold(self.folder(backup), object_store::path::Path::join)
    }

    /// Returns the path of a backup.
    pub(crate) fn folder(&self, backup: &str) -> Place {
        self.prefix.clone().join(backup)
    }

    /// Returns the path that holds all backups.
    pub(crate) fn root(&self) -> &Place {
        &self.prefix
    }

    /// Returns the target as the user wrote it.
    pub(crate) fn shown(&self) -> &str {
        &self.text
    }

    /// Returns the path of a backup on this machine, or `None` for an object store.
    pub(crate) fn on_disk(&self, backup: &str) -> Option<PathBuf> {
        (!self.text.contains("://")).then(|| Path::new(&self.text).join(backup))
    }

    /// Wraps an error of the store.
    pub(crate) fn failed(&self, doing: &str, cause: object_store::Error) -> Error {
        Error::storage(format!("{doing} {}", self.text), cause)
    }
}

/// Returns the bucket that a URL names. Returns `None` for a folder.
fn bucket(text: &str) -> Result<Option<S3>> {
    match text.split_once("://") {
        None => Ok(None),
        Some(("s3", _)) => S3::parse(text).map(Some).map_err(|reason| Error::invalid("TARGET", reason)),
        Some(_) => Err(Error::invalid("TARGET", "must be a folder or s3://bucket/prefix")),
    }
}

fn folder(path: &str) -> object_store::Result<Arc<dyn ObjectStore>> {
    let store = LocalFileSystem::new_with_prefix(path)?;
    Ok(Arc::new(store.with_fsync(true).with_automatic_cleanup(true)))
}
