//! Port `Batching`: summaries by batches of requests, which a provider answers within a day at a lower price.

use std::sync::Arc;

use async_trait::async_trait;

use super::{Engine, Extractor, ModelBatch};
use crate::{Purpose, Result, Timestamp};

/// The result of sending batches, or of polling sent ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BatchReport {
    /// Number of requests that were sent.
    pub sent: u64,
    /// Number of requests that were answered, refused or given up.
    pub settled: u64,
    /// Number of requests that the budget of the collecting engine did not allow ([`Batching::collecting`]). They were not
    /// sent.
    pub over_budget: u64,
    /// Batches that have not ended, of servers that are configured.
    pub open: Vec<ModelBatch>,
    /// Failures, as text for people. Failed steps are retried where possible.
    pub failures: Vec<String>,
}

/// Tokens that requests of a purpose would need.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Estimate {
    /// What the requests are for.
    pub purpose: Purpose,
    /// Name of the model.
    pub model: String,
    /// Number of calls.
    pub calls: u64,
    /// Tokens of the requests.
    pub tokens_in: u64,
}

/// Collects requests, sends them as batches, and saves the answers as replies.
#[async_trait]
pub trait Batching: Send + Sync {
    /// Returns an engine that collects its requests for a batch instead of sending each. `budget` is the number of tokens that
    /// each agent may use on the UTC day, in place of all configured limits. With `None`, the configured limits apply. The
    /// engine fails with [`crate::Error::InBatch`] for a request without a saved answer.
    fn collecting(&self, budget: Option<u64>) -> Arc<dyn Engine>;

    /// Returns an engine and an extractor that only count their requests.
    fn counting(&self) -> Counting;

    /// Sends the collected requests. Records each batch before it is sent.
    async fn send(&self, now: Timestamp) -> Result<BatchReport>;

    /// Polls the open batches, and saves the answers of those that have ended.
    async fn take(&self, now: Timestamp) -> Result<BatchReport>;

    /// Cancels the open batches, here and at their providers. Their periods are due again. Providers may bill the requests that
    /// they have already answered.
    async fn abandon(&self) -> Result<BatchReport>;
}

/// An engine and an extractor that send nothing. They count the requests without a saved answer. For these, the engine fails
/// with [`crate::Error::InBatch`], and the extractor finds nothing.
pub struct Counting {
    /// Writes no summary that needs a model.
    pub engine: Arc<dyn Engine>,
    /// Finds nothing that needs a model.
    pub extractor: Arc<dyn Extractor>,
    /// Returns what both have counted so far, by purpose.
    pub counted: Counted,
}

/// A function that returns what an engine and an extractor have counted so far, by purpose.
pub type Counted = Arc<dyn Fn() -> Vec<Estimate> + Send + Sync>;
