//! Temporary folders and files, removed on drop. Most are inside the data folder, so they are on the same disk. What a killed
//! process left there is removed when the data folder is next opened, because it may hold text that is to be forgotten, or take
//! a name that is needed again. Folders that it left elsewhere, such as in the target of an export or in the system's temporary
//! folder, are removed by the next command that creates one there.
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
        // Some network file systems cannot lock a folder. `sweep` then treats it as abandoned; `sweep_shared` leaves it.
        let _ = lock.try_lock();
        Ok(Scratch { path, _lock: lock })
    }

    /// Does the same as [`Scratch::within`], in a folder that others may use too, and first removes the folders that killed
    /// processes left there.
    pub(crate) fn in_shared(folder: &Path, name: &str) -> Result<Scratch> {
        sweep_shared(folder);
        Scratch::within(folder, name)
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

/// Removes folders and files that killed processes left in the data folder. The owner of the folder calls this before it starts
/// to work. Leaves folders that another process has locked.
pub(crate) fn sweep(folder: &Path) -> Result<()> {
    for path in scratch_folders(folder)? {
        // The caller owns the data folder, so a folder that cannot be locked counts as abandoned too.
        if !matches!(try_lock(&path), Err(TryLockError::WouldBlock)) {
            std::fs::remove_dir_all(path).map_err(|cause| cannot_clean(folder, cause))?;
        }
    }
    for entry in entries(folder)? {
        let name = entry.file_name();
        let is_scratch = [PREFIX, OF_SQLITE].iter().any(|prefix| name.to_string_lossy().starts_with(prefix));
        if is_scratch && entry.file_type().is_ok_and(|kind| kind.is_file()) {
            std::fs::remove_file(entry.path()).map_err(|cause| cannot_clean(folder, cause))?;
        }
    }
    Ok(())
}

/// Removes folders that killed processes left in a folder that others may use too. Leaves what it cannot lock, because the
/// owner may be at work, and what it cannot remove, because another user owns it.
fn sweep_shared(folder: &Path) {
    for path in scratch_folders(folder).unwrap_or_default() {
        if try_lock(&path).is_ok() {
            let _ = std::fs::remove_dir_all(path);
        }
    }
}

/// Returns the temporary folders in a folder, whether they are in use or not.
fn scratch_folders(folder: &Path) -> Result<Vec<PathBuf>> {
    let is_folder = |entry: &DirEntry| entry.file_type().is_ok_and(|kind| kind.is_dir());
    let is_scratch = |entry: &DirEntry| entry.file_name().to_string_lossy().starts_with(PREFIX) && is_folder(entry);
    Ok(entries(folder)?.into_iter().filter(is_scratch).map(|entry| entry.path()).collect())
}

fn entries(folder: &Path) -> Result<Vec<DirEntry>> {
    std::fs::read_dir(folder).and_then(Iterator::collect).map_err(|cause| cannot_clean(folder, cause))
}

fn cannot_clean(folder: &Path, cause: std::io::Error) -> Error {
    Error::storage(format!("cannot remove temporary files in {}", folder.display()), cause)
}

/// Locks a folder for a moment. Fails with [`TryLockError::WouldBlock`] while its owner is at work.
fn try_lock(folder: &Path) -> std::result::Result<(), TryLockError> {
    File::open(folder).map_err(TryLockError::Error)?.try_lock()
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // If this fails, the folder is removed as one that a killed process left.
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

    #[test]
    fn shared_folder_loses_what_killed_processes_left_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::create_dir(path("annals-scratch-export-0a")).unwrap();
        fs::write(path("annals-scratch-export-0a/export"), "tea").unwrap();
        fs::write(path("annals-scratch-notes"), "").unwrap();
        fs::create_dir(path("letters")).unwrap();
        let [first, second] = ["export", "restore"].map(|name| Scratch::in_shared(folder.path(), name).unwrap());
        assert!(!path("annals-scratch-export-0a").exists());
        for kept in [first.path(), second.path(), &path("annals-scratch-notes"), &path("letters")] {
            assert!(kept.exists(), "{}", kept.display());
        }
    }
}
