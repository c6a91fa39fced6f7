//! Configuration of the models: the table `[models]` of `annals.toml` as written ([`ModelsConfig`]), and as checked and
//! completed ([`Models`]).
//!
//! Reads neither files nor the environment: the caller parses the file and passes a function that looks up variables. API keys
//! are held in [`SecretString`] from parsing on, so `{:?}` never shows one.

mod api;
mod check;
mod duration;
mod embedder;
mod grounding;
mod shares;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use annals_core::ports::ReadingSchedule;
use annals_core::{Fault, Purpose};
use schemars::JsonSchema;
use secrecy::SecretString;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value};

use check::{Checker, merged};

pub use api::{Api, JsonMode, Reasoning};
pub use duration::DurationSetting;
pub use embedder::{
    BUILT_IN, EmbedderChoice, EmbedderConfig, EmbedderSettings, EmbeddingModel, FolderModel, PoolingConfig,
};
pub use grounding::{GroundingConfig, GroundingModel, Ungrounded};
pub use shares::Shares;

/// Default limit of tokens per agent and day. A day of conversation costs a few thousand.
const DAILY_TOKENS: u64 = 200_000;

/// Default limits of tokens per day for all agents of a workspace and for all agents. Settings of agents cannot raise them.
const WORKSPACE_DAILY_TOKENS: u64 = 10_000_000;
const PROCESS_DAILY_TOKENS: u64 = 50_000_000;

/// The table `[models]`. Its own fields configure the endpoint for every purpose; `[models.daily]` and so on override single
/// fields.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ModelsConfig {
    /// Maximum tokens that one agent may use per UTC day, unless its settings name another number. 200,000 if unset.
    pub daily_tokens: Option<u64>,
    /// Maximum tokens that all agents of one workspace together may use per UTC day. Settings of agents cannot exceed it. Ten
    /// million if unset.
    pub workspace_daily_tokens: Option<u64>,
    /// Maximum tokens that all agents together may use per UTC day. 50 million if unset.
    pub process_daily_tokens: Option<u64>,
    /// What happens to sentences of summaries that their sources do not support.
    pub ungrounded: Option<Ungrounded>,
    /// Shares of the daily budgets by purpose.
    #[serde(default)]
    pub shares: Shares,
    /// Time without a new message after which a model reads a conversation for facts: seconds, or a duration of at most a day
    /// such as `15m`. Ten minutes if unset.
    pub extraction_quiet: Option<DurationSetting>,
    /// Number of new messages after which a model reads a conversation for facts without waiting for a pause. 20 if unset.
    pub extraction_turns: Option<u64>,
    /// Whether host names of endpoints may resolve to this machine or the local network. If not, they must resolve to public
    /// addresses. IP addresses written in the URL and `localhost` are allowed either way.
    pub local_network: Option<bool>,
    /// Whether summaries of periods that ended more than a week ago are asked for in batches, which cost half and take up to a
    /// day.
    pub batch: Option<bool>,
    /// Base URL up to and including `/v1`: `http://127.0.0.1:11434/v1`.
    pub base_url: Option<String>,
    /// The API key itself. Prefer `key_env`.
    #[serde(default, deserialize_with = "secret", serialize_with = "redacted")]
    #[schemars(with = "Option<String>")]
    pub key: Option<SecretString>,
    /// Name of the environment variable that holds the key.
    pub key_env: Option<String>,
    /// Name of the model, as the server lists it.
    pub model: Option<String>,
    /// The API that the server speaks. If unset, it follows from the host name; an unknown host counts as `chat`.
    pub api: Option<Api>,
    /// Context window: tokens of question and answer together. If unset, the window that the server reports is used, or else
    /// 8,192.
    pub window: Option<u64>,
    /// Maximum tokens of the answer, reasoning included; at most half of the window. If unset, 2,048 to 4,096 by purpose plus
    /// those of `reasoning`, or less in a small window.
    pub max_output_tokens: Option<u64>,
    /// Maximum time without a token: seconds, or a duration such as `2m 30s`. For a server that does not stream, the maximum
    /// time for the whole answer. Two minutes if unset, at most an hour.
    pub timeout: Option<DurationSetting>,
    /// How the format of the answer is requested first. If the server refuses it, weaker modes are tried. `schema` if unset.
    pub json: Option<JsonMode>,
    /// How much a reasoning model thinks before it answers. Not sent if unset.
    pub reasoning: Option<Reasoning>,
    /// Sampling temperature, 0 to 2. Not sent if unset, because some models reject any value.
    pub temperature: Option<f32>,
    /// Further fields of each request, as the documentation of the server describes them. They replace fields that Annals sets.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub extra_body: Map<String, Value>,
    /// The endpoint that extracts facts. Unset fields are taken from `[models]`.
    #[serde(default)]
    pub extraction: EndpointConfig,
    /// The endpoint that writes daily summaries. Unset fields are taken from `[models]`.
    #[serde(default)]
    pub daily: EndpointConfig,
    /// The endpoint that writes weekly summaries. Unset fields are taken from `[models]`.
    #[serde(default)]
    pub weekly: EndpointConfig,
    /// The endpoint that writes monthly summaries. Unset fields are taken from `[models]`.
    #[serde(default)]
    pub monthly: EndpointConfig,
    /// The endpoint that writes quarterly summaries. Unset fields are taken from `[models]`.
    #[serde(default)]
    pub quarterly: EndpointConfig,
    /// The endpoint that writes yearly summaries. Unset fields are taken from `[models]`.
    #[serde(default)]
    pub yearly: EndpointConfig,
    /// The model that reranks search results.
    #[serde(default)]
    pub rerank: RerankConfig,
    /// The model that judges sentences of summaries by their sources.
    #[serde(default)]
    pub grounding: GroundingConfig,
}

/// One endpoint. Fields that are not set are taken from the table `[models]`. The key is taken from there only if the base URL
/// is too.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EndpointConfig {
    /// Whether the built-in engine does this work even if `[models]` names a model.
    #[serde(default)]
    pub off: bool,
    /// Base URL up to and including `/v1`: `http://127.0.0.1:11434/v1`.
    pub base_url: Option<String>,
    /// The API key itself. Prefer `key_env`.
    #[serde(default, deserialize_with = "secret", serialize_with = "redacted")]
    #[schemars(with = "Option<String>")]
    pub key: Option<SecretString>,
    /// Name of the environment variable that holds the key.
    pub key_env: Option<String>,
    /// Name of the model, as the server lists it.
    pub model: Option<String>,
    /// The API that the server speaks. If unset, it follows from the host name; an unknown host counts as `chat`.
    pub api: Option<Api>,
    /// Context window: tokens of question and answer together. If unset, the window that the server reports is used, or else
    /// 8,192.
    pub window: Option<u64>,
    /// Maximum tokens of the answer, reasoning included; at most half of the window. If unset, 2,048 to 4,096 by purpose plus
    /// those of `reasoning`, or less in a small window.
    pub max_output_tokens: Option<u64>,
    /// Maximum time without a token: seconds, or a duration such as `2m 30s`. For a server that does not stream, the maximum
    /// time for the whole answer. Two minutes if unset, at most an hour.
    pub timeout: Option<DurationSetting>,
    /// How the format of the answer is requested first. If the server refuses it, weaker modes are tried. `schema` if unset.
    pub json: Option<JsonMode>,
    /// How much a reasoning model thinks before it answers. Not sent if unset.
    pub reasoning: Option<Reasoning>,
    /// Sampling temperature, 0 to 2. Not sent if unset, because some models reject any value.
    pub temperature: Option<f32>,
    /// Further fields of each request, as the documentation of the server describes them. They replace fields that Annals sets.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub extra_body: Map<String, Value>,
}

/// The table `[models.rerank]`. From `[models]`, only `local_network` and the daily limits of workspaces and of the process
/// apply to it: a chat model cannot rerank, and search results are sent only to an endpoint that is configured for them.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RerankConfig {
    /// Base URL to which `/rerank` is appended: `http://127.0.0.1:8080/v1`.
    pub base_url: Option<String>,
    /// The API key itself. Prefer `key_env`.
    #[serde(default, deserialize_with = "secret", serialize_with = "redacted")]
    #[schemars(with = "Option<String>")]
    pub key: Option<SecretString>,
    /// Name of the environment variable that holds the key.
    pub key_env: Option<String>,
    /// Name of the model, as the server lists it.
    pub model: Option<String>,
    /// Maximum time that a search waits for the model: seconds or a duration, at most a minute. One second if unset.
    pub timeout: Option<DurationSetting>,
    /// Number of best results that the model reranks: 2 to 200, or 50 if unset.
    pub candidates: Option<u64>,
    /// Maximum tokens that searches of one agent may use per UTC day. They do not count against the limits for other work. One
    /// million if unset.
    pub daily_tokens: Option<u64>,
}

/// The model of one purpose, checked and complete.
#[derive(Clone, Debug)]
pub struct Model {
    /// Base URL, without a trailing slash.
    pub base_url: String,
    /// API key; `None` for servers that need no key.
    pub key: Option<SecretString>,
    pub name: String,
    pub api: Api,
    /// Context window: tokens of question and answer together.
    pub window: u64,
    /// Whether the window was configured. If it was, a smaller one that the server reports is used. If not, any window that the
    /// server reports is used, up to 32,768 tokens.
    pub has_own_window: bool,
    /// Maximum tokens of the answer, reasoning included.
    pub max_output_tokens: u64,
    /// Maximum time without a token. For a server that does not stream, the maximum time for the whole answer.
    pub timeout: Duration,
    /// How the format of the answer is requested first.
    pub json: JsonMode,
    /// How much the model reasons. `None`: not sent, so the default of the server applies.
    pub reasoning: Option<Reasoning>,
    /// Sampling temperature. `None`: not sent.
    pub temperature: Option<f32>,
    /// Further fields of each request. They replace fields that Annals sets.
    pub extra_body: Map<String, Value>,
    /// Whether the host name may resolve to this machine or the local network.
    pub local_network: bool,
}

impl Model {
    /// Returns whether OpenAI's own service answers, by itself or at Azure.
    pub(crate) fn is_openai(&self) -> bool {
        self.base_url.contains("api.openai.com") || self.api == Api::Azure
    }
}

/// The model that reranks search results, checked and complete.
#[derive(Clone, Debug)]
pub struct RerankModel {
    /// Base URL, without a trailing slash.
    pub base_url: String,
    /// API key; `None` for servers that need no key.
    pub key: Option<SecretString>,
    pub name: String,
    /// Maximum time that a search waits for the model.
    pub timeout: Duration,
    /// Number of best results that the model reranks.
    pub candidates: usize,
    /// Maximum tokens that searches of one agent may use per UTC day.
    pub daily_tokens: u64,
    /// Maximum tokens that searches of all agents of one workspace together may use per UTC day.
    pub workspace_daily_tokens: u64,
    /// Maximum tokens that searches of all agents together may use per UTC day.
    pub process_daily_tokens: u64,
    /// Whether the host name may resolve to this machine or the local network.
    pub local_network: bool,
}

/// The table `[models]`, checked and complete.
#[derive(Clone, Debug)]
pub struct Models {
    /// Maximum tokens that one agent may use per UTC day, reranking not included, unless its settings name another number.
    pub daily_tokens: u64,
    /// Maximum tokens that all agents of one workspace together may use per UTC day, reranking not included.
    pub workspace_daily_tokens: u64,
    /// Maximum tokens that all agents together may use per UTC day, reranking not included.
    pub process_daily_tokens: u64,
    /// What happens to sentences of summaries that their sources do not support.
    pub ungrounded: Ungrounded,
    /// Shares of the daily budgets by purpose.
    pub shares: Shares,
    /// When a model reads new messages for facts.
    pub reading: ReadingSchedule,
    /// Whether periods that ended more than a week ago are summarised in batches.
    pub batch: bool,
    /// The model that reranks search results; `None` if none is configured.
    pub rerank: Option<Arc<RerankModel>>,
    /// The model that judges sentences of summaries by their sources; `None` if none is configured.
    pub grounding: Option<GroundingModel>,
    by_purpose: [Option<Arc<Model>>; 6],
}

/// The purposes of chat models. They are in the order of the discriminants, which index `by_purpose`.
pub(crate) const PURPOSES: [Purpose; 6] =
    [Purpose::Extraction, Purpose::Daily, Purpose::Weekly, Purpose::Monthly, Purpose::Quarterly, Purpose::Yearly];

impl Models {
    /// Returns the model for a purpose; `None` if the built-in engine does the work.
    pub fn get(&self, purpose: Purpose) -> Option<&Arc<Model>> {
        self.by_purpose.get(purpose as usize)?.as_ref()
    }

    /// Iterates over the purposes that have a model, in the order of `PURPOSES`.
    pub fn iter(&self) -> impl Iterator<Item = (Purpose, &Arc<Model>)> {
        PURPOSES.into_iter().filter_map(|purpose| Some((purpose, self.get(purpose)?)))
    }

    /// Returns whether no purpose has a model. Ignores the rerank model.
    pub fn is_empty(&self) -> bool {
        self.by_purpose.iter().all(Option::is_none)
    }
}

impl ModelsConfig {
    /// Checks and completes the table, or returns every fault in it. `variable` looks up environment variables.
    pub fn check(self, variable: impl Fn(&str) -> Option<String>) -> Result<Models, Vec<Fault>> {
        let mut checker = Checker::new(variable, self.local_network.unwrap_or_default());
        let above = checker.key_of("models", self.above());
        let mut by_purpose = [const { None }; 6];
        for (purpose, own) in self.own() {
            let field = format!("models.{}", purpose.as_str());
            let own = checker.key_of(&field, own.clone());
            let whole = if own.off { None } else { merged(own.clone(), &above) };
            by_purpose[purpose as usize] =
                whole.and_then(|whole| checker.model((&field, purpose), &own, whole)).map(Arc::new);
        }
        let workspace_daily_tokens = self.workspace_daily_tokens.unwrap_or(WORKSPACE_DAILY_TOKENS);
        let process_daily_tokens = self.process_daily_tokens.unwrap_or(PROCESS_DAILY_TOKENS);
        let caps = (workspace_daily_tokens, process_daily_tokens);
        let rerank = checker.rerank("models.rerank", &self.rerank, caps).map(Arc::new);
        let reading = checker.reading(self.extraction_quiet.as_ref(), self.extraction_turns);
        let mut faults = checker.faults;
        faults.extend(self.shares.faults());
        let grounding = self.grounding.check().unwrap_or_else(|wrong| {
            faults.extend(wrong);
            None
        });
        let models = Models {
            daily_tokens: self.daily_tokens.unwrap_or(DAILY_TOKENS),
            workspace_daily_tokens,
            process_daily_tokens,
            ungrounded: self.ungrounded.unwrap_or_default(),
            shares: self.shares,
            reading,
            batch: self.batch.unwrap_or_default(),
            rerank,
            grounding,
            by_purpose,
        };
        if faults.is_empty() { Ok(models) } else { Err(faults) }
    }

    fn above(&self) -> EndpointConfig {
        EndpointConfig {
            off: false,
            base_url: self.base_url.clone(),
            key: self.key.clone(),
            key_env: self.key_env.clone(),
            model: self.model.clone(),
            api: self.api,
            window: self.window,
            max_output_tokens: self.max_output_tokens,
            timeout: self.timeout.clone(),
            json: self.json,
            reasoning: self.reasoning,
            temperature: self.temperature,
            extra_body: self.extra_body.clone(),
        }
    }

    fn own(&self) -> [(Purpose, &EndpointConfig); 6] {
        [
            (Purpose::Extraction, &self.extraction),
            (Purpose::Daily, &self.daily),
            (Purpose::Weekly, &self.weekly),
            (Purpose::Monthly, &self.monthly),
            (Purpose::Quarterly, &self.quarterly),
            (Purpose::Yearly, &self.yearly),
        ]
    }
}

fn secret<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<SecretString>, D::Error> {
    Ok(Option::<String>::deserialize(deserializer)?.map(SecretString::from))
}

/// Serializes a key as `(set)`, so that no output contains it.
fn redacted<S: Serializer>(key: &Option<SecretString>, serializer: S) -> Result<S::Ok, S::Error> {
    key.as_ref().map(|_| "(set)").serialize(serializer)
}
