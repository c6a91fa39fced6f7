//! Port `Reranker`: scores how well each of a few texts answers a question.

use async_trait::async_trait;

use crate::{Agent, Result, Timestamp};

/// Texts to be ordered by relevance.
#[derive(Clone, Copy, Debug)]
pub struct RerankTask<'a> {
    /// The agent that owns the texts.
    pub agent: &'a Agent,
    /// The question that the texts are compared with.
    pub question: &'a str,
    /// The texts, in the order found without a model, best first.
    pub texts: &'a [String],
    /// Id of the API key of the request, if it has one. Its budget is charged too.
    pub access_key: Option<&'a str>,
    /// The current time, for budgets.
    pub now: Timestamp,
}

/// A model that reads question and text together. This is more accurate than comparing two vectors, and costs more.
#[async_trait]
pub trait Reranker: Send + Sync {
    /// Returns one score per text, in the order of the texts: finite, higher is better, comparable within this call
    /// only. Never waits longer than its own deadline. An error gives the reason without any words of the question or
    /// the texts.
    async fn rerank(&self, task: RerankTask<'_>) -> Result<Vec<f64>>;
}
