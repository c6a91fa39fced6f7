//! Summaries and facts by a model behind a chat endpoint: OpenAI-compatible, Azure or Anthropic.
//!
//! A request is rendered (`prompts`), measured (`tokens`) and split if it is too long for the window (`limits`) or for about a
//! minute of the server's time (`speed`, `lines`). It is looked up among saved answers (`ask`), checked against the daily
//! budget (`budget`) and sent in a form that the server accepts (`channel`, `request`, `shape`), or collected for a batch
//! (`batch`). The answer is received token by token (`stream`, `completion`), parsed tolerantly (`answer`), checked
//! (`sentences`, `subject`, `grounding`, `extraction`) and saved. Output is traced to turns; orders to the agent and
//! credentials are dropped (`suspicion`). The endpoints for vectors (`embedding`) and for reranking (`rerank`) share clients,
//! retries and the circuit breaker. Relies on port `Replies` for saved answers and costs, and on tokio's clock for deadlines.
//! Never logs or reports text of memories. Never reads the environment, except that the HTTP client uses the proxies set there.

mod answer;
mod ask;
mod background;
mod batch;
mod breaker;
mod budget;
mod channel;
mod completion;
mod content;
mod embedding;
mod extraction;
pub(crate) mod failure;
mod form;
mod grounding;
pub(crate) mod http;
mod learned_limits;
mod learned_shape;
mod limits;
mod lines;
pub(crate) mod network_policy;
mod rate_limit_headers;
mod recorded;
mod repetition;
mod request;
mod rerank;
mod retry_policy;
mod sentences;
mod shape;
mod speed;
mod stream;
mod subject;
mod summary;
mod suspicion;
#[cfg(test)]
mod tests;
mod tokens;

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use annals_core::ports::{Engine, ExtractionTask, Extractor, ModelState, ModelStates, Replies, SummaryTask};
use annals_core::{Agent, Author, Digest, Draft, Error, Extracted, Grain, Period, Purpose, Result, Settings};
use async_trait::async_trait;

use batch::BatchCollector;
pub(crate) use batch::{Mode, Tally};
use breaker::Breaker;
use budget::Caps;
use channel::{Channel, Server};
use learned_limits::LearnedLimits;
use retry_policy::RetryPolicy;

use crate::config::{JsonMode, Models, PURPOSES, Ungrounded};
use crate::prompts::Prompt;

pub use embedding::EmbeddingEndpoint;
pub use grounding::EntailmentCheck;
pub use recorded::{draft_of, extraction_question_of, question_of};
pub use rerank::RerankEndpoint;

/// Part of the recipe that is stored with each summary, and of the key of each saved answer. Change it with every change to
/// this folder that can change a summary, so that older summaries are recognised as outdated.
const VERSION: &str = "endpoint 2";

/// Engine and extractor that use the configured models. A request fails if no token arrives within the timeout of its model. A
/// request with a saved answer is not sent.
#[derive(Clone)]
pub struct Endpoint {
    daily_tokens: u64,
    caps: Caps,
    ungrounded: Ungrounded,
    /// The model that judges sentences of summaries; `None` if the rules alone do.
    entailment: Option<EntailmentCheck>,
    channels: HashMap<Purpose, Arc<Channel>>,
    replies: Arc<dyn Replies>,
    /// Collector of requests for batches; `None` if batches are disabled.
    collector: Option<Arc<BatchCollector>>,
    mode: Mode,
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint").field("channels", &self.channels).finish_non_exhaustive()
    }
}

impl Endpoint {
    /// Creates the endpoint. Connects to nothing yet. Fails if a base URL is not valid or has an address that is not allowed.
    pub fn new(models: Models, replies: Arc<dyn Replies>) -> Result<Endpoint> {
        Endpoint::with_retry_policy(&models, replies, RetryPolicy::default())
    }

    /// Adds a model that judges sentences of summaries.
    pub fn with_entailment(self, entailment: EntailmentCheck) -> Endpoint {
        Endpoint { entailment: Some(entailment), ..self }
    }

    pub fn does(&self, purpose: Purpose) -> bool {
        self.channels.contains_key(&purpose)
    }

    fn with_retry_policy(models: &Models, replies: Arc<dyn Replies>, retry_policy: RetryPolicy) -> Result<Endpoint> {
        let mut servers: HashMap<String, Arc<Server>> = HashMap::new();
        let mut learned: HashMap<(String, String, JsonMode), Arc<LearnedLimits>> = HashMap::new();
        let mut channels = HashMap::new();
        for (purpose, model) in models.iter() {
            let server = match servers.get(&model.base_url) {
                Some(server) => Arc::clone(server),
                None => {
                    let client = http::client(&model.base_url, model.local_network)?;
                    Arc::new(Server::new(client, Breaker::new(retry_policy)))
                }
            };
            servers.insert(model.base_url.clone(), Arc::clone(&server));
            let own = learned.entry((model.base_url.clone(), model.name.clone(), model.json));
            let own = Arc::clone(own.or_insert_with(|| Arc::new(LearnedLimits::new(model))));
            channels.insert(purpose, Arc::new(Channel::new(Arc::clone(model), server, own, retry_policy)));
        }
        let (workspace, process) = (models.workspace_daily_tokens, models.process_daily_tokens);
        Ok(Endpoint {
            daily_tokens: models.daily_tokens,
            caps: Caps { workspace, process, shares: models.shares },
            ungrounded: models.ungrounded,
            entailment: None,
            channels,
            replies,
            collector: None,
            mode: Mode::Direct,
        })
    }

    /// Runs `work`. Runs it once more if it failed with [`Error::Model`] and the server has meanwhile reported a smaller window
    /// than was assumed.
    async fn again_if_shorter<T, F: Future<Output = Result<T>>>(
        &self,
        purpose: Purpose,
        work: impl Fn() -> F,
    ) -> Result<T> {
        let channel = self.channel(purpose)?;
        let before = channel.sizes().await.window;
        match work().await {
            Err(Error::Model { .. }) if channel.sizes().await.window < before => work().await,
            done => done,
        }
    }

    /// Returns the state of the model of a channel. Lists all purposes that share what was learned about the model.
    fn state(&self, channel: &Channel) -> ModelState {
        let is_same = |other: &Channel| Arc::ptr_eq(&other.learned, &channel.learned);
        let mut purposes: Vec<Purpose> =
            self.channels.iter().filter(|(_, other)| is_same(other)).map(|(purpose, _)| *purpose).collect();
        purposes.sort_by_key(|purpose| *purpose as usize);
        channel.state(purposes)
    }

    fn channel(&self, purpose: Purpose) -> Result<&Channel> {
        let channel = self.channels.get(&purpose).map(AsRef::as_ref);
        channel.ok_or_else(|| Error::invalid("models", format!("have no model for {}", purpose.as_str())))
    }
}

impl ModelStates for Endpoint {
    fn model_states(&self) -> Vec<ModelState> {
        let mut states: Vec<ModelState> = Vec::new();
        for purpose in PURPOSES {
            if let Some(channel) = self.channels.get(&purpose)
                && !states.iter().any(|state| state.purposes.contains(&purpose))
            {
                states.push(self.state(channel));
            }
        }
        states
    }
}

#[async_trait]
impl Engine for Endpoint {
    fn recipe(&self, settings: &Settings, grain: Grain) -> Digest {
        let model = self.channels.get(&Purpose::of(grain)).map_or("", |channel| &channel.model.name);
        let prompts = [Prompt::of(grain), Prompt::Merge, Prompt::Amend];
        let prompts = prompts.iter().map(|prompt| prompt.digest(settings).to_string());
        let judge = self.entailment.iter().map(|check| format!("judged by {}", check.model.model()));
        let policy = (self.ungrounded == Ungrounded::Drop).then(|| "without ungrounded sentences".to_owned());
        Digest::of([VERSION.to_owned(), model.to_owned()].into_iter().chain(prompts).chain(judge).chain(policy))
    }

    fn author(&self, settings: &Settings, grain: Grain) -> Option<Author> {
        let prompt = Prompt::of(grain);
        let digest = prompt.digest(settings).to_string();
        let own = if settings.prompts.contains_key(prompt.as_str()) { ", the agent's own" } else { "" };
        let prompt = format!("{} ({}{own})", prompt.as_str(), digest.get(..8).unwrap_or(&digest));
        let model = self.channels.get(&Purpose::of(grain)).map(|channel| channel.model.name.clone());
        Some(Author { engine: VERSION.to_owned(), model, prompt: Some(prompt) })
    }

    fn writes_locally(&self, _settings: &Settings, _grain: Grain) -> bool {
        false
    }

    async fn awaited(&self, agent: &Agent) -> Result<Vec<Period>> {
        match &self.collector {
            Some(collector) => collector.awaited(agent).await,
            None => Ok(Vec::new()),
        }
    }

    async fn summarize(&self, task: SummaryTask<'_>) -> Result<Draft> {
        self.again_if_shorter(Purpose::of(task.period.grain()), || summary::write(self, task)).await
    }
}

#[async_trait]
impl Extractor for Endpoint {
    fn is_local(&self, _settings: &Settings) -> bool {
        false
    }

    async fn extract(&self, task: ExtractionTask<'_>) -> Result<Extracted> {
        self.again_if_shorter(Purpose::Extraction, || extraction::read(self, task)).await
    }
}
