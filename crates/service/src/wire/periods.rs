//! The periods of an agent with the state of each, and its days with the number of their turns: an overview of a memory without
//! texts.

use annals_core::{Author, Date, Grain};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::GrainWord;

/// Which periods to return.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, JsonSchema, ToSchema, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct PeriodsRequest {
    /// First day, inclusive. Periods that end before it are left out.
    #[serde(default)]
    #[param(value_type = Option<String>, format = Date)]
    #[schema(value_type = Option<String>, format = Date)]
    #[schemars(with = "Option<String>", extend("format" = "date"))]
    pub from: Option<Date>,
    /// Last day, inclusive. Periods that begin after it are left out.
    #[serde(default)]
    #[param(value_type = Option<String>, format = Date)]
    #[schema(value_type = Option<String>, format = Date)]
    #[schemars(with = "Option<String>", extend("format" = "date"))]
    pub to: Option<Date>,
}

/// State of the summary of a period.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum PeriodState {
    /// The period is not over yet. Its summary is written after its end.
    Open,
    /// The summary covers all of its input.
    Closed,
    /// The summary is older than its input.
    Stale,
    /// The period is over and has no summary yet.
    Waiting,
    /// A roll-up of the agent is under way, and the period is due.
    Writing,
    /// The built-in engine wrote the summary in place of a model. It is written again when the model is available.
    Degraded,
    /// The last attempt failed.
    Failed,
    /// Retention has pruned the summary; a coarser one covers its days.
    Pruned,
    /// The memories from which the summary was made have been pruned. It can be amended or corrected, but not written again.
    Sealed,
    /// Nothing is left of the period: its sources were forgotten.
    Forgotten,
}

/// A day with turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct DayView {
    /// The day in the agent's time zone.
    #[schema(value_type = String, format = Date)]
    #[schemars(with = "String", extend("format" = "date"))]
    pub day: Date,
    /// Number of turns that were said on this day.
    pub turns: u64,
}

/// Who wrote a summary.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct AuthorView {
    /// The engine with its version.
    #[schema(example = "endpoint 1")]
    pub engine: String,
    /// The model. Null for the built-in engine.
    #[schema(example = "gpt-5-mini")]
    pub model: Option<String>,
    /// The prompt with the beginning of its digest. Null for the built-in engine.
    #[schema(example = "weekly (3f2a9c1b)")]
    pub prompt: Option<String>,
}

impl From<Author> for AuthorView {
    fn from(Author { engine, model, prompt }: Author) -> AuthorView {
        AuthorView { engine, model, prompt }
    }
}

/// A period that has or had input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct PeriodView {
    /// Label of the period.
    #[schema(example = "2026-W10")]
    pub period: String,
    /// Grain of the period: `daily` to `yearly`.
    #[schema(value_type = GrainWord)]
    #[schemars(with = "GrainWord")]
    pub grain: Grain,
    /// First local day that the period covers.
    #[schema(value_type = String, format = Date)]
    #[schemars(with = "String", extend("format" = "date"))]
    pub from: Date,
    /// Last local day that the period covers, inclusive.
    #[schema(value_type = String, format = Date)]
    #[schemars(with = "String", extend("format" = "date"))]
    pub to: Date,
    /// State of the summary.
    pub state: PeriodState,
    /// Id of the summary. Absent if the period has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// Who wrote the summary, before any correction by a person. Absent if it was written before this was recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<AuthorView>,
    /// Whether a person has corrected the summary.
    pub corrected: bool,
    /// Whether the summary was written with a prompt, model or engine other than the present one. False for a corrected summary,
    /// and for a degraded one, which is written again in any case.
    pub outdated: bool,
    /// Number of names, numbers and dates in the summary that no source contains, plus the number of sentences that contradict
    /// the sources.
    pub ungrounded: u32,
    /// Tokens paid for all versions of the summary so far; 0 if the built-in engine wrote them.
    pub tokens: u64,
    /// Number of failed attempts since the last success.
    pub attempts: u32,
    /// Why the last attempt failed, or what the period waits for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Earliest time of the next attempt.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime)]
    pub not_before: Option<String>,
}

/// The periods and days of an agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct PeriodsAnswer {
    /// Current name of the agent. Requests may also use its former names.
    pub agent: String,
    /// IANA name of the time zone of the days.
    pub time_zone: String,
    /// The current local day.
    #[schema(value_type = String, format = Date)]
    #[schemars(with = "String", extend("format" = "date"))]
    pub today: Date,
    /// First day that has or had input.
    #[schema(value_type = Option<String>, format = Date)]
    #[schemars(with = "Option<String>", extend("format" = "date"))]
    pub first: Option<Date>,
    /// Last day that has or had input.
    #[schema(value_type = Option<String>, format = Date)]
    #[schemars(with = "Option<String>", extend("format" = "date"))]
    pub last: Option<Date>,
    /// Last day with pruned turns. Null if no turns were pruned.
    #[schema(value_type = Option<String>, format = Date)]
    #[schemars(with = "Option<String>", extend("format" = "date"))]
    pub turns_pruned_until: Option<Date>,
    /// Days with turns, in order.
    pub days: Vec<DayView>,
    /// Periods that have or had input, by grain and time.
    pub periods: Vec<PeriodView>,
}
