//! The resident memory of the process, and the bytes of files and folders.

use std::fs;
use std::path::Path;

use walkdir::WalkDir;

/// Returns the resident memory of this process in bytes; `None` without `/proc`.
pub(super) fn resident_bytes() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kibibytes * 1024)
}

/// Returns the bytes of a file, or of all files below a folder. Files that are removed meanwhile count as empty.
pub(super) fn bytes_of(path: &Path) -> u64 {
    let entries = WalkDir::new(path).into_iter().filter_map(Result::ok);
    let files = entries.filter_map(|entry| entry.metadata().ok()).filter(fs::Metadata::is_file);
    files.map(|file| file.len()).sum()
}

/// Returns the bytes of the catalog in SQLite and its write-ahead log; 0 for a catalog in PostgreSQL.
pub(super) fn catalog_bytes(folder: &Path) -> u64 {
    ["catalog.sqlite", "catalog.sqlite-wal"].iter().map(|name| bytes_of(&folder.join(name))).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folder_size_is_the_sum_of_its_files() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("tables/a")).unwrap();
        fs::write(folder.path().join("tables/a/1"), "four").unwrap();
        fs::write(folder.path().join("tables/2"), "sixsix").unwrap();
        fs::write(folder.path().join("catalog.sqlite"), "a").unwrap();
        assert_eq!(bytes_of(&folder.path().join("tables")), 10);
        assert_eq!(catalog_bytes(folder.path()), 1);
        assert_eq!(bytes_of(&folder.path().join("none")), 0);
        assert!(resident_bytes().unwrap() > 100_000);
    }
}
