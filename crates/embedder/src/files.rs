//! The files of a model, compiled in or in a folder: `model.onnx`, `tokenizer.json`, and `SHA256SUMS` with the checksums of
//! the two.
//!
//! Files from a folder are verified before use, because a damaged model yields wrong vectors without an error. Never writes.

use std::borrow::Cow;
use std::fmt::Write;
use std::path::Path;

use annals_core::{Error, Result};
use sha2::{Digest, Sha256};

const MODEL: &str = "model.onnx";
const TOKENIZER: &str = "tokenizer.json";
const SUMS: &str = "SHA256SUMS";

/// The files of a model in memory.
pub(crate) struct ModelFiles {
    /// The folder's name and the first 12 digits of the SHA-256 of `SHA256SUMS`, as in `all-MiniLM-L6-v2@0123456789ab`.
    pub name: String,
    /// `model.onnx`, the network.
    pub model: Cow<'static, [u8]>,
    /// `tokenizer.json`, which also sets how many tokens the network takes.
    pub tokenizer: Cow<'static, [u8]>,
}

macro_rules! bundled {
    ($file:literal) => {
        include_bytes!(concat!("../../../models/all-MiniLM-L6-v2/", $file))
    };
}

impl ModelFiles {
    /// Returns the model that is compiled into the binary.
    pub(crate) fn bundled() -> ModelFiles {
        ModelFiles {
            name: revision("all-MiniLM-L6-v2", bundled!("SHA256SUMS")),
            model: Cow::Borrowed(bundled!("model.onnx")),
            tokenizer: Cow::Borrowed(bundled!("tokenizer.json")),
        }
    }

    /// Reads a model from a folder and verifies its files against `SHA256SUMS`. The folder's name becomes the model's name.
    pub(crate) fn read(folder: &Path) -> Result<ModelFiles> {
        let sums = read(&folder.join(SUMS))?;
        let listed = String::from_utf8_lossy(&sums);
        let name = folder.file_name().unwrap_or(folder.as_os_str()).to_string_lossy();
        Ok(ModelFiles {
            name: revision(&name, &sums),
            model: checked(folder, MODEL, &listed)?.into(),
            tokenizer: checked(folder, TOKENIZER, &listed)?.into(),
        })
    }
}

fn checked(folder: &Path, file: &str, sums: &str) -> Result<Vec<u8>> {
    let path = folder.join(file);
    let expected = expected(sums, file)
        .ok_or_else(|| Error::damaged(folder.join(SUMS).display().to_string(), format!("it has no line for {file}")))?;
    let bytes = read(&path)?;
    let found = sha256(&bytes);
    if !found.eq_ignore_ascii_case(expected) {
        let why = format!("its SHA-256 is {found}, but {SUMS} says {expected}");
        return Err(Error::damaged(path.display().to_string(), why));
    }
    Ok(bytes)
}

/// Returns the checksum of a file from text in the format of `sha256sum`: digits, a space, a space or an asterisk, the name.
fn expected<'a>(sums: &'a str, file: &str) -> Option<&'a str> {
    sums.lines().find_map(|line| {
        let (sum, name) = line.split_once(' ')?;
        (name.trim_start_matches([' ', '*']) == file).then_some(sum)
    })
}

fn read(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).map_err(|error| Error::storage(format!("cannot read {}", path.display()), error))
}

fn revision(name: &str, sums: &[u8]) -> String {
    format!("{name}@{}", &sha256(sums)[..12])
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("a string takes all that is written to it");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(change: impl Fn(&Path)) -> Result<ModelFiles> {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("tiny");
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(folder.join(MODEL), "network").unwrap();
        std::fs::write(folder.join(TOKENIZER), "words").unwrap();
        let sums = format!("{}  {MODEL}\n{} *{TOKENIZER}\n", sha256(b"network"), sha256(b"words"));
        std::fs::write(folder.join(SUMS), sums).unwrap();
        change(&folder);
        ModelFiles::read(&folder)
    }

    fn check(change: impl Fn(&Path), expect: &[&str]) {
        let error = folder(change).map(|files| files.name).unwrap_err().to_string();
        for part in expect {
            assert!(error.contains(part), "{error:?} lacks {part:?}");
        }
    }

    #[test]
    fn intact_folder_is_read() {
        let files = folder(|_| ()).unwrap();
        assert!(files.name.starts_with("tiny@"));
        assert_eq!(files.name.len(), "tiny@".len() + 12);
        assert_eq!((&*files.model, &*files.tokenizer), (&b"network"[..], &b"words"[..]));
    }

    #[test]
    fn changed_file_is_refused_with_both_checksums() {
        let change = |folder: &Path| std::fs::write(folder.join(MODEL), "netwrok").unwrap();
        check(change, &["tiny/model.onnx", &sha256(b"network"), &sha256(b"netwrok")]);
    }

    #[test]
    fn missing_file_is_named() {
        check(|folder| std::fs::remove_file(folder.join(TOKENIZER)).unwrap(), &["cannot read", "tokenizer.json"]);
        check(|folder| std::fs::remove_file(folder.join(SUMS)).unwrap(), &["cannot read", "SHA256SUMS"]);
    }

    #[test]
    fn missing_checksum_line_is_an_error() {
        check(|folder| std::fs::write(folder.join(SUMS), "").unwrap(), &["SHA256SUMS is damaged", "model.onnx"]);
    }

    #[test]
    fn bundled_files_match_their_checksums() {
        let (files, sums) = (ModelFiles::bundled(), include_str!("../../../models/all-MiniLM-L6-v2/SHA256SUMS"));
        assert_eq!(expected(sums, MODEL), Some(&*sha256(&files.model)));
        assert_eq!(expected(sums, TOKENIZER), Some(&*sha256(&files.tokenizer)));
    }
}
