//! The table `[embedder]`: the model that turns texts into vectors, as written ([`EmbedderConfig`]) and as checked
//! ([`EmbedderSettings`]).

use std::path::PathBuf;
use std::time::Duration;

use annals_core::Fault;
use schemars::JsonSchema;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};

use super::check::Checker;
use super::{DurationSetting, EndpointConfig, redacted, secret};

/// The value of `model` that selects the model compiled into the program.
pub const BUILT_IN: &str = "built-in";

/// Base URL of the hub that models are pulled from, unless another is configured.
const HUB: &str = "https://huggingface.co";

/// Default and maximum time limit for one request to an endpoint, which may hold many texts.
const TIMEOUT: (Duration, Duration) = (Duration::from_secs(60), Duration::from_secs(600));

/// Default number of tokens that an endpoint's model reads of a text. Most models read more, but search finds shorter texts
/// better.
const WINDOW: u64 = 512;

/// Maximum number of components that `dimension` may name.
const MAX_COMPONENTS: u64 = 16_384;

/// How the vectors of a text's tokens become one vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PoolingConfig {
    /// The mean of all tokens.
    Mean,
    /// The vector of the first token.
    Cls,
    /// The vector of the last token.
    LastToken,
    /// The largest value of each component.
    Max,
}

/// The table `[embedder]`. With `base_url`, the model of an endpoint; otherwise the built-in model or one in a folder.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EmbedderConfig {
    /// `built-in`, the name of a model that `annals model pull` fetched, or a folder with an ONNX model. With `base_url`, the
    /// name of the endpoint's model.
    pub model: Option<String>,
    /// Text that is put before each query of a search. Overrides what the files of the model say.
    pub query_prefix: Option<String>,
    /// Text that is put before each stored text when it is embedded. Overrides what the files of the model say.
    pub passage_prefix: Option<String>,
    /// Number of tokens of one text that the model reads. Overrides what the files of the model say. 512 for an endpoint if
    /// unset.
    pub window: Option<u64>,
    /// The ONNX file in the folder of the model, if there are several.
    pub file: Option<PathBuf>,
    /// How the vectors of tokens become one vector. Overrides what the files of the model say.
    pub pooling: Option<PoolingConfig>,
    /// The file of ONNX Runtime's library, or `off`. If unset, it is looked for beside the program and in the library folders
    /// of the system. Without it, a slower runtime that is compiled in is used.
    pub onnxruntime: Option<String>,
    /// Base URL of an endpoint, to which `/embeddings` is appended: `http://127.0.0.1:11434/v1`.
    pub base_url: Option<String>,
    /// The API key itself. Prefer `key_env`.
    #[serde(default, deserialize_with = "secret", serialize_with = "redacted")]
    #[schemars(with = "Option<String>")]
    pub key: Option<SecretString>,
    /// Name of the environment variable that holds the key.
    pub key_env: Option<String>,
    /// Number of components of the endpoint's vectors. If unset, it is found out once by embedding a text.
    pub dimension: Option<u64>,
    /// Maximum time for one request to the endpoint: seconds or a duration, at most ten minutes. One minute if unset.
    pub timeout: Option<DurationSetting>,
    /// Whether host names of the endpoint and the hub may resolve to this machine or the local network.
    pub local_network: Option<bool>,
    /// Where `annals model pull` fetches models: a server with the layout of the Hugging Face hub.
    pub hub: Option<String>,
}

/// The table `[embedder]`, checked and complete.
#[derive(Clone, Debug)]
pub struct EmbedderSettings {
    pub choice: EmbedderChoice,
    /// The file of ONNX Runtime's library, or `off`; `None` if it is looked for in the usual places.
    pub onnxruntime: Option<String>,
    /// Where models are pulled from, without a trailing slash.
    pub hub: String,
    /// Whether the hub's name may resolve to this machine or the local network.
    pub local_network: bool,
    /// The table as it was before the check, without a key: what opens this model again once another one is configured.
    pub table: EmbedderConfig,
}

/// The model that embeds texts and queries.
#[derive(Clone, Debug)]
pub enum EmbedderChoice {
    /// The model that is compiled in.
    BuiltIn,
    Folder(FolderModel),
    Endpoint(EmbeddingModel),
}

/// A model in a folder. A setting that is `None` is taken from the files of the model.
#[derive(Clone, Debug, Default)]
pub struct FolderModel {
    /// The name of a pulled model, or the folder.
    pub model: String,
    /// The ONNX file in the folder; `None`: the one that a pull recorded, or else the first of the usual names that exists.
    pub file: Option<PathBuf>,
    pub pooling: Option<PoolingConfig>,
    /// Text that is put before each query of a search.
    pub query_prefix: Option<String>,
    /// Text that is put before each stored text when it is embedded.
    pub passage_prefix: Option<String>,
    /// Number of tokens of one text that the model reads.
    pub window: Option<usize>,
}

/// A model behind an endpoint, checked and complete.
#[derive(Clone, Debug)]
pub struct EmbeddingModel {
    /// Base URL, without a trailing slash.
    pub base_url: String,
    /// API key; `None` for servers that need no key.
    pub key: Option<SecretString>,
    pub name: String,
    /// Number of components of each vector; `None` if the endpoint decides.
    pub dimension: Option<usize>,
    /// Number of tokens of one text that the model reads.
    pub window: u64,
    /// Text that is put before each query of a search.
    pub query_prefix: String,
    /// Text that is put before each stored text when it is embedded.
    pub passage_prefix: String,
    /// Maximum time for one request, which may contain many texts.
    pub timeout: Duration,
    /// Whether the host name may resolve to this machine or the local network.
    pub local_network: bool,
}

impl EmbedderConfig {
    /// Checks and completes the table, or returns every fault in it. `variable` looks up environment variables.
    pub fn check(self, variable: impl Fn(&str) -> Option<String>) -> Result<EmbedderSettings, Vec<Fault>> {
        let local_network = self.local_network.unwrap_or_default();
        let mut checker = Checker::new(variable, local_network);
        let hub = checker.base_url("embedder", "hub", Some(self.hub.as_deref().unwrap_or(HUB))).unwrap_or_default();
        if self.window.is_some_and(|window| !(16..=1 << 20).contains(&window)) {
            checker.fault("embedder", "window", "is not between 16 and 1048576");
        }
        if self.model.as_ref().is_some_and(|model| model.contains(char::is_control)) {
            checker.fault("embedder", "model", "contains control characters");
        }
        for (field, reason) in self.without_effect() {
            checker.fault("embedder", field, reason);
        }
        let onnxruntime = self.onnxruntime.clone();
        let table = EmbedderConfig { key: None, ..self.clone() };
        let choice = if self.base_url.is_some() {
            self.endpoint(&mut checker).map(EmbedderChoice::Endpoint)
        } else {
            match self.folder_model() {
                None => Some(EmbedderChoice::BuiltIn),
                Some(model) => Some(EmbedderChoice::Folder(self.folder(model))),
            }
        };
        match choice {
            Some(choice) if checker.faults.is_empty() => {
                Ok(EmbedderSettings { choice, onnxruntime, hub, local_network, table })
            }
            _ => Err(checker.faults),
        }
    }

    /// Returns the name of a model in a folder; `None` for the built-in model.
    fn folder_model(&self) -> Option<&str> {
        self.model.as_deref().map(str::trim).filter(|model| !matches!(*model, "" | BUILT_IN))
    }

    /// Returns the settings that are given although this kind of model does not use them, each with the reason.
    fn without_effect(&self) -> Vec<(&'static str, &'static str)> {
        let of_endpoints = [
            ("dimension", self.dimension.is_some()),
            ("timeout", self.timeout.is_some()),
            ("key", self.key.is_some()),
            ("key_env", self.key_env.is_some()),
        ];
        let of_folders = [("file", self.file.is_some()), ("pooling", self.pooling.is_some())];
        let of_both = [
            ("query_prefix", self.query_prefix.is_some()),
            ("passage_prefix", self.passage_prefix.is_some()),
            ("window", self.window.is_some()),
        ];
        let set = |keys: &[(&'static str, bool)], reason| -> Vec<(&'static str, &'static str)> {
            keys.iter().filter(|(_, is_set)| *is_set).map(|(key, _)| (*key, reason)).collect()
        };
        if self.base_url.is_some() {
            return set(&of_folders, "is for a model in a folder; an endpoint does not use it");
        }
        let mut unused = set(&of_endpoints, "is for an endpoint; set base_url too, or remove it");
        if self.folder_model().is_none() {
            unused.extend(set(&of_folders, "is for a model in a folder; the built-in model does not use it"));
            unused.extend(set(&of_both, "does not apply to the built-in model; set model too, or remove it"));
        }
        unused
    }

    fn folder(&self, model: &str) -> FolderModel {
        FolderModel {
            model: model.to_owned(),
            file: self.file.clone(),
            pooling: self.pooling,
            query_prefix: self.query_prefix.clone(),
            passage_prefix: self.passage_prefix.clone(),
            window: self.window.and_then(|window| usize::try_from(window).ok()),
        }
    }

    fn endpoint<V: Fn(&str) -> Option<String>>(self, checker: &mut Checker<V>) -> Option<EmbeddingModel> {
        let endpoint = EndpointConfig { key: self.key, key_env: self.key_env, ..EndpointConfig::default() };
        let key = checker.key_of("embedder", endpoint).key;
        let base_url = checker.base_url("embedder", "base_url", self.base_url.as_deref());
        let timeout = checker.timeout("embedder", self.timeout.as_ref(), TIMEOUT);
        let name = self.model.filter(|name| !name.trim().is_empty());
        if name.is_none() {
            checker.fault("embedder", "model", "is missing");
        }
        if self.dimension.is_some_and(|dimension| !(1..=MAX_COMPONENTS).contains(&dimension)) {
            let reason = format!("must be the number of components of the model's vectors, 1 to {MAX_COMPONENTS}");
            checker.fault("embedder", "dimension", reason);
        }
        Some(EmbeddingModel {
            base_url: base_url?,
            key,
            name: name?,
            dimension: self.dimension.and_then(|dimension| usize::try_from(dimension).ok()),
            window: self.window.unwrap_or(WINDOW),
            query_prefix: self.query_prefix.unwrap_or_default(),
            passage_prefix: self.passage_prefix.unwrap_or_default(),
            timeout,
            local_network: self.local_network.unwrap_or_default(),
        })
    }
}
