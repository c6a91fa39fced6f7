//! The files of a model, and the model that is compiled in: `model.onnx`, `tokenizer.json`, and `SHA256SUMS` with the checksums
//! of the two. Also reads a folder with these three files; [`crate::folder`] reads the usual form.
//!
//! Files from a folder are verified before use, because a damaged model yields wrong vectors without an error. Never writes.

use std::borrow::Cow;
use std::fmt::Write;
use std::path::Path;

use annals_core::{Error, Result};
use sha2::{Digest, Sha256};

use crate::graph::Source;
use crate::pooling::Pooling;

const MODEL: &str = "model.onnx";
pub(crate) const TOKENIZER: &str = "tokenizer.json";
pub(crate) const SUMS: &str = "SHA256SUMS";

/// Everything that is needed to embed with a model.
pub(crate) struct ModelFiles {
    /// The model's name and 12 hexadecimal digits of a checksum over everything that affects vectors, as in
    /// `all-MiniLM-L6-v2@0123456789ab`.
    pub name: String,
    pub model: Source,
    /// The content of `tokenizer.json`.
    pub tokenizer: Cow<'static, [u8]>,
    /// The maximum number of tokens that the network takes. If unset, `tokenizer.json` sets it.
    pub window: Option<usize>,
    /// How the vectors of tokens are pooled into one. `None` if the network does that, or if nothing says how.
    pub pooling: Option<Pooling>,
    /// Text that is put before a question when it is embedded; may be empty.
    pub query_prefix: String,
    /// Text that is put before a stored text when it is embedded; may be empty.
    pub passage_prefix: String,
}

macro_rules! bundled {
    ($file:literal) => {
        include_bytes!(concat!("../../../models/all-MiniLM-L6-v2/", $file))
    };
}

impl ModelFiles {
    /// Returns the model that is compiled into the binary.
    pub(crate) fn bundled() -> ModelFiles {
        let name = revision("all-MiniLM-L6-v2", bundled!("SHA256SUMS"));
        ModelFiles::plain(name, Source::Bundled(bundled!("model.onnx")), Cow::Borrowed(bundled!("tokenizer.json")))
    }

    /// Returns a model that pools in the network, has its window set in the tokenizer, and needs no prefixes.
    fn plain(name: String, model: Source, tokenizer: Cow<'static, [u8]>) -> ModelFiles {
        let (query_prefix, passage_prefix) = Default::default();
        ModelFiles { name, model, tokenizer, window: None, pooling: None, query_prefix, passage_prefix }
    }

    /// Reads a model from a folder and verifies its files against `SHA256SUMS`. Fails if a file differs or is not listed there.
    /// The folder's name becomes the model's name.
    pub(crate) fn read(folder: &Path) -> Result<ModelFiles> {
        let sums = read(&folder.join(SUMS))?;
        let listed = String::from_utf8_lossy(&sums);
        let name = folder.file_name().unwrap_or(folder.as_os_str()).to_string_lossy();
        checked(folder, MODEL, &listed)?;
        let (model, tokenizer) = (Source::File(folder.join(MODEL)), checked(folder, TOKENIZER, &listed)?);
        Ok(ModelFiles::plain(revision(&name, &sums), model, tokenizer.into()))
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
/// Returns `None` if no line names the file.
fn expected<'a>(sums: &'a str, file: &str) -> Option<&'a str> {
    sums.lines().find_map(|line| {
        let (sum, name) = line.split_once(' ')?;
        (name.trim_start_matches([' ', '*']) == file).then_some(sum)
    })
}

pub(crate) fn read(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).map_err(|error| Error::storage(format!("cannot read {}", path.display()), error))
}

fn revision(name: &str, sums: &[u8]) -> String {
    format!("{name}@{}", &sha256(sums)[..12])
}

pub(crate) fn sha256(bytes: &[u8]) -> String {
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
        assert_eq!(&*files.tokenizer, b"words");
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
        assert_eq!(expected(sums, MODEL), Some(&*sha256(bundled!("model.onnx"))));
        assert_eq!(expected(sums, TOKENIZER), Some(&*sha256(&files.tokenizer)));
    }
}
