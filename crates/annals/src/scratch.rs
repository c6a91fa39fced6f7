//! Temporary folders and files, removed on drop. Most are inside the data folder, so they are on the same disk. What a killed
//! process left there is removed when the data folder is next opened, because it may hold text that is to be forgotten, or take
//! a name that is needed again. What it left in another folder, such as the target of an export or the system's temporary
//! folder, is not removed; a restore removes only folders beside the new data folder.
//!
//! Names cannot be guessed, an existing folder is never reused, and each folder is locked by its owner, so that two commands at
//! once do not remove each other's folders.

use std::fs::{DirBuilder, DirEntry, File, TryLockError};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use annals_core::{Error, Result};
use data_encoding::HEXLOWER;

/// Prefix of the names of these folders and files.
pub(crate) const PREFIX: &str = "annals-scratch-";

/// Prefix of SQLite's temporary files. They are unlinked right after their creation; a crash between the two calls leaves
/// one behind.
const OF_SQLITE: &str = "etilqs_";

/// A temporary folder; dropping it removes the folder.
pub(crate) struct Scratch {
    path: PathBuf,
    _lock: File,
}

impl Scratch {
    /// Creates an empty folder in `folder`; `name` becomes part of its name.
    pub(crate) fn within(folder: &Path, name: &str) -> Result<Scratch> {
        let failed = |cause| Error::storage(format!("cannot write in {}", folder.display()), cause);
        let mut random = [0; 8];
        getrandom::fill(&mut random).map_err(|cause| failed(cause.into()))?;
        let path = folder.join(format!("{PREFIX}{name}-{}", HEXLOWER.encode(&random)));
        DirBuilder::new().mode(0o700).create(&path).map_err(failed)?;
        let lock = File::open(&path).map_err(failed)?;
        // Some network file systems cannot lock a folder. `sweep` then treats the folder as abandoned.
        let _ = lock.try_lock();
        Ok(Scratch { path, _lock: lock })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

/// Creates an empty file without a name in a folder. It disappears when it is closed or the process ends. If the process is
/// killed before the name is removed, the file stays until [`sweep`] removes it, which cleans only the data folder.
pub(crate) fn nameless_file(folder: &Path) -> std::io::Result<File> {
    let mut random = [0; 8];
    getrandom::fill(&mut random)?;
    let path = folder.join(format!("{PREFIX}{}", HEXLOWER.encode(&random)));
    let file = File::options().read(true).write(true).create_new(true).mode(0o600).open(&path)?;
    std::fs::remove_file(&path)?;
    Ok(file)
}

/// Removes folders and files that killed processes left. The owner of the data folder calls this before it starts to work.
pub(crate) fn sweep(folder: &Path) -> Result<()> {
    sweep_folders(folder)?;
    for entry in entries(folder)? {
        let name = entry.file_name();
        let is_scratch = [PREFIX, OF_SQLITE].iter().any(|prefix| name.to_string_lossy().starts_with(prefix));
        if is_scratch && entry.file_type().is_ok_and(|kind| kind.is_file()) {
            std::fs::remove_file(entry.path()).map_err(|cause| cannot_clean(folder, cause))?;
        }
    }
    Ok(())
}

/// Removes folders that killed processes left, in a folder that others may use too.
pub(crate) fn sweep_folders(folder: &Path) -> Result<()> {
    for entry in entries(folder)? {
        let is_scratch = entry.file_name().to_string_lossy().starts_with(PREFIX);
        if is_scratch && entry.file_type().is_ok_and(|kind| kind.is_dir()) && is_abandoned(&entry.path()) {
            std::fs::remove_dir_all(entry.path()).map_err(|cause| cannot_clean(folder, cause))?;
        }
    }
    Ok(())
}

fn entries(folder: &Path) -> Result<Vec<DirEntry>> {
    std::fs::read_dir(folder).and_then(Iterator::collect).map_err(|cause| cannot_clean(folder, cause))
}

fn cannot_clean(folder: &Path, cause: std::io::Error) -> Error {
    Error::storage(format!("cannot remove temporary files in {}", folder.display()), cause)
}

fn is_abandoned(folder: &Path) -> bool {
    !File::open(folder).is_ok_and(|folder| matches!(folder.try_lock(), Err(TryLockError::WouldBlock)))
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // If this fails, `sweep` removes the folder when the data folder is next opened.
        let _ = std::fs::remove_dir_all(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn sweep_removes_what_killed_processes_left_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let used = Scratch::within(folder.path(), "backup").unwrap();
        fs::create_dir(path("annals-scratch-export-0a")).unwrap();
        fs::write(path("annals-scratch-export-0a/memories.jsonl"), "tea").unwrap();
        for name in ["annals-scratch-export-1-0", "annals-scratch-0123456789abcdef", "etilqs_Ab3", "catalog.sqlite"] {
            fs::write(path(name), "").unwrap();
        }
        std::os::unix::fs::symlink(path("catalog.sqlite"), path("annals-scratch-link")).unwrap();
        sweep(folder.path()).unwrap();
        let left = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path());
        let mut left: Vec<_> = left.collect();
        left.sort();
        let mut expect = vec![path("annals-scratch-link"), used.path().to_owned(), path("catalog.sqlite")];
        expect.sort();
        assert_eq!(left, expect);
    }
}
