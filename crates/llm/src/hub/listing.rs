//! The files of a model as a hub lists them, and the selection of those that are needed.

use std::path::{Component, Path};

use annals_core::{Error, Result};
use serde_json::Value;

use super::MAX_FILE_BYTES;

/// Files besides the ONNX file that describe how the model is used.
const ABOUT: [&str; 7] = [
    "tokenizer.json",
    "config.json",
    "modules.json",
    "1_Pooling/config.json",
    "config_sentence_transformers.json",
    "sentence_bert_config.json",
    "tokenizer_config.json",
];

/// Paths of ONNX files, best first.
const NETWORKS: [&str; 4] = ["onnx/model.onnx", "model.onnx", "onnx/model_quantized.onnx", "model_quantized.onnx"];

/// A model's files at one commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    /// Owner and name: `intfloat/multilingual-e5-small`.
    pub repo: String,
    /// The commit of the files: 40 hex digits.
    pub revision: String,
    pub files: Vec<HubFile>,
}

/// One file of a model, as the hub lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HubFile {
    /// Path relative to the model's folder, with slashes.
    pub path: String,
    /// Size in bytes.
    pub size: u64,
    /// The checksum that the content must have.
    pub checksum: Checksum,
}

/// A checksum in lower-case hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Checksum {
    /// SHA-256 of the content: files in large-file storage.
    Sha256(String),
    /// SHA-1 of a git object with the content: all other files.
    Git(String),
}

/// Checks that a repository and a revision can safely be part of a URL. Fails otherwise.
pub(super) fn check_name(repo: &str, revision: &str) -> Result<()> {
    let is_word = |word: &str| {
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
        !word.is_empty() && word.len() <= 96 && !word.starts_with('.') && word.bytes().all(allowed)
    };
    if repo.split('/').count() != 2 || !repo.split('/').all(is_word) {
        return Err(Error::invalid("the model", "must be OWNER/NAME, such as intfloat/multilingual-e5-small"));
    }
    if is_word(revision) { Ok(()) } else { Err(Error::invalid("--revision", "must be a branch, a tag or a commit")) }
}

/// Returns the commit in the hub's answer about a revision; `None` if it has none.
pub(super) fn commit(about: &Value) -> Option<&str> {
    about["sha"].as_str().filter(|sha| is_hex(sha, 40))
}

/// Returns the listed files, or what is wrong with the listing.
pub(super) fn files(tree: &Value) -> std::result::Result<Vec<HubFile>, &'static str> {
    let entries = tree.as_array().ok_or("is no list of files")?;
    entries.iter().filter(|entry| entry["type"] == "file").map(file).collect()
}

fn file(entry: &Value) -> std::result::Result<HubFile, &'static str> {
    let path =
        entry["path"].as_str().filter(|path| is_inside(path)).ok_or("lists a path that leads out of the folder")?;
    let large = &entry["lfs"];
    let size = large["size"].as_u64().or(entry["size"].as_u64()).filter(|size| *size <= MAX_FILE_BYTES);
    let sha256 = large["oid"].as_str().map(|oid| oid.trim_start_matches("sha256:"));
    let checksum = match (sha256, entry["oid"].as_str()) {
        (Some(sum), _) if is_hex(sum, 64) => Checksum::Sha256(sum.to_owned()),
        (None, Some(sum)) if is_hex(sum, 40) => Checksum::Git(sum.to_owned()),
        _ => return Err("lists a file without a checksum"),
    };
    Ok(HubFile { path: path.to_owned(), size: size.ok_or("lists a file that is too large")?, checksum })
}

fn is_inside(path: &str) -> bool {
    let is_plain = Path::new(path).components().all(|part| matches!(part, Component::Normal(_)));
    is_plain && !path.is_empty() && path.len() <= 200 && !path.contains(['\\', '\0', ':'])
}

fn is_hex(text: &str, length: usize) -> bool {
    text.len() == length && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Returns the ONNX file to use, and all files to fetch, including that one. Uses the file `named`, or else the best. Fails
/// with [`Error::Invalid`] if the listing has no such file or no `tokenizer.json`.
pub fn fetched_files<'l>(listing: &'l Listing, named: Option<&str>) -> Result<(&'l HubFile, Vec<&'l HubFile>)> {
    let find = |path: &str| listing.files.iter().find(|file| file.path == path);
    let network = match named {
        Some(path) => find(path),
        None => NETWORKS.iter().find_map(|path| find(path)),
    };
    let network = network.ok_or_else(|| {
        let others = listing.files.iter().filter(|file| file.path.ends_with(".onnx"));
        let others: Vec<&str> = others.map(|file| &*file.path).collect();
        let found = if others.is_empty() { "no ONNX file".to_owned() } else { others.join(", ") };
        Error::invalid("--file", format!("is not in the model, which has {found}"))
    })?;
    if find(ABOUT[0]).is_none() {
        return Err(Error::invalid("the model", "has no tokenizer.json"));
    }
    let weights = [format!("{}_data", network.path), format!("{}.data", network.path)];
    let about = ABOUT.iter().filter_map(|path| find(path));
    let files = about.chain([network]).chain(weights.iter().filter_map(|path| find(path)));
    Ok((network, files.collect()))
}
