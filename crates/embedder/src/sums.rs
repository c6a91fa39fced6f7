//! Checksums of the files of a pulled model. They are recorded when the pull is complete and compared before the model is used,
//! because a damaged model yields wrong vectors without an error. Never writes.

use std::collections::{BTreeMap, HashMap};
use std::path::{Component, Path, PathBuf};

use annals_core::{Error, Result};
use sha2::{Digest, Sha256};

/// The SHA-256 of a file.
pub(crate) type Sum = [u8; 32];

/// Returns the SHA-256 of files of a folder in hexadecimal digits, by their paths within the folder.
pub fn checksums<'f>(folder: &Path, files: impl Iterator<Item = &'f str>) -> Result<BTreeMap<String, String>> {
    files.map(|file| Ok((file.to_owned(), digits(&sum(&folder.join(file))?)))).collect()
}

/// Compares files with their recorded checksums. Returns the checksums by full paths, or an error if a file is missing or
/// differs.
pub(crate) fn compared(folder: &Path, recorded: &BTreeMap<String, String>) -> Result<HashMap<PathBuf, Sum>> {
    let mut sums = HashMap::new();
    for (file, expected) in recorded {
        let path = inside(folder, Path::new(file))?;
        let damaged = |why: &str| Error::damaged(path.display().to_string(), format!("{why}; pull the model again"));
        if !path.is_file() {
            return Err(damaged("it is missing"));
        }
        let found = sum(&path)?;
        if digits(&found) != *expected {
            return Err(damaged("it is not what was pulled"));
        }
        sums.insert(path, found);
    }
    Ok(sums)
}

/// Returns the full path of a file named in a folder's own files. Returns an error if that path leads out of the folder.
pub(crate) fn inside(folder: &Path, file: &Path) -> Result<PathBuf> {
    match file.components().all(|part| matches!(part, Component::Normal(_))) {
        true => Ok(folder.join(file)),
        false => {
            Err(Error::damaged(folder.display().to_string(), "it names a file outside itself; pull the model again"))
        }
    }
}

pub(crate) fn sum(path: &Path) -> Result<Sum> {
    let failed = |error| Error::storage(format!("cannot read {}", path.display()), error);
    let (mut file, mut digest) = (std::fs::File::open(path).map_err(failed)?, Sha256::new());
    std::io::copy(&mut file, &mut digest).map_err(failed)?;
    Ok(digest.finalize().into())
}

fn digits(sum: &Sum) -> String {
    sum.iter().map(|byte| format!("{byte:02x}")).collect()
}
