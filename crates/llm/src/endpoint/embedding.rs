//! Vectors of a model behind `/embeddings`, as OpenAI defined it and most servers implement it.
//!
//! Texts are sent in small batches, so that an answer has a bounded size and a failure costs little. If a vector has another
//! number of components than configured, the request is repeated once with the configured number in it. If the number is still
//! different, the request fails. Servers round, so the same text may get a slightly different vector in another batch.
//! Embedding does not count against the budgets of tokens, because a vector costs a thousandth of an answer. If the number of
//! components is not configured, it is that of the stored vectors of this model, or else that of one text that is embedded when
//! the endpoint is opened. Never logs or reports a text.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use annals_core::ports::VectorModel;
use annals_core::{Digest, Embedder, Error, Result, beginning};
use async_trait::async_trait;
use serde_json::{Value, json};
use unicode_segmentation::UnicodeSegmentation;

use super::breaker::Breaker;
use super::channel::error;
use super::failure::EndpointError;
use super::http::{client, post};
use super::retry_policy::RetryPolicy;
use crate::config::EmbeddingModel;

/// Maximum texts of one request, so that an answer has a bounded size and a failure costs little.
const MAX_TEXTS: usize = 32;

/// Maximum time for embedding a question, even if `timeout` is longer: a search waits for it, and works well with words alone.
/// If the server has to load its model first, it takes longer, and only later searches use vectors.
const QUERY: Duration = Duration::from_secs(4);

/// Maximum vector components in one answer. Each takes up to 24 bytes, so the answer has at most a million bytes.
const MAX_NUMBERS: usize = 40_000;

/// Text that is embedded to find out the number of components.
const PROBE: &str = "How long is a vector?";

/// Embedder that uses the configured endpoint.
pub struct EmbeddingEndpoint {
    model: EmbeddingModel,
    /// Number of components of each vector.
    dimension: usize,
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
    /// Opens the endpoint of this model. `stored` are the models of stored vectors. Connects only if the number of components
    /// is neither configured nor known from `stored`; fails then if the endpoint does not answer.
    pub async fn open(model: EmbeddingModel, stored: &[VectorModel]) -> Result<EmbeddingEndpoint> {
        EmbeddingEndpoint::with_retry_policy(model, stored, RetryPolicy::default()).await
    }

    pub(super) async fn with_retry_policy(
        model: EmbeddingModel,
        stored: &[VectorModel],
        retry_policy: RetryPolicy,
    ) -> Result<EmbeddingEndpoint> {
        let http = client(&model.base_url, model.local_network)?;
        let [breaker, query_breaker] = [(); 2].map(|()| Breaker::new(retry_policy));
        let dimension = model.dimension.or_else(|| known_dimension(&model, stored));
        let names_dimension = AtomicBool::new(false);
        let (id, dimension_or_zero) = (String::new(), dimension.unwrap_or_default());
        let unnamed = EmbeddingEndpoint {
            model,
            dimension: dimension_or_zero,
            id,
            http,
            breaker,
            query_breaker,
            retry_policy,
            names_dimension,
        };
        let dimension = match dimension {
            Some(dimension) => dimension,
            None => unnamed.probe().await?,
        };
        Ok(EmbeddingEndpoint { id: id_of(&unnamed.model, dimension), dimension, ..unnamed })
    }

    /// Embeds [`PROBE`] and returns the number of components of its vector.
    async fn probe(&self) -> Result<usize> {
        let texts = [self.sent(&self.model.passage_prefix, PROBE)];
        let asked = self.breaker.guard(self.model.timeout, self.with_retries(&texts, false, self.model.timeout)).await;
        let vectors = asked.map_err(|failure| self.error(failure))?;
        Ok(vectors.first().map_or(0, Vec::len))
    }

    /// Embeds texts that already have their prefix.
    async fn run(&self, texts: &[String]) -> Result<Vec<Vec<f32>>> {
        let most = (MAX_NUMBERS / self.dimension).clamp(1, MAX_TEXTS);
        let mut vectors = Vec::with_capacity(texts.len());
        for batch in texts.chunks(most) {
            let asked = self.breaker.guard(self.model.timeout, self.in_some_form(batch, self.model.timeout)).await;
            vectors.extend(asked.map_err(|failure| self.error(failure))?);
        }
        Ok(vectors)
    }

    /// Requests vectors without naming the number of components. If they have another number than configured, names it in one
    /// more request, and from then on in all. Fails if the number is still different.
    async fn in_some_form(
        &self,
        texts: &[String],
        limit: Duration,
    ) -> std::result::Result<Vec<Vec<f32>>, EndpointError> {
        if !self.names_dimension.load(Ordering::Relaxed) {
            let found = self.with_retries(texts, false, limit).await?;
            if found.iter().all(|vector| vector.len() == self.dimension) {
                return Ok(found);
            }
        }
        let found = self.with_retries(texts, true, limit).await?;
        if found.iter().any(|vector| vector.len() != self.dimension) {
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
        self.retry_policy.run(limit, || self.once(texts, names_dimension)).await
    }

    async fn once(&self, texts: &[String], names_dimension: bool) -> std::result::Result<Vec<Vec<f32>>, EndpointError> {
        let mut body = json!({ "model": self.model.name, "input": texts });
        if names_dimension {
            body["dimensions"] = self.dimension.into();
        }
        let url = format!("{}/embeddings", self.model.base_url);
        let answer = post(&self.http, &url, self.model.key.as_ref(), &body).await?;
        vectors(&answer, texts.len()).map_err(EndpointError::Unusable)
    }

    /// Returns the text to send: the prefix and as much of the text as the model reads. A text without visible characters is
    /// sent as one space, because servers refuse empty texts.
    fn sent(&self, prefix: &str, text: &str) -> String {
        let text = beginning(text, self.room(prefix));
        if text.trim().is_empty() { format!("{prefix} ") } else { format!("{prefix}{text}") }
    }

    /// Returns how many tokens of a text the model reads after this prefix.
    fn room(&self, prefix: &str) -> u64 {
        self.model.window.saturating_sub(annals_core::tokens(prefix) + 4).max(1)
    }

    fn error(&self, failure: EndpointError) -> Error {
        error(format!("embedding by {} at {}", self.model.name, self.model.base_url), failure)
    }
}

/// Returns the number of components of stored vectors of this model; `None` if there are none. The name that is stored with
/// vectors depends on their number of components, so vectors of another model never match.
fn known_dimension(model: &EmbeddingModel, stored: &[VectorModel]) -> Option<usize> {
    stored.iter().find(|stored| id_of(model, stored.dimension) == stored.name).map(|stored| stored.dimension)
}

/// Returns the name of the model that is stored with vectors. The server's address is not part of it, because a server may
/// move.
fn id_of(model: &EmbeddingModel, dimension: usize) -> String {
    let decides = [&*model.name, &dimension.to_string(), &model.query_prefix, &model.passage_prefix];
    let digest: String = Digest::of(decides).0.iter().take(6).map(|byte| format!("{byte:02x}")).collect();
    format!("{}@{digest}", model.name)
}

#[async_trait]
impl Embedder for EmbeddingEndpoint {
    fn model(&self) -> &str {
        &self.id
    }

    fn dimension(&self) -> usize {
        self.dimension
    }

    fn split(&self, text: &str) -> Vec<Range<usize>> {
        let (mut parts, mut start) = (Vec::new(), 0);
        while start < text.len() {
            let end = start + cut(&text[start..], self.room(&self.model.passage_prefix));
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
        let slot = index.and_then(|index| vectors.get_mut(index)).ok_or("it embedded a text that it was not given")?;
        let numbers = row["embedding"].as_array().ok_or("one of its vectors is no list of numbers")?;
        let vector: Option<Vec<f64>> = numbers.iter().map(Value::as_f64).collect();
        let vector = vector.and_then(unit).ok_or("one of its vectors has no direction")?;
        if slot.replace(vector).is_some() {
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
