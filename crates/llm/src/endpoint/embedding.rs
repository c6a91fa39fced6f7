//! Vectors of a model behind `/embeddings`, as OpenAI defined it and most servers implement it.
//!
//! Texts go in small batches, so that an answer has a bounded size and a failure costs little. If a vector has another number
//! of components than configured, the request is repeated once with the configured number in it. If the number is still
//! different, the request fails. Servers round: the same text may get slightly different numbers in another batch. Nothing is
//! counted against the budgets, which are for agents; a vector costs a thousandth of an answer. Never logs or reports a text.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use annals_core::{Digest, Embedder, Error, Result, beginning};
use async_trait::async_trait;
use backon::Retryable;
use serde_json::{Value, json};
use tokio::time::Instant;
use unicode_segmentation::UnicodeSegmentation;

use super::breaker::Breaker;
use super::channel::error;
use super::failure::EndpointError;
use super::http::{client, post};
use super::retry_policy::RetryPolicy;
use crate::config::EmbeddingModel;

/// Maximum texts of one request.
const MAX_TEXTS: usize = 32;

/// Maximum time for embedding a question, even if `timeout` is longer: a search waits for it, and works well with words alone.
/// A server that has to load its model first takes longer; only later searches then get vectors.
const QUERY: Duration = Duration::from_secs(4);

/// Maximum vector components in one answer. Each takes up to 24 bytes, so the answer has at most a million bytes.
const MAX_NUMBERS: usize = 40_000;

/// An embedder that uses the configured endpoint.
pub struct EmbeddingEndpoint {
    model: EmbeddingModel,
    /// The name of the model that is stored with vectors.
    id: String,
    http: reqwest::Client,
    breaker: Breaker,
    /// Circuit breaker for questions. A server that is too slow for a search may still be fast enough for stored texts.
    query_breaker: Breaker,
    retry_policy: RetryPolicy,
    /// Whether requests name the number of components, because the server's default is another number.
    names_dimension: AtomicBool,
}

impl EmbeddingEndpoint {
    /// Creates the endpoint of this model. Connects to nothing yet.
    pub fn new(model: EmbeddingModel) -> Result<EmbeddingEndpoint> {
        EmbeddingEndpoint::with_retry_policy(model, RetryPolicy::default())
    }

    pub(super) fn with_retry_policy(model: EmbeddingModel, retry_policy: RetryPolicy) -> Result<EmbeddingEndpoint> {
        let http = client(&model.base_url, model.local_network)?;
        let [breaker, query_breaker] = [(); 2].map(|()| Breaker::new(retry_policy));
        let (id, names_dimension) = (id(&model), AtomicBool::new(false));
        Ok(EmbeddingEndpoint { id, model, http, breaker, query_breaker, retry_policy, names_dimension })
    }

    /// Embeds texts that already have their prefix.
    async fn run(&self, texts: &[String]) -> Result<Vec<Vec<f32>>> {
        let most = (MAX_NUMBERS / self.model.dimension).clamp(1, MAX_TEXTS);
        let mut vectors = Vec::with_capacity(texts.len());
        for batch in texts.chunks(most) {
            let asked = self.breaker.guard(self.model.timeout, self.in_some_form(batch, self.model.timeout)).await;
            vectors.extend(asked.map_err(|failure| self.error(failure))?);
        }
        Ok(vectors)
    }

    /// Requests vectors without naming the number of components, and names it if the server's default is another than the
    /// configured number.
    async fn in_some_form(
        &self,
        texts: &[String],
        limit: Duration,
    ) -> std::result::Result<Vec<Vec<f32>>, EndpointError> {
        if !self.names_dimension.load(Ordering::Relaxed) {
            let found = self.with_retries(texts, false, limit).await?;
            if found.iter().all(|vector| vector.len() == self.model.dimension) {
                return Ok(found);
            }
        }
        let found = self.with_retries(texts, true, limit).await?;
        if found.iter().any(|vector| vector.len() != self.model.dimension) {
            return Err(EndpointError::Unusable(
                "its vectors have another number of components than embedder.dimension",
            ));
        }
        self.names_dimension.store(true, Ordering::Relaxed);
        Ok(found)
    }

    async fn with_retries(
        &self,
        texts: &[String],
        names_dimension: bool,
        limit: Duration,
    ) -> std::result::Result<Vec<Vec<f32>>, EndpointError> {
        let deadline = Instant::now() + limit;
        (|| self.once(texts, names_dimension))
            .retry(self.retry_policy.backoff())
            .when(EndpointError::passes)
            .adjust(|failure, wait| {
                let wait = wait?.max(failure.wait().unwrap_or_default());
                Instant::now().checked_add(wait).is_some_and(|at| at < deadline).then_some(wait)
            })
            .await
    }

    async fn once(&self, texts: &[String], names_dimension: bool) -> std::result::Result<Vec<Vec<f32>>, EndpointError> {
        let mut body = json!({ "model": self.model.name, "input": texts, "encoding_format": "float" });
        if names_dimension {
            body["dimensions"] = self.model.dimension.into();
        }
        let url = format!("{}/embeddings", self.model.base_url);
        let answer = post(&self.http, &url, self.model.key.as_ref(), &body).await?;
        vectors(&answer, texts.len()).map_err(EndpointError::Unusable)
    }

    /// Returns the text to send: the prefix and as much of the text as the model reads. An empty text becomes a space, because
    /// servers refuse empty texts.
    fn sent(&self, prefix: &str, text: &str) -> String {
        let text = beginning(text, self.room());
        if text.trim().is_empty() { format!("{prefix} ") } else { format!("{prefix}{text}") }
    }

    fn room(&self) -> u64 {
        self.model.window.saturating_sub(annals_core::tokens(&self.model.passage_prefix) + 4).max(1)
    }

    fn error(&self, failure: EndpointError) -> Error {
        error(format!("embedding by {} at {}", self.model.name, self.model.base_url), failure)
    }
}

/// Returns the name of the model that is stored with vectors. The server's address is not part of it, because a server may
/// move.
fn id(model: &EmbeddingModel) -> String {
    let decides = [&*model.name, &model.dimension.to_string(), &model.query_prefix, &model.passage_prefix];
    let digest: String = Digest::of(decides).0.iter().take(6).map(|byte| format!("{byte:02x}")).collect();
    format!("{}@{digest}", model.name)
}

#[async_trait]
impl Embedder for EmbeddingEndpoint {
    fn model(&self) -> &str {
        &self.id
    }

    fn dimension(&self) -> usize {
        self.model.dimension
    }

    fn split(&self, text: &str) -> Vec<Range<usize>> {
        let (mut parts, mut start) = (Vec::new(), 0);
        while start < text.len() {
            let end = start + cut(&text[start..], self.room());
            parts.push(start..end);
            start = end;
        }
        if parts.is_empty() {
            parts.push(0..0);
        }
        parts
    }

    async fn embed(&self, texts: Vec<String>) -> Result<Vec<Vec<f32>>> {
        let texts: Vec<String> = texts.iter().map(|text| self.sent(&self.model.passage_prefix, text)).collect();
        self.run(&texts).await
    }

    async fn embed_query(&self, text: String) -> Result<Vec<f32>> {
        let text = [self.sent(&self.model.query_prefix, &text)];
        let limit = self.model.timeout.min(QUERY);
        // While the breaker for stored texts is open, questions are not sent either.
        let asked = match self.breaker.away() {
            Some(away) => Err(away),
            None => self.query_breaker.guard(limit, self.in_some_form(&text, limit)).await,
        };
        let mut vectors = asked.map_err(|failure| self.error(failure))?;
        Ok(vectors.pop().unwrap_or_default())
    }
}

/// Returns where a text is cut so that its beginning has at most `room` tokens: after a sentence if possible, otherwise after a
/// word, otherwise after a character.
fn cut(text: &str, room: u64) -> usize {
    let head = beginning(text, room);
    if head.len() == text.len() {
        return text.len();
    }
    let sentence = head.split_sentence_bound_indices().last().map_or(0, |(start, _)| start);
    let word = head.rfind(char::is_whitespace).map_or(0, |at| head.ceil_char_boundary(at + 1));
    let first = text.chars().next().map_or(1, char::len_utf8);
    [sentence, word, head.len()].into_iter().find(|at| *at > 0).unwrap_or(first)
}

/// Returns one vector of unit length per text, in order, or what is wrong with the answer.
fn vectors(answer: &Value, texts: usize) -> std::result::Result<Vec<Vec<f32>>, &'static str> {
    let rows = answer["data"].as_array().ok_or("its answer contains no list of vectors")?;
    let mut vectors = vec![None; texts];
    for (at, row) in rows.iter().enumerate() {
        let index = row["index"].as_u64().map_or(Some(at), |index| usize::try_from(index).ok());
        let place = index.and_then(|index| vectors.get_mut(index)).ok_or("it embedded a text that it was not given")?;
        let numbers = row["embedding"].as_array().ok_or("one of its vectors is no list of numbers")?;
        let vector: Option<Vec<f64>> = numbers.iter().map(Value::as_f64).collect();
        let vector = vector.and_then(unit).ok_or("one of its vectors has no direction")?;
        if place.replace(vector).is_some() {
            return Err("it embedded a text twice");
        }
    }
    vectors.into_iter().collect::<Option<Vec<_>>>().ok_or("it left out a text")
}

fn unit(vector: Vec<f64>) -> Option<Vec<f32>> {
    let length = vector.iter().map(|x| x * x).sum::<f64>().sqrt();
    let is_usable = length.is_finite() && length > 0.0;
    is_usable.then(|| vector.iter().map(|x| (x / length) as f32).collect())
}
