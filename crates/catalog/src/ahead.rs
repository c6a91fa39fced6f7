//! Reading the file ahead: after a start of the machine a search would fetch each of the two hundred memories that it reads back
//! from the disk. Measured at 1,000,000 memories on a virtual disk: 53 ms a search (p95) instead of 15, until all have been met.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// Has the system hold the catalog's file in its memory, from another thread and for as long as the system likes, unless it has
/// more bytes than `most`. For a process that stays. Nothing depends on it, so it does not matter if it fails.
pub fn read_ahead(path: PathBuf, most: usize) {
    std::thread::spawn(move || drop(read(&path, most)));
}

/// How many bytes were read.
fn read(path: &Path, most: usize) -> io::Result<u64> {
    let mut file = File::open(path)?;
    if file.metadata()?.len() > most as u64 {
        return Ok(0);
    }
    io::copy(&mut file, &mut io::sink())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_is_read_or_nothing() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), [0; 100]).unwrap();
        assert_eq!((read(file.path(), 100).unwrap(), read(file.path(), 99).unwrap()), (100, 0));
        assert!(read(Path::new("/nowhere/at/all"), 100).is_err());
    }
}
