//! Operations on local files that the store does not have: renames and removes whole folders, syncs deletions, and removes
//! half-written files.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use object_store::{Error, Result};
use tempfile::NamedTempFile;

/// The name of the store in errors of local files.
const STORE: &str = "LocalFileSystem";

/// Runs blocking work on a thread that may block.
pub(crate) async fn run<T: Send + 'static>(work: impl FnOnce() -> io::Result<T> + Send + 'static) -> Result<T> {
    tokio::task::spawn_blocking(work).await?.map_err(failed)
}

pub(crate) fn failed(error: io::Error) -> Error {
    Error::Generic { store: STORE, source: Box::new(error) }
}

/// Creates a folder if it is missing, and returns its absolute path.
pub(crate) fn create(folder: &Path) -> io::Result<PathBuf> {
    fs::create_dir_all(folder)?;
    folder.canonicalize()
}

/// Removes a folder, and the remains of an earlier removal that was interrupted. Returns whether the folder existed.
pub(crate) fn remove(folder: &Path) -> io::Result<bool> {
    let mut going = folder.as_os_str().to_owned();
    going.push(".removed");
    let going = PathBuf::from(going);
    if going.try_exists()? {
        fs::remove_dir_all(&going)?;
        sync_parent(&going)?;
    }
    if !folder.try_exists()? {
        return Ok(false);
    }
    rename(folder, &going)?;
    fs::remove_dir_all(&going)?;
    sync_parent(&going)?;
    Ok(true)
}

/// Renames a folder durably: a power cut does not undo it. Creates the parent of the target.
pub(crate) fn rename(from: &Path, to: &Path) -> io::Result<()> {
    if let Some(parent) = to.parent() {
        fs::create_dir_all(parent)?;
    }
    fs::rename(from, to)?;
    for folder in [from.parent(), to.parent(), to.parent().and_then(Path::parent)].into_iter().flatten() {
        sync(folder)?;
    }
    Ok(())
}

/// Removes a folder if it is empty, then syncs it or the nearest existing folder above it. Also removes empty folders above it,
/// but never `root`.
pub(crate) fn sync_deletions(root: &Path, folder: &Path) -> io::Result<()> {
    let mut folder = folder;
    while !folder.try_exists()? || (folder != root && fs::remove_dir(folder).is_ok()) {
        folder = folder.parent().unwrap_or(root);
    }
    sync(folder)
}

/// Removes files named `<name>#<number>` from the folders directly below `root`. The store writes each file under such a name
/// and renames it when it is complete. The store's listings hide these files.
pub(crate) fn remove_half_written(root: &Path) -> io::Result<()> {
    for folder in fs::read_dir(root)? {
        let folder = folder?;
        if !folder.file_type()?.is_dir() {
            continue;
        }
        for file in fs::read_dir(folder.path())? {
            let file = file?;
            if is_half_written(&file.file_name()) {
                fs::remove_file(file.path())?;
            }
        }
    }
    Ok(())
}

/// Does the same at any depth.
pub(crate) fn remove_all_half_written(root: &Path) -> io::Result<()> {
    for entry in walkdir::WalkDir::new(root) {
        let entry = entry?;
        if entry.file_type().is_file() && is_half_written(entry.file_name()) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

fn is_half_written(name: &OsStr) -> bool {
    let parts = name.to_str().and_then(|name| name.rsplit_once('#'));
    parts.is_some_and(|(_, number)| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Writes a file that is not an object, such as an export. Replaces a former file atomically, so that no reader sees a part
/// of the new content. The file is durable when this returns.
pub fn replace_file(target: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = NamedTempFile::new_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(target)?;
    sync(folder)
}

fn sync_parent(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), sync)
}

fn sync(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}
