//! The number of a table's newest version, in a file of our own beside LanceDB's files.
//!
//! LanceDB opens the newest manifest that it finds. Without this file a lost manifest would go unnoticed: the table
//! would open one version older, with fewer rows. The file is written after each commit and not synced: an older or
//! missing number only weakens the check.

use std::io;
use std::path::Path;

const FILE: &str = "head";

/// Records the version that a commit made.
pub fn save(folder: &Path, version: u64) -> io::Result<()> {
    let new = folder.join("head.new");
    std::fs::write(&new, version.to_string())?;
    std::fs::rename(new, folder.join(FILE))
}

/// Returns the newest recorded version; `None` if there is none.
pub fn load(folder: &Path) -> Option<u64> {
    std::fs::read_to_string(folder.join(FILE)).ok()?.parse().ok()
}
