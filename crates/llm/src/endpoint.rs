//! Summaries and facts by a model behind an OpenAI-compatible chat endpoint.
//!
//! A question is rendered (`prompts`), measured (`tokens`) and split if it is too long (`lines`). It is looked up among saved
//! answers, checked against the daily budget (`ask`) and sent (`channel`, `http`). The answer is parsed tolerantly (`answer`),
//! checked (`sentences`, `extraction`) and saved. Output is traced to turns; orders to the agent and credentials are dropped
//! (`suspicion`). Relies on port `Replies` for saved answers and costs, and on tokio's clock for deadlines. Never logs or reports
//! text of memories. Never reads the environment, except that the HTTP client uses the proxies set there.

mod answer;
mod ask;
mod breaker;
mod budget;
mod channel;
mod extraction;
mod failure;
mod form;
mod grounding;
mod http;
mod lines;
pub(crate) mod network_policy;
mod rerank;
mod retry_policy;
mod sentences;
mod summary;
mod suspicion;
#[cfg(test)]
mod tests;
mod tokens;

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use annals_core::ports::{Engine, ExtractionTask, Extractor, Replies, SummaryTask};
use annals_core::{Author, Digest, Draft, Error, Extracted, Grain, Purpose, Result, Settings};
use async_trait::async_trait;

use breaker::Breaker;
use budget::Caps;
use channel::{Channel, Server};
use retry_policy::RetryPolicy;

use crate::config::Models;
use crate::prompts::Prompt;

pub use rerank::RerankEndpoint;

/// Part of every recipe. Change it with every change to this folder that can change a summary, so that an older one is
/// recognised as outdated.
const VERSION: &str = "endpoint 1";

/// Engine and extractor that use the configured models. Each question waits at most the timeout of its model; a question with a
/// saved answer is not sent.
pub struct Endpoint {
    daily_tokens: u64,
    caps: Caps,
    channels: HashMap<Purpose, Arc<Channel>>,
    replies: Arc<dyn Replies>,
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint").field("channels", &self.channels).finish_non_exhaustive()
    }
}

impl Endpoint {
    /// Creates the endpoint. Connects to nothing yet.
    pub fn new(models: Models, replies: Arc<dyn Replies>) -> Result<Endpoint> {
        Endpoint::with_retry_policy(&models, replies, RetryPolicy::default())
    }

    /// Returns whether there is a model for this purpose.
    pub fn does(&self, purpose: Purpose) -> bool {
        self.channels.contains_key(&purpose)
    }

    fn with_retry_policy(models: &Models, replies: Arc<dyn Replies>, retry_policy: RetryPolicy) -> Result<Endpoint> {
        let mut servers: HashMap<String, Arc<Server>> = HashMap::new();
        let mut channels = HashMap::new();
        for (purpose, model) in models.iter() {
            let server = match servers.get(&model.base_url) {
                Some(server) => Arc::clone(server),
                None => Arc::new(Server {
                    http: http::client(&model.base_url, model.local_network)?,
                    breaker: Breaker::new(retry_policy),
                }),
            };
            servers.insert(model.base_url.clone(), Arc::clone(&server));
            channels.insert(purpose, Arc::new(Channel::new(Arc::clone(model), server, retry_policy)));
        }
        let caps = Caps { workspace: models.workspace_daily_tokens, process: models.process_daily_tokens };
        Ok(Endpoint { daily_tokens: models.daily_tokens, caps, channels, replies })
    }

    fn channel(&self, purpose: Purpose) -> Result<&Channel> {
        let channel = self.channels.get(&purpose).map(AsRef::as_ref);
        channel.ok_or_else(|| Error::invalid("models", format!("have no model for {}", purpose.as_str())))
    }
}

#[async_trait]
impl Engine for Endpoint {
    fn recipe(&self, settings: &Settings, grain: Grain) -> Digest {
        let model = self.channels.get(&Purpose::of(grain)).map_or("", |channel| &channel.model.name);
        let prompts = [Prompt::of(grain), Prompt::Merge, Prompt::Amend];
        let prompts = prompts.iter().map(|prompt| prompt.digest(settings).to_string());
        Digest::of([VERSION.to_owned(), model.to_owned()].into_iter().chain(prompts))
    }

    fn author(&self, settings: &Settings, grain: Grain) -> Option<Author> {
        let prompt = Prompt::of(grain);
        let digest = prompt.digest(settings).to_string();
        let own = if settings.prompts.contains_key(prompt.as_str()) { ", the agent's own" } else { "" };
        let prompt = format!("{} ({}{own})", prompt.as_str(), digest.get(..8).unwrap_or(&digest));
        let model = self.channels.get(&Purpose::of(grain)).map(|channel| channel.model.name.clone());
        Some(Author { engine: VERSION.to_owned(), model, prompt: Some(prompt) })
    }

    async fn summarize(&self, task: SummaryTask<'_>) -> Result<Draft> {
        summary::write(self, task).await
    }
}

#[async_trait]
impl Extractor for Endpoint {
    fn is_local(&self, _settings: &Settings) -> bool {
        false
    }

    async fn extract(&self, task: ExtractionTask<'_>) -> Result<Extracted> {
        extraction::read(self, task).await
    }
}
