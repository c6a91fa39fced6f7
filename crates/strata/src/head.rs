//! The number of a table's newest version, in a file of our own beside LanceDB's.
//!
//! LanceDB opens the newest manifest that it finds. Without this file a lost manifest is not noticed: the table opens one version
//! older, with fewer rows. The file is written after each commit and is not synced: an older number, or none, only checks less.

use std::io;
use std::path::Path;

const FILE: &str = "head";

/// Records the version that a commit has made.
pub fn save(folder: &Path, version: u64) -> io::Result<()> {
    let new = folder.join("head.new");
    std::fs::write(&new, version.to_string())?;
    std::fs::rename(new, folder.join(FILE))
}

/// The newest version that is known to exist; none if none was recorded.
pub fn load(folder: &Path) -> Option<u64> {
    std::fs::read_to_string(folder.join(FILE)).ok()?.parse().ok()
}
