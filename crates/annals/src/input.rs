//! Opens files that users name on the command line.

use std::fs::File;
use std::io::{Error, ErrorKind, Read, Result};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use crate::console::remote;
use crate::folder::CATALOG;

/// Opens a file for reading. Refuses the catalog of the service that runs this command, under any name: closing the file would
/// release SQLite's locks on it.
pub fn open(path: &Path) -> Result<File> {
    if let Some(data) = remote(|remote| remote.folder.path().to_owned())
        && is_catalog(path, &data)
    {
        let why = "it is the catalog of the running service; use `annals export` or `annals backup` instead";
        return Err(Error::new(ErrorKind::InvalidInput, why));
    }
    File::open(path)
}

/// Reads a whole text file.
pub fn read_text(path: &Path) -> Result<String> {
    let mut text = String::new();
    open(path)?.read_to_string(&mut text)?;
    Ok(text)
}

fn is_catalog(path: &Path, data: &Path) -> bool {
    let identity = |path: &Path| path.metadata().map(|file| (file.dev(), file.ino())).ok();
    let files = ["", "-wal", "-shm", "-journal"].map(|suffix| data.join(format!("{CATALOG}{suffix}")));
    identity(path).is_some_and(|named| files.iter().any(|file| identity(file) == Some(named)))
}
