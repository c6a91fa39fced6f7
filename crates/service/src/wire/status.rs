//! Status of an agent: what is stored, what is waiting, what failed, what it cost.

use std::collections::BTreeMap;
use std::path::PathBuf;

use annals_core::ports::ModelState;
use annals_core::{Date, LedgerRow, Period, Timestamp, Usage};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{BatchView, EstimateView};

/// Agents that the caller may use, ordered by name.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct AgentsAnswer {
    /// Current names of the agents.
    pub agents: Vec<String>,
    /// Cursor of the next page. Absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// The size and the state of an agent's memory, for a list of agents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentView {
    /// Current name of the agent.
    pub agent: String,
    /// Number of live turns, statements and passages of documents.
    pub turns: u64,
    /// Number of live summaries of all grains.
    pub summaries: u64,
    /// Local day of the first turn.
    pub first: Option<Date>,
    /// Local day of the last turn.
    pub last: Option<Date>,
    /// When messages were last stored or corrected.
    pub last_ingest: Option<Timestamp>,
    /// Number of changes that searches do not find yet.
    pub not_yet_searchable: u64,
    /// Number of periods that failed in the last roll-up.
    pub failed: u64,
    /// Number of periods that the built-in engine wrote in place of a model.
    pub degraded: u64,
}

/// Status of the agents of a data folder.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FolderStatus {
    /// Path of the data folder.
    pub data: PathBuf,
    /// One entry for each agent.
    pub agents: Vec<StatusView>,
    /// Batches of all agents that have not ended, or failed within a day.
    pub batches: Vec<BatchView>,
}

/// Status of an agent.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct StatusView {
    /// Current name of the agent. Requests may also use its former names.
    pub agent: String,
    /// IANA name of the agent's time zone.
    pub time_zone: String,
    /// Number of live memories per grain.
    pub memories: BTreeMap<String, u64>,
    /// When the agent's first message was said.
    #[schema(format = DateTime)]
    pub first: Option<String>,
    /// When the agent's last message was said.
    #[schema(format = DateTime)]
    pub last: Option<String>,
    /// When messages were last stored or corrected.
    #[schema(format = DateTime)]
    pub last_ingest: Option<String>,
    /// Number of changes that searches do not find yet.
    pub not_yet_searchable: u64,
    /// Why the last attempt to make changes searchable failed. The attempt is repeated with growing pauses.
    pub index_error: Option<String>,
    /// Number of changes that are not read for facts yet.
    pub not_yet_read_for_facts: u64,
    /// Why the last attempt to extract facts failed. Null if it succeeded.
    pub extraction_error: Option<String>,
    /// Per grain of summaries: what was written, what is waiting, when the next period closes.
    pub grains: Vec<GrainStatus>,
    /// Closed periods that are due for a roll-up.
    pub due: Vec<String>,
    /// Periods that wait for answers of a batch.
    #[serde(default)]
    pub in_batch: Vec<String>,
    /// Periods that are not over yet.
    pub open: Vec<String>,
    /// Periods that failed in the last roll-up or have to wait, and when they are tried again.
    pub failed: Vec<FailureView>,
    /// Periods that the built-in engine wrote in place of a model. They are written again when the model is available.
    pub degraded: Vec<String>,
    /// Periods with a summary that the sources do not fully support, each with the number of unsupported names, numbers, dates
    /// and negations.
    #[serde(default)]
    pub ungrounded: Vec<UngroundedView>,
    /// Number of memories that could not be made searchable or read for facts. `annals dead list` shows why.
    pub dead: usize,
    /// Name of the retention plan, which says how long memories of each grain are kept.
    pub plan: String,
    /// Number of periods with a summary that can only be amended, because the sources were pruned.
    pub sealed: usize,
    /// Tokens of the last thirty days, by day, purpose and model.
    pub usage: Vec<UsageView>,
    /// The models that write for this agent, with figures since the service started.
    #[serde(default)]
    pub models: Vec<ModelView>,
    /// Estimated number of requests to models that the due periods and the changes not yet read for facts take, at least.
    pub requests_left: Option<u64>,
    /// Estimated seconds that these requests take. Null until a request was answered.
    pub seconds_left: Option<u64>,
    /// Progress of embedding the tables again after a change of the embedding model. Absent if all tables are of the configured
    /// model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reembedding: Option<ReembeddingView>,
}

/// A change of the embedding model that is under way. Searches use the former tables until it is complete.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct ReembeddingView {
    /// Models of the tables that searches use now; an empty name for a table with placeholders in place of vectors.
    pub from: Vec<String>,
    /// Name of the configured model, with which the tables are embedded again.
    pub to: String,
    /// Former models that cannot be opened. The memories of their tables are found by words alone.
    pub missing: Vec<String>,
    /// Number of changes that the new tables hold.
    pub done: u64,
    /// Number of changes that the new tables hold when they are complete.
    pub total: u64,
    /// Estimated seconds until the new tables are complete. Null until the service has begun.
    pub seconds_left: Option<u64>,
}

/// A configured model, with figures since the service started.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct ModelView {
    /// Name of the model, as in the configuration.
    pub model: String,
    /// What the model is used for: `extraction` or grains of summaries.
    pub purposes: Vec<String>,
    /// Context window in use: tokens of question and answer together.
    pub window: u64,
    /// Tokens of questions read per second.
    pub read_per_second: Option<f64>,
    /// Tokens of answers written per second.
    pub written_per_second: Option<f64>,
    /// Number of requests that the model has answered.
    pub requests: u64,
    /// Number of requests that the model is answering now.
    pub running: u64,
    /// Tokens of all questions.
    pub tokens_in: u64,
    /// Tokens of questions that the server had cached.
    pub cached: u64,
    /// Tokens of all answers.
    pub tokens_out: u64,
}

impl From<ModelState> for ModelView {
    fn from(state: ModelState) -> ModelView {
        ModelView {
            model: state.model,
            purposes: state.purposes.iter().map(|purpose| purpose.as_str().to_owned()).collect(),
            window: state.window,
            read_per_second: state.reading,
            written_per_second: state.writing,
            requests: state.requests,
            running: state.running,
            tokens_in: state.tokens_in,
            cached: state.cached,
            tokens_out: state.tokens_out,
        }
    }
}

/// A summary that its sources do not fully support.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct UngroundedView {
    /// Label of the period, as in `2026-W10`.
    pub period: String,
    /// Number of unsupported names, numbers, dates and negations.
    pub faults: u32,
}

/// Status of one grain of summaries.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct GrainStatus {
    /// Name of the grain: `daily`, `weekly`, `monthly`, `quarterly` or `yearly`.
    pub grain: String,
    /// Label of the last period that was rolled up. Null if none was.
    pub last_period: Option<String>,
    /// Number of closed periods with a summary that is missing or older than its input.
    pub stale: u64,
    /// When the next period of this grain closes.
    #[schema(format = DateTime)]
    pub next_close: Option<String>,
}

/// A period that failed in the last roll-up, or has to wait.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct FailureView {
    /// Label of the period, as in `2026-W10`.
    pub period: String,
    /// Number of failed attempts since the last success.
    pub attempts: u32,
    /// Why the last attempt failed, or what the period waits for.
    pub error: String,
    /// Earliest time of the next attempt.
    #[schema(format = DateTime)]
    pub not_before: Option<String>,
}

impl FailureView {
    /// Returns the failure that a ledger row records; `None` if it records none.
    pub fn of(row: &LedgerRow) -> Option<FailureView> {
        Some(FailureView {
            period: row.period.to_string(),
            attempts: row.attempts,
            error: row.last_error.clone()?,
            not_before: row.not_before.map(|at| at.to_string()),
        })
    }
}

/// Tokens that were used on one UTC day for one purpose and model. Single calls and batches are counted apart.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct UsageView {
    /// UTC day on which the tokens were used.
    pub day: String,
    /// What the tokens were used for: `extraction`, `rerank`, or the grain of a summary.
    pub purpose: String,
    /// Name of the model.
    pub model: String,
    /// Whether the answers came in batches, at half the price.
    #[serde(default)]
    pub batch: bool,
    /// Number of calls that were answered.
    pub calls: u64,
    /// Tokens of the requests.
    pub tokens_in: u64,
    /// Of `tokens_in`, those that the provider read from its prompt cache.
    #[serde(default)]
    pub cache_read: u64,
    /// Of `tokens_in`, those that the provider wrote to its prompt cache, if it counts them.
    #[serde(default)]
    pub cache_written: u64,
    /// Tokens of the answers.
    pub tokens_out: u64,
}

impl From<&Usage> for UsageView {
    fn from(usage: &Usage) -> UsageView {
        UsageView {
            day: usage.day.to_string(),
            purpose: usage.purpose.as_str().to_owned(),
            model: usage.model.clone(),
            batch: usage.batch,
            calls: usage.calls,
            tokens_in: usage.tokens_in,
            cache_read: usage.cache.read,
            cache_written: usage.cache.written,
            tokens_out: usage.tokens_out,
        }
    }
}

/// A request to write the summaries that are due.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RollupRequest {
    /// Writes nothing. Reports the periods that would be rolled up, the number of words to read, and what the models would
    /// cost.
    #[serde(default)]
    pub dry_run: bool,
    /// Also rewrites summaries that were written with a prompt, model or engine other than the present one.
    #[serde(default)]
    pub refresh: bool,
}

/// A period that is over but not due yet, because messages of it may still arrive.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct NotYetDueView {
    /// Label of the period, as in `2026-W10`.
    pub period: String,
    /// When the period becomes due, if no further message arrives.
    #[schema(format = DateTime)]
    pub due_at: String,
}

impl From<(Period, Timestamp)> for NotYetDueView {
    fn from((period, due_at): (Period, Timestamp)) -> NotYetDueView {
        NotYetDueView { period: period.to_string(), due_at: due_at.to_string() }
    }
}

/// Result of a roll-up, or the plan of a dry run.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct RollupAnswer {
    /// Current name of the agent. Requests may also use its former names.
    pub agent: String,
    /// Whether this was a dry run.
    pub dry_run: bool,
    /// Dry run: periods that would be rolled up.
    pub periods: Vec<String>,
    /// Dry run: number of words that would be read.
    pub words: u64,
    /// Number of summaries written, per grain.
    pub written: BTreeMap<String, u64>,
    /// Number of periods that were not written again, because their input was unchanged.
    pub unchanged: u64,
    /// Number of summaries removed because none of their sources is left.
    pub removed: u64,
    /// Number of summaries that the built-in engine wrote in place of a model.
    pub degraded: u64,
    /// Periods that failed. They are tried again later.
    pub failed: Vec<FailureView>,
    /// Number of periods that are due and were not begun, because the roll-up was stopped. The next roll-up writes them.
    #[serde(default)]
    pub left: u64,
    /// Periods that failed or had to wait before and were not tried now, with the time of the next attempt.
    #[serde(default)]
    pub postponed: Vec<FailureView>,
    /// Periods that wait for an unavailable model.
    pub waiting: Vec<String>,
    /// Why summaries or facts wait, for example because a model is unavailable. Null if nothing waits.
    pub outage: Option<String>,
    /// Number of periods that wait for answers of a batch.
    #[serde(default)]
    pub in_batch: u64,
    /// Dry run: what models would cost, by purpose.
    #[serde(default)]
    pub estimates: Vec<EstimateView>,
    /// Dry run: currency of the costs in `estimates`; empty if there are no prices.
    #[serde(default)]
    pub currency: String,
    /// Periods that are over but not due yet, because messages of them may still arrive.
    pub not_yet_due: Vec<NotYetDueView>,
    /// Number of fact operations found in new messages.
    pub fact_operations: u64,
}
