//! Replaces a folder by the files with one JSON message per line that are directly in it, in order of name.

use std::path::{Path, PathBuf};

use annals_core::{Error, Result};

use crate::failure::unreadable;
use crate::source::is_ours;

/// Returns the paths with each folder replaced by its `.jsonl` and `.jsonl.gz` files, sorted by name. Hidden and other files in
/// it are left out. Returns an error for a folder without such files.
pub(super) fn expanded(paths: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut all = Vec::new();
    for path in paths {
        if !path.is_dir() {
            all.push(path.clone());
            continue;
        }
        let files = files(path)?;
        if files.is_empty() {
            let reason = format!("{} is a folder without .jsonl files; name the files to import", path.display());
            return Err(Error::invalid("path", reason));
        }
        all.extend(files);
    }
    Ok(all)
}

/// Returns whether a path is a folder in which a `.jsonl` or `.jsonl.gz` file begins with a message or a record of an export.
pub(super) fn has_messages(path: &Path) -> Result<bool> {
    if !path.is_dir() {
        return Ok(false);
    }
    for file in files(path)? {
        if is_ours(&file).map_err(|cause| unreadable(&file, cause))? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns the JSON Lines files directly in a folder, without hidden ones, sorted by name.
fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let failed = |cause| unreadable(folder, cause);
    let mut files = Vec::new();
    for entry in folder.read_dir().map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        if (name.ends_with(".jsonl") || name.ends_with(".jsonl.gz")) && !name.starts_with('.') && path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folder_is_replaced_by_its_json_lines_files_in_order_of_name() {
        fn check(files: &[&str], expect: &[&str]) {
            let folder = tempfile::tempdir().unwrap();
            for file in files {
                let path = folder.path().join(file);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, "").unwrap();
            }
            let found = expanded(&[folder.path().to_owned(), PathBuf::from("other.txt")]).unwrap_or_default();
            let names: Vec<_> = found.iter().map(|path| path.file_name().unwrap().to_string_lossy()).collect();
            assert_eq!(names, expect, "{files:?}");
        }
        check(&["b.jsonl", "a.jsonl", "10.jsonl"], &["10.jsonl", "a.jsonl", "b.jsonl", "other.txt"]);
        check(
            &["a.JSONL", "b.jsonl.gz", ".c.jsonl", "d.json", "e.md", "f/g.jsonl"],
            &["a.JSONL", "b.jsonl.gz", "other.txt"],
        );
        check(&["e.md"], &[]);
    }
}
