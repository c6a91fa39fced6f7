//! Batches of requests to models, and estimated costs of requests.

use std::collections::BTreeMap;

use annals_core::ports::{BatchState, ModelBatch};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::AgentFailure;

/// A batch that has not ended, or that failed within the last day.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct BatchView {
    /// Id that the provider gave the batch; null before the provider has created it.
    pub id: Option<String>,
    /// URL of the provider.
    pub base_url: String,
    /// Name of the model that answers the requests.
    pub model: String,
    /// `prepared`: recorded, not sent yet. `sending`: the provider was asked to create the batch. `sent`: the provider has
    /// created it. `ended`: no more answers are read.
    pub state: String,
    /// When the batch was recorded, before it was sent.
    #[schema(format = DateTime)]
    pub at: String,
    /// Number of requests in the batch.
    pub requests: u64,
    /// Number of requests that the provider has processed.
    pub done: u64,
    /// Why the last attempt to send or read the batch failed, or why it ended without results. Absent without a failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
}

impl From<ModelBatch> for BatchView {
    fn from(batch: ModelBatch) -> BatchView {
        BatchView {
            id: batch.remote.filter(|_| matches!(batch.state, BatchState::Sent | BatchState::Ended)),
            base_url: batch.base_url,
            model: batch.model,
            state: batch.state.as_str().to_owned(),
            at: batch.at.to_string(),
            requests: batch.requests,
            done: batch.done,
            failure: batch.failure,
        }
    }
}

/// One step of a roll-up by batches: results were taken, summaries written, and further requests sent.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct BatchStep {
    /// Number of summaries written, per grain.
    pub written: BTreeMap<String, u64>,
    /// Periods of all agents that could not be summarized, with the errors.
    pub failed: Vec<AgentFailure>,
    /// Number of periods that wait for answers of a batch.
    pub in_batch: u64,
    /// Number of periods that wait for an unavailable model.
    pub waiting: u64,
    /// Why the model is unavailable; null if it answers.
    pub outage: Option<String>,
    /// Number of requests that were sent.
    pub sent: u64,
    /// Number of requests that were answered, refused or given up.
    pub settled: u64,
    /// Number of requests that today's budget did not allow.
    pub over_budget: u64,
    /// Batches that have not ended.
    pub open: Vec<BatchView>,
    /// Errors in sending and reading batches in this step.
    pub failures: Vec<String>,
}

/// Estimated cost of the model calls for one purpose: extracting facts from waiting messages, or summaries of a grain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct EstimateView {
    /// `extraction`, or the grain of the summaries.
    pub purpose: String,
    /// Name of the model that would be called.
    pub model: String,
    /// Estimated number of calls.
    pub calls: u64,
    /// Estimated tokens of the requests.
    pub tokens_in: u64,
    /// Estimated tokens of the answers.
    pub tokens_out: u64,
    /// Estimated cost of these calls. Null if the model has no price.
    pub cost: Option<f64>,
    /// Estimated cost of these calls in a roll-up by batches. The same as `cost` for facts, which are not extracted in batches.
    /// Null if the model has no price.
    pub cost_in_batch: Option<f64>,
}
