//! Which models are asked for what: the table `[models]` of `annals.toml` as it is written ([`ModelsConfig`]), and what it
//! means once it is checked ([`Models`]).
//!
//! Reads neither files nor the environment: the caller parses the file and passes in a way to look up variables. Keys are
//! kept in [`SecretString`] from the first moment, so that no `{:?}` shows one.

mod check;
#[cfg(test)]
mod tests;
mod wait;

use std::sync::Arc;
use std::time::Duration;

use annals_core::{Fault, Purpose};
use secrecy::SecretString;
use serde::{Deserialize, Serialize, Serializer};

use check::{Checker, merged};

pub use wait::Wait;

/// The tokens that one agent may cost on one day, where nothing else is said: a day of talk is a few thousand.
const DAILY_TOKENS: u64 = 200_000;

/// The tokens that all agents of a workspace, and all agents, may cost on one day, whatever their settings say.
const WORKSPACE_DAILY_TOKENS: u64 = 10_000_000;
const PROCESS_DAILY_TOKENS: u64 = 50_000_000;

/// The table `[models]`. Its own fields are the endpoint for everything; `[models.daily]` and so on change what differs.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelsConfig {
    /// The tokens that one agent may cost on one UTC day, unless its settings say otherwise.
    pub daily_tokens: Option<u64>,
    /// The tokens that all agents of one workspace may cost together on one UTC day; no setting of an agent exceeds it.
    pub workspace_daily_tokens: Option<u64>,
    /// The tokens that all agents may cost together on one UTC day.
    pub process_daily_tokens: Option<u64>,
    /// Names of endpoints may mean this machine or the local network. Without it they must mean public addresses; an address that
    /// is written as such, and `localhost`, need no leave.
    pub local_network: Option<bool>,
    /// As in [`EndpointConfig`].
    pub base_url: Option<String>,
    /// As in [`EndpointConfig`].
    #[serde(default, deserialize_with = "secret", serialize_with = "redacted")]
    pub key: Option<SecretString>,
    /// As in [`EndpointConfig`].
    pub key_env: Option<String>,
    /// As in [`EndpointConfig`].
    pub model: Option<String>,
    /// As in [`EndpointConfig`].
    pub window: Option<u64>,
    /// As in [`EndpointConfig`].
    pub max_output_tokens: Option<u64>,
    /// As in [`EndpointConfig`].
    pub timeout: Option<Wait>,
    /// As in [`EndpointConfig`].
    pub json: Option<JsonMode>,
    /// As in [`EndpointConfig`].
    pub temperature: Option<f32>,
    /// What differs for extraction.
    #[serde(default)]
    pub extraction: EndpointConfig,
    /// What differs for days.
    #[serde(default)]
    pub daily: EndpointConfig,
    /// What differs for weeks.
    #[serde(default)]
    pub weekly: EndpointConfig,
    /// What differs for months.
    #[serde(default)]
    pub monthly: EndpointConfig,
    /// What differs for quarters.
    #[serde(default)]
    pub quarterly: EndpointConfig,
    /// What differs for years.
    #[serde(default)]
    pub yearly: EndpointConfig,
    /// The model that orders what searches find.
    #[serde(default)]
    pub rerank: RerankConfig,
}

/// One endpoint. What is not set is taken from the table above; the key only where the base URL is.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EndpointConfig {
    /// The built-in engine does this work, whatever the table above says.
    #[serde(default)]
    pub off: bool,
    /// Up to and with `/v1`: `http://127.0.0.1:11434/v1`.
    pub base_url: Option<String>,
    /// The key itself. Better to use `key_env`.
    #[serde(default, deserialize_with = "secret", serialize_with = "redacted")]
    pub key: Option<SecretString>,
    /// The environment variable that holds the key.
    pub key_env: Option<String>,
    /// The name of the model.
    pub model: Option<String>,
    /// Tokens that question and answer may have together.
    pub window: Option<u64>,
    /// Tokens that the answer may have.
    pub max_output_tokens: Option<u64>,
    /// The longest wait for one answer, retries included: seconds, or as in `2m 30s`.
    pub timeout: Option<Wait>,
    /// How the form of the answer is asked for.
    pub json: Option<JsonMode>,
    /// Sent only if set; some models refuse any.
    pub temperature: Option<f32>,
}

/// The table `[models.rerank]`. But for `local_network` nothing is taken from the table above: a chat model orders nothing, and
/// what a search finds goes nowhere that was not named for it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RerankConfig {
    /// What `/rerank` is added to: `http://127.0.0.1:8080/v1`.
    pub base_url: Option<String>,
    /// As in [`EndpointConfig`].
    #[serde(default, deserialize_with = "secret", serialize_with = "redacted")]
    pub key: Option<SecretString>,
    /// As in [`EndpointConfig`].
    pub key_env: Option<String>,
    /// The name of the model.
    pub model: Option<String>,
    /// The longest that a search waits for it.
    pub timeout: Option<Wait>,
    /// How many of the best it orders.
    pub candidates: Option<u64>,
    /// The tokens that one agent's searches may cost on one UTC day, apart from those of all other work.
    pub daily_tokens: Option<u64>,
}

/// How the form of an answer is asked for. A server that refuses one is asked by the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum JsonMode {
    /// `response_format` with a JSON schema.
    #[default]
    Schema,
    /// `response_format` of any JSON object.
    Object,
    /// By the prompt alone.
    None,
}

/// One endpoint, checked and complete.
#[derive(Clone, Debug)]
pub struct Model {
    /// Without a slash at its end.
    pub base_url: String,
    /// None for servers that ask for none.
    pub key: Option<SecretString>,
    /// The name of the model.
    pub name: String,
    /// Tokens that question and answer may have together.
    pub window: u64,
    /// Tokens that the answer may have.
    pub max_output_tokens: u64,
    /// The longest wait for one answer.
    pub timeout: Duration,
    /// How the form of the answer is asked for at first.
    pub json: JsonMode,
    /// Sent only if set.
    pub temperature: Option<f32>,
    /// Whether its name may mean this machine or the local network.
    pub local_network: bool,
}

/// The model that orders what searches find, checked and complete.
#[derive(Clone, Debug)]
pub struct RerankModel {
    /// Without a slash at its end.
    pub base_url: String,
    /// None for servers that ask for none.
    pub key: Option<SecretString>,
    /// The name of the model.
    pub name: String,
    /// The longest that a search waits for it.
    pub timeout: Duration,
    /// How many of the best it orders.
    pub candidates: usize,
    /// The tokens that one agent's searches may cost on one UTC day.
    pub daily_tokens: u64,
    /// The tokens that the searches of all agents of one workspace may cost together on one UTC day.
    pub workspace_daily_tokens: u64,
    /// The tokens that the searches of all agents may cost together on one UTC day.
    pub process_daily_tokens: u64,
    /// Whether its name may mean this machine or the local network.
    pub local_network: bool,
}

/// All endpoints, checked.
#[derive(Clone, Debug)]
pub struct Models {
    /// The tokens that one agent may cost on one UTC day.
    pub daily_tokens: u64,
    /// The tokens that all agents of one workspace may cost together on one UTC day.
    pub workspace_daily_tokens: u64,
    /// The tokens that all agents may cost together on one UTC day.
    pub process_daily_tokens: u64,
    /// The model that orders what searches find.
    pub rerank: Option<Arc<RerankModel>>,
    by_purpose: [Option<Arc<Model>>; 6],
}

const PURPOSES: [Purpose; 6] =
    [Purpose::Extraction, Purpose::Daily, Purpose::Weekly, Purpose::Monthly, Purpose::Quarterly, Purpose::Yearly];

impl Models {
    /// The model for a kind of work; none where the built-in engine does it.
    pub fn get(&self, purpose: Purpose) -> Option<&Arc<Model>> {
        self.by_purpose.get(purpose as usize)?.as_ref()
    }

    /// Each kind of work that a model does, with the model.
    pub fn iter(&self) -> impl Iterator<Item = (Purpose, &Arc<Model>)> {
        PURPOSES.into_iter().filter_map(|purpose| Some((purpose, self.get(purpose)?)))
    }

    /// Whether there is no model that writes or reads.
    pub fn is_empty(&self) -> bool {
        self.by_purpose.iter().all(Option::is_none)
    }
}

impl ModelsConfig {
    /// What the table means, or everything that is wrong with it. `variable` looks up environment variables.
    pub fn check(self, variable: impl Fn(&str) -> Option<String>) -> Result<Models, Vec<Fault>> {
        let mut checker = Checker::new(variable, self.local_network.unwrap_or_default());
        let above = checker.key_of("models", self.above());
        let mut by_purpose = [const { None }; 6];
        for (purpose, own) in self.own() {
            let field = format!("models.{}", purpose.as_str());
            let own = checker.key_of(&field, own.clone());
            let whole = if own.off { None } else { merged(own.clone(), &above) };
            by_purpose[purpose as usize] = whole.and_then(|whole| checker.model(&field, &own, whole)).map(Arc::new);
        }
        let workspace_daily_tokens = self.workspace_daily_tokens.unwrap_or(WORKSPACE_DAILY_TOKENS);
        let process_daily_tokens = self.process_daily_tokens.unwrap_or(PROCESS_DAILY_TOKENS);
        let caps = (workspace_daily_tokens, process_daily_tokens);
        let rerank = checker.rerank("models.rerank", &self.rerank, caps).map(Arc::new);
        let faults = checker.faults;
        let models = Models {
            daily_tokens: self.daily_tokens.unwrap_or(DAILY_TOKENS),
            workspace_daily_tokens,
            process_daily_tokens,
            rerank,
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
            window: self.window,
            max_output_tokens: self.max_output_tokens,
            timeout: self.timeout.clone(),
            json: self.json,
            temperature: self.temperature,
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

/// That there is a key, and nothing of it.
fn redacted<S: Serializer>(key: &Option<SecretString>, serializer: S) -> Result<S::Ok, S::Error> {
    key.as_ref().map(|_| "(set)").serialize(serializer)
}
