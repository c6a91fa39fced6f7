//! Access rights of a data folder: its user's alone. What is written is made so from the start (`main` sets the umask); folders of
//! older versions, or that somebody opened up, are closed when they are opened.

use std::ffi::OsStr;
use std::fs::{Permissions, set_permissions, symlink_metadata};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::scratch;

/// Mode bits that let the group or others in.
const OTHERS: u32 = 0o077;

/// What Annals keeps in a data folder. Anything else there belongs to somebody else.
const OURS: [&str; 11] = [
    "annals.lock",
    "annals.sock",
    "annals.toml",
    "done",
    "facts",
    "jobs",
    "prompts",
    "retention",
    "service.log",
    "tables",
    "catalog.sqlite",
];

/// Takes the group's and others' rights off a data folder and what Annals keeps in it, if the folder has any. The folder itself
/// comes last, so that a run that is cut off is repeated. What belongs to another user stays as it is: only its owner or
/// whoever mounted it can change it.
pub fn close_to_others(folder: &Path) -> io::Result<()> {
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

fn is_ours(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    OURS.contains(&name.as_ref()) || name.starts_with("catalog.sqlite-") || name.starts_with(scratch::PREFIX)
}

fn close(path: &Path) -> io::Result<()> {
    // A link is followed nowhere: it may lead out of the folder.
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
            tracing::warn!(path = %path.display(), "others can read it, and only its owner can change that");
            Ok(())
        }
        done => done,
    }
}
