//! Restricts access to a data folder to the user that it belongs to. New files get these rights from the umask that `main`
//! sets. Folders that older versions created, or that somebody opened to others, are restricted when they are opened.

use std::ffi::OsStr;
use std::fs::{Permissions, set_permissions, symlink_metadata};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::embedders::FORMER;
use crate::scratch;

/// Mode bits that give access to the group or to others.
const OTHERS: u32 = 0o077;

/// Names of files and folders in a data folder to restrict. Other files of the catalog and scratch folders are restricted too.
/// Everything else there stays as it is, also the folder of models.
const OURS: [&str; 14] = [
    "annals.lock",
    "annals.sock",
    "annals.toml",
    "done",
    FORMER,
    "facts",
    "jobs",
    "prompts",
    "retention",
    "service.log",
    "tables",
    "catalog.objects",
    "catalog.sqlite",
    "catalog.postgres",
];

/// Removes the rights of group and others from a data folder and from what `OURS` lists in it, if the folder grants any. The
/// folder itself comes last, so that an interrupted run is repeated. Skips what belongs to another user: only its owner, or the
/// mount options, can change it.
pub(crate) fn close_to_others(folder: &Path) -> io::Result<()> {
    if symlink_metadata(folder)?.permissions().mode() & OTHERS == 0 {
        return Ok(());
    }
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if is_ours(&entry.file_name()) {
            close(&entry.path())?;
        }
    }
    take_rights_off(folder)
}

/// Returns the name of something in a folder that belongs to no data folder; `None` if there is nothing of the kind. Hidden files,
/// our names with an ending, and what file systems and storage devices have of their own do not count.
pub(crate) fn stranger_in(folder: &Path) -> io::Result<Option<String>> {
    const BESIDE: [&str; 4] = ["models", "backups", "lost+found", "System Volume Information"];
    for entry in std::fs::read_dir(folder)? {
        let name = entry?.file_name();
        let text = name.to_string_lossy();
        let is_beside =
            text.starts_with(['.', '@', '#']) || text.starts_with("annals.") || BESIDE.contains(&text.as_ref());
        if !is_ours(&name) && !is_beside {
            return Ok(Some(text.into_owned()));
        }
    }
    Ok(None)
}

fn is_ours(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    OURS.contains(&name.as_ref()) || name.starts_with("catalog.sqlite-") || name.starts_with(scratch::PREFIX)
}

fn close(path: &Path) -> io::Result<()> {
    // Links are not followed: they may lead out of the folder.
    if symlink_metadata(path)?.is_dir() {
        for entry in std::fs::read_dir(path)? {
            close(&entry?.path())?;
        }
    }
    take_rights_off(path)
}

fn take_rights_off(path: &Path) -> io::Result<()> {
    let found = symlink_metadata(path)?;
    let mode = found.permissions().mode();
    if found.is_symlink() || mode & OTHERS == 0 {
        return Ok(());
    }
    match set_permissions(path, Permissions::from_mode(mode & !OTHERS)) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            tracing::warn!(path = %path.display(), "other users can read this path, and only its owner can change its permissions");
            Ok(())
        }
        done => done,
    }
}
