//! What the system says of the process and its disk. Files are only looked at where there is a data folder.

use std::fs;
use std::path::Path;

use walkdir::WalkDir;

/// Entries of a folder that are looked at when its size is asked for; beyond it the size is too small.
const MOST_ENTRIES: usize = 200_000;

/// Memory of this process that is not paged out; none where `/proc` does not say.
pub(super) fn resident_bytes() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kibibytes * 1024)
}

/// Bytes of a file, or of all files below a folder. What went meanwhile counts nothing.
pub(super) fn bytes_of(path: &Path) -> u64 {
    let entries = WalkDir::new(path).into_iter().take(MOST_ENTRIES).filter_map(Result::ok);
    let files = entries.filter_map(|entry| entry.metadata().ok()).filter(fs::Metadata::is_file);
    files.map(|file| file.len()).sum()
}

/// Bytes of the catalog with its journal.
pub(super) fn catalog_bytes(folder: &Path) -> u64 {
    ["catalog.sqlite", "catalog.sqlite-wal"].iter().map(|name| bytes_of(&folder.join(name))).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_those_of_the_files() {
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
