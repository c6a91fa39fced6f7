//! A place in the data folder for what is made and thrown away: on the same disk, and gone when dropped. What a killed process
//! left there is removed when the data folder is opened next, because it may hold words that are to be forgotten.
//!
//! Names cannot be guessed, a folder that is there is never taken over, and the owner holds a lock on its own, so that two
//! commands at once do not remove each other's.

use std::fs::{DirBuilder, File, TryLockError};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use annals_core::{Error, Result};
use data_encoding::HEXLOWER;

/// What names of such folders begin with.
pub const PREFIX: &str = "annals-scratch-";

/// A folder that lives as long as this.
pub struct Scratch {
    path: PathBuf,
    _lock: File,
}

impl Scratch {
    /// A new and empty folder within another; its name begins with `name`.
    pub fn within(folder: &Path, name: &str) -> Result<Scratch> {
        let failed = |cause| Error::storage(format!("cannot write in {}", folder.display()), cause);
        let mut random = [0; 8];
        getrandom::fill(&mut random).map_err(|cause| failed(cause.into()))?;
        let path = folder.join(format!("{PREFIX}{name}-{}", HEXLOWER.encode(&random)));
        DirBuilder::new().mode(0o700).create(&path).map_err(failed)?;
        let lock = File::open(&path).map_err(failed)?;
        // Some network file systems cannot lock a folder; then it can only be taken for abandoned.
        let _ = lock.try_lock();
        Ok(Scratch { path, _lock: lock })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// An empty file in a folder, under no name: it goes when it is closed, or the process ends.
pub fn nameless_file(folder: &Path) -> std::io::Result<File> {
    let mut random = [0; 8];
    getrandom::fill(&mut random)?;
    let path = folder.join(format!("{PREFIX}{}", HEXLOWER.encode(&random)));
    let file = File::options().read(true).write(true).create_new(true).mode(0o600).open(&path)?;
    std::fs::remove_file(&path)?;
    Ok(file)
}

/// Removes what killed processes left. For the owner of the data folder, before it begins to work.
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
        // What stays is removed when the data folder is opened next.
        let _ = std::fs::remove_dir_all(&self.path);
    }
}
