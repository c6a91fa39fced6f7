//! Reads a model folder of the usual form: an ONNX file, `tokenizer.json`, and what sentence-transformers writes beside them.
//!
//! Settings take precedence over the folder's files, and these files over the defaults of the model's family. If none of them
//! has a network, tokenizer or window, the error says which is missing. Missing prefixes are empty, and pooling may be missing
//! if the network pools. Never writes. The name of the model does not depend on the place of the folder.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use annals_core::{Error, Result};
use serde::Deserialize;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::families::{Family, family_of};
use crate::files::{ModelFiles, SUMS, TOKENIZER, read, sha256};
use crate::graph::{Source, weights};
use crate::pooling::Pooling;
use crate::sums::{Sum, compared, inside, sum};

/// The files in which the network is looked for, in this order, if neither the settings nor the record of a pull name one.
const NETWORKS: [&str; 4] = ["model.onnx", "onnx/model.onnx", "onnx/model_quantized.onnx", "model_quantized.onnx"];

/// The file in which a pull records the model's origin and the checksums of its files.
const SOURCE: &str = "source.json";
pub(crate) const CONFIG: &str = "config.json";
const MODULES: &str = "modules.json";
const POOLING: &str = "1_Pooling/config.json";
const PROMPTS: &str = "config_sentence_transformers.json";

/// The fields that set the window, as an error names them.
pub(crate) const WINDOW: &str =
    "max_seq_length in sentence_bert_config.json, or model_max_length in tokenizer_config.json";

/// The largest window that is accepted from a file, in tokens. A larger number is ignored: some files have 10^30 for "unknown".
const MAX_WINDOW: u64 = 131_072;

/// Settings that override what a folder says. `None` leaves the value to the folder. They do not apply to a folder that
/// `models/export.py` wrote.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The ONNX file, relative to the folder.
    pub file: Option<PathBuf>,
    /// How the vectors of tokens are pooled into one.
    pub pooling: Option<Pooling>,
    /// Text that is put before a question when it is embedded.
    pub query_prefix: Option<String>,
    /// Text that is put before a stored text when it is embedded.
    pub passage_prefix: Option<String>,
    /// Maximum number of tokens that the model reads.
    pub window: Option<usize>,
}

/// The origin of a pulled model, as the pull recorded it.
#[derive(Deserialize)]
pub(crate) struct Pulled {
    repo: String,
    pub(crate) file: Option<PathBuf>,
    /// The SHA-256 of each file. Empty if an earlier version of Annals pulled the model.
    #[serde(default)]
    pub(crate) sha256: BTreeMap<String, String>,
}

/// Reads a model folder: one of the usual form, or one that `models/export.py` wrote, which has checksums and no `config.json`.
/// Fails if `options` are given for the second kind: its vectors and their name depend on its own files alone.
pub(crate) fn read_folder(folder: &Path, options: &Options) -> Result<ModelFiles> {
    if folder.join(SUMS).exists() && !folder.join(CONFIG).exists() {
        if *options != Options::default() {
            let reason =
                format!("has {SUMS} and no {CONFIG}, so file, pooling, prefixes and window cannot be set for it");
            return Err(Error::invalid(folder.display().to_string(), reason));
        }
        return ModelFiles::read(folder);
    }
    let pulled = pulled(folder)?;
    let sums = pulled.as_ref().map(|pulled| compared(folder, &pulled.sha256)).transpose()?.unwrap_or_default();
    if let Some(file) = pulled.as_ref().and_then(|pulled| pulled.file.as_deref()) {
        inside(folder, file)?;
    }
    let tokenizer = read(&folder.join(TOKENIZER))?;
    let config = json(folder, CONFIG)?.unwrap_or_default();
    let network = network(folder, options.file.clone().or_else(|| pulled.as_ref().and_then(|it| it.file.clone())))?;
    let name = name(pulled.as_ref(), &config);
    let family = family_of(&name);
    let pooling = pooling(folder, options, family)?;
    let (query_prefix, passage_prefix) = prefixes(folder, options, family)?;
    let window = Some(match options.window {
        Some(window) => window,
        None => window(folder, &config)?.ok_or_else(|| lacks(folder, &format!("{WINDOW}; or set embedder.window")))?,
    });
    let decides = (pooling.map(Pooling::as_str), &query_prefix, &passage_prefix, window);
    let digest = digest(&network, &sums, &tokenizer, &format!("{decides:?}"))?;
    let name = format!("{name}@{digest}");
    let (model, tokenizer) = (Source::File(network), tokenizer.into());
    Ok(ModelFiles { name, model, tokenizer, window, pooling, query_prefix, passage_prefix })
}

/// Returns the last part of the model's name, from the record of the pull or from `config.json` (`_name_or_path`, otherwise
/// `model_type`); "model" if none of them has a usable name. Ignores the name of the folder, which may change.
pub(crate) fn name(pulled: Option<&Pulled>, config: &Value) -> String {
    let words = [pulled.map(|pulled| &*pulled.repo), config["_name_or_path"].as_str(), config["model_type"].as_str()];
    let last = |word: &str| word.trim_end_matches('/').rsplit('/').next().map(str::to_owned);
    let is_name = |name: &String| name.bytes().any(|byte| byte.is_ascii_alphanumeric()) && name.len() <= 100;
    words.into_iter().flatten().filter_map(last).find(is_name).unwrap_or_else(|| "model".into())
}

pub(crate) fn network(folder: &Path, named: Option<PathBuf>) -> Result<PathBuf> {
    if let Some(file) = named {
        let path = folder.join(&file);
        return if path.is_file() { Ok(path) } else { Err(lacks(folder, &file.display().to_string())) };
    }
    let found = NETWORKS.iter().map(|file| folder.join(file)).find(|path| path.is_file());
    found.ok_or_else(|| lacks(folder, &format!("a network: {}", NETWORKS.join(", or "))))
}

fn pooling(folder: &Path, options: &Options, family: Option<&Family>) -> Result<Option<Pooling>> {
    if let Some(modules) = json(folder, MODULES)? {
        let types = modules.as_array().into_iter().flatten().filter_map(|module| module["type"].as_str());
        if let Some(other) = types.filter_map(|name| name.rsplit('.').next()).find(|name| *name == "Dense") {
            let reason = format!("lists a layer {other} after pooling, which is not supported");
            return Err(Error::invalid(folder.join(MODULES).display().to_string(), reason));
        }
    }
    if options.pooling.is_some() {
        return Ok(options.pooling);
    }
    let Some(config) = json(folder, POOLING)? else { return Ok(family.map(|family| family.pooling)) };
    let fields = [
        ("pooling_mode_mean_tokens", Pooling::Mean),
        ("pooling_mode_cls_token", Pooling::Cls),
        ("pooling_mode_lasttoken", Pooling::LastToken),
        ("pooling_mode_max_tokens", Pooling::Max),
    ];
    let is_set =
        |(field, pooling): &(&str, Pooling)| config[*field] == true || config["pooling_mode"] == pooling.as_str();
    let mut set = fields.iter().filter(|field| is_set(field)).map(|(_, pooling)| *pooling);
    match (set.next(), set.next()) {
        (Some(pooling), None) => Ok(Some(pooling)),
        _ => {
            let fields = fields.map(|(field, _)| field).join(", ");
            let reason = format!("must set exactly one of {fields}; or set embedder.pooling");
            Err(Error::invalid(folder.join(POOLING).display().to_string(), reason))
        }
    }
}

fn prefixes(folder: &Path, options: &Options, family: Option<&Family>) -> Result<(String, String)> {
    let prompts = json(folder, PROMPTS)?.map(|config| config["prompts"].clone()).unwrap_or_default();
    let written = |names: &[&str]| names.iter().find_map(|name| prompts[*name].as_str()).map(str::to_owned);
    let (query, passage) = (written(&["query"]), written(&["passage", "document", "corpus"]));
    // Newer folders have empty prompts for models that need prefixes, so empty prompts count as missing.
    let known =
        family.filter(|_| query.as_deref().unwrap_or("").is_empty() && passage.as_deref().unwrap_or("").is_empty());
    let of_family = known.map(|family| (family.query_prefix.to_owned(), family.passage_prefix.to_owned()));
    let (query, passage) = of_family.unwrap_or((query.unwrap_or_default(), passage.unwrap_or_default()));
    Ok((options.query_prefix.clone().unwrap_or(query), options.passage_prefix.clone().unwrap_or(passage)))
}

/// Returns the number of tokens that a model reads: the first number from 8 to [`MAX_WINDOW`] in its files, but at most the
/// number of its positions. Returns `None` if no file has such a number.
pub(crate) fn window(folder: &Path, config: &Value) -> Result<Option<usize>> {
    let sentences = json(folder, "sentence_bert_config.json")?.unwrap_or_default();
    let tokenizer = json(folder, "tokenizer_config.json")?.unwrap_or_default();
    // Models of RoBERTa's family number positions from after the padding token's id, so they have fewer usable positions.
    let is_roberta = config["model_type"].as_str().is_some_and(|kind| kind.contains("roberta"));
    let before = if is_roberta { config["pad_token_id"].as_u64().unwrap_or(1) + 1 } else { 0 };
    let positions = config["max_position_embeddings"].as_u64().map(|positions| positions.saturating_sub(before));
    let written = [sentences["max_seq_length"].as_u64(), tokenizer["model_max_length"].as_u64(), positions];
    let first = written.into_iter().flatten().find(|window| (8..=MAX_WINDOW).contains(window));
    let window = first.map(|window| window.min(positions.unwrap_or(window)));
    Ok(window.and_then(|window| usize::try_from(window).ok()))
}

/// Returns 12 hexadecimal digits of a SHA-256 over everything that affects vectors: network, weights, tokenizer and `rest`.
fn digest(network: &Path, known: &HashMap<PathBuf, Sum>, tokenizer: &[u8], rest: &str) -> Result<String> {
    let mut digest = Sha256::new();
    for path in std::iter::once(network.to_owned()).chain(weights(network)) {
        digest.update(known.get(&path).map_or_else(|| sum(&path), |sum| Ok(*sum))?);
    }
    digest.update(Sha256::digest(tokenizer));
    digest.update(rest);
    Ok(sha256(&digest.finalize())[..12].to_owned())
}

pub(crate) fn pulled(folder: &Path) -> Result<Option<Pulled>> {
    let Some(value) = json(folder, SOURCE)? else { return Ok(None) };
    let read = serde_json::from_value(value);
    read.map(Some).map_err(|error| Error::damaged(folder.join(SOURCE).display().to_string(), error))
}

/// Reads a JSON file of the folder; `None` if there is none.
pub(crate) fn json(folder: &Path, file: &str) -> Result<Option<Value>> {
    let path = folder.join(file);
    if !path.exists() {
        return Ok(None);
    }
    let value = serde_json::from_slice(&read(&path)?);
    value.map(Some).map_err(|error| Error::damaged(path.display().to_string(), error))
}

pub(crate) fn lacks(folder: &Path, what: &str) -> Error {
    Error::invalid(folder.display().to_string(), format!("lacks {what}"))
}

#[cfg(test)]
mod tests;
