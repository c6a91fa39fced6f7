//! Temporary folders inside the data folder: on the same disk, removed on drop. Folders that a killed process left are removed
//! when the data folder is next opened, because they may hold text that is to be forgotten.
//!
//! Names cannot be guessed, an existing folder is never reused, and each folder is locked by its owner, so that two commands at
//! once do not remove each other's.

use std::fs::{DirBuilder, File, TryLockError};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use annals_core::{Error, Result};
use data_encoding::HEXLOWER;

/// Prefix of the names of these folders.
pub const PREFIX: &str = "annals-scratch-";

/// A temporary folder; dropping it removes the folder.
pub struct Scratch {
    path: PathBuf,
    _lock: File,
}

impl Scratch {
    /// Creates an empty folder in `folder`; `name` becomes part of its name.
    pub fn within(folder: &Path, name: &str) -> Result<Scratch> {
        let failed = |cause| Error::storage(format!("cannot write in {}", folder.display()), cause);
        let mut random = [0; 8];
        getrandom::fill(&mut random).map_err(|cause| failed(cause.into()))?;
        let path = folder.join(format!("{PREFIX}{name}-{}", HEXLOWER.encode(&random)));
        DirBuilder::new().mode(0o700).create(&path).map_err(failed)?;
        let lock = File::open(&path).map_err(failed)?;
        // Some network file systems cannot lock a folder. Then `sweep` takes it for abandoned.
        let _ = lock.try_lock();
        Ok(Scratch { path, _lock: lock })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Creates an empty file without a name in a folder. It disappears when it is closed or the process ends.
pub fn nameless_file(folder: &Path) -> std::io::Result<File> {
    let mut random = [0; 8];
    getrandom::fill(&mut random)?;
    let path = folder.join(format!("{PREFIX}{}", HEXLOWER.encode(&random)));
    let file = File::options().read(true).write(true).create_new(true).mode(0o600).open(&path)?;
    std::fs::remove_file(&path)?;
    Ok(file)
}

/// Removes folders that killed processes left. The owner of the data folder calls this before it starts to work.
pub fn sweep(folder: &Path) -> Result<()> {
    let failed = |cause| Error::storage(format!("cannot tidy {}", folder.display()), cause);
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if entry.file_name().to_string_lossy().starts_with(PREFIX) && is_abandoned(&entry.path()) {
            std::fs::remove_dir_all(entry.path()).map_err(failed)?;
        }
    }
    Ok(())
}

fn is_abandoned(path: &Path) -> bool {
    let is_folder = std::fs::symlink_metadata(path).is_ok_and(|found| found.is_dir());
    is_folder && !File::open(path).is_ok_and(|folder| matches!(folder.try_lock(), Err(TryLockError::WouldBlock)))
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // If this fails, `sweep` removes the folder when the data folder is next opened.
        let _ = std::fs::remove_dir_all(&self.path);
    }
}
