//! How an agent is doing: what is stored, what waits, what went wrong, what it cost.

use std::collections::BTreeMap;

use annals_core::{LedgerRow, Usage};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The agents that the caller may see, by name.
#[derive(Clone, Debug, Serialize, JsonSchema, ToSchema)]
pub struct AgentsAnswer {
    /// Their names.
    pub agents: Vec<String>,
    /// Where the next names begin, if there are more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// How an agent is doing.
#[derive(Clone, Debug, Serialize, JsonSchema, ToSchema)]
pub struct StatusView {
    /// Whose.
    pub agent: String,
    /// IANA name of its zone.
    pub time_zone: String,
    /// Live memories by grain.
    pub memories: BTreeMap<String, u64>,
    /// When the first of its messages was said.
    #[schema(format = DateTime)]
    pub first: Option<String>,
    /// When the last of its messages was said.
    #[schema(format = DateTime)]
    pub last: Option<String>,
    /// When messages last came in.
    #[schema(format = DateTime)]
    pub last_ingest: Option<String>,
    /// Changes that searches do not find yet.
    pub not_yet_searchable: u64,
    /// Changes that were not read for facts yet.
    pub not_yet_read_for_facts: u64,
    /// Why reading for facts last failed.
    pub extraction_error: Option<String>,
    /// By grain: what was written, what waits, when the next period closes.
    pub grains: Vec<GrainStatus>,
    /// Closed periods that are to be rolled up.
    pub due: Vec<String>,
    /// Periods that are not over yet.
    pub open: Vec<String>,
    /// Periods that failed, and when they are tried again.
    pub failed: Vec<FailureView>,
    /// Periods that the built-in engine wrote in place of a model; they are written anew when it is back.
    pub degraded: Vec<String>,
    /// Messages that could not be brought through a stage; `annals dead list` says why.
    pub dead: usize,
    /// Name of the retention plan.
    pub plan: String,
    /// Periods whose sources were pruned.
    pub sealed: usize,
    /// Tokens of the last thirty days, by day, work and model.
    pub usage: Vec<UsageView>,
}

/// What one grain of summaries has come to.
#[derive(Clone, Debug, Serialize, JsonSchema, ToSchema)]
pub struct GrainStatus {
    /// The grain.
    pub grain: String,
    /// The last period with a summary.
    pub last_period: Option<String>,
    /// Closed periods whose summary is missing or behind its input.
    pub stale: u64,
    /// When the next of its periods closes.
    #[schema(format = DateTime)]
    pub next_close: Option<String>,
}

/// A period that failed.
#[derive(Clone, Debug, Serialize, JsonSchema, ToSchema)]
pub struct FailureView {
    /// Which.
    pub period: String,
    /// How often.
    pub attempts: u32,
    /// Why, the last time.
    pub error: String,
    /// When it is tried again.
    #[schema(format = DateTime)]
    pub not_before: Option<String>,
}

impl FailureView {
    /// The failure of a row, if it has one.
    pub fn of(row: &LedgerRow) -> Option<FailureView> {
        Some(FailureView {
            period: row.period.to_string(),
            attempts: row.attempts,
            error: row.last_error.clone()?,
            not_before: row.not_before.map(|at| at.to_string()),
        })
    }
}

/// What one kind of work has cost on one UTC day.
#[derive(Clone, Debug, Serialize, JsonSchema, ToSchema)]
pub struct UsageView {
    /// The UTC day.
    pub day: String,
    /// The work: extraction, or a grain.
    pub purpose: String,
    /// The model.
    pub model: String,
    /// Calls that were answered.
    pub calls: u64,
    /// Tokens of the questions.
    pub tokens_in: u64,
    /// Tokens of the answers.
    pub tokens_out: u64,
}

impl From<&Usage> for UsageView {
    fn from(usage: &Usage) -> UsageView {
        UsageView {
            day: usage.day.to_string(),
            purpose: usage.purpose.as_str().to_owned(),
            model: usage.model.clone(),
            calls: usage.calls,
            tokens_in: usage.tokens_in,
            tokens_out: usage.tokens_out,
        }
    }
}

/// What to roll up.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RollupRequest {
    /// Only says what would be read.
    #[serde(default)]
    pub dry_run: bool,
    /// Also writes summaries anew whose prompt, model or engine is not the present one.
    #[serde(default)]
    pub refresh: bool,
}

/// What a roll-up came to, or would read.
#[derive(Clone, Debug, Serialize, JsonSchema, ToSchema)]
pub struct RollupAnswer {
    /// Whose.
    pub agent: String,
    /// Whether it was only looked at.
    pub dry_run: bool,
    /// Periods that would be read, of a dry run.
    pub periods: Vec<String>,
    /// Words that would be read, of a dry run.
    pub words: u64,
    /// Summaries written, by grain.
    pub written: BTreeMap<String, u64>,
    /// Periods whose input turned out to be what their summary was made of.
    pub unchanged: u64,
    /// Summaries that went with the last of what they told of.
    pub removed: u64,
    /// Summaries that the built-in engine wrote in place of a model.
    pub degraded: u64,
    /// Periods that failed; they are tried again later.
    pub failed: Vec<FailureView>,
    /// Periods that wait for a model that is away.
    pub waiting: Vec<String>,
    /// Why it is away.
    pub outage: Option<String>,
    /// Fact operations found in new messages.
    pub fact_operations: u64,
}
