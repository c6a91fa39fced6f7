//! Port `Reranker`: judges how well each of a few texts answers a question.

use async_trait::async_trait;

use crate::{Agent, Result, Timestamp};

/// Texts that are to be put in order.
#[derive(Clone, Copy, Debug)]
pub struct RerankTask<'a> {
    /// Whose memory they are from.
    pub agent: &'a Agent,
    /// What is asked.
    pub question: &'a str,
    /// The texts, the one that is best without a model first.
    pub texts: &'a [String],
    /// Now, for budgets.
    pub now: Timestamp,
}

/// A model that reads question and text together, which tells more than comparing a vector of each, and costs more.
#[async_trait]
pub trait Reranker: Send + Sync {
    /// One score for each text, in the order of the texts: finite, higher is better, comparable within this call alone. Never
    /// waits longer than its own deadline; an error says why there is no judgement, without a word of question or texts.
    async fn rerank(&self, task: RerankTask<'_>) -> Result<Vec<f64>>;
}
