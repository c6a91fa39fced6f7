//! Searches by grain and date range, timelines, and their answers.

use annals_core::{ConversationFound, Date, Grain, Kind, TimeExpression};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{GrainWord, KindWord, MemoryView};

/// A search. Dates are local days of the agent's time zone, and hard filters: a memory that lies entirely outside them is never
/// returned.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SearchRequest {
    /// A question or words. Without a query, the newest memories are returned.
    #[serde(default)]
    #[schema(example = "why was the trip cancelled?")]
    pub query: Option<String>,
    /// Grains to search. If empty: turns, and coarser grains for times of which finer memories were pruned; without a query,
    /// all.
    #[serde(default)]
    #[schema(value_type = Vec<GrainWord>)]
    #[schemars(with = "Vec<GrainWord>")]
    pub grains: Vec<Grain>,
    /// First day of the range, inclusive. Without it, the range has no beginning.
    #[serde(default)]
    #[schema(value_type = Option<String>, format = Date, example = "2026-03-01")]
    #[schemars(with = "Option<String>", extend("format" = "date"))]
    pub from: Option<Date>,
    /// Last day of the range, inclusive. Without it, the range has no end.
    #[serde(default)]
    #[schema(value_type = Option<String>, format = Date, example = "2026-03-31")]
    #[schemars(with = "Option<String>", extend("format" = "date"))]
    pub to: Option<Date>,
    /// Excludes memories newer than this many local days ago. 0 is today.
    #[serde(default)]
    #[schema(maximum = 1_000_000)]
    pub min_days_ago: Option<u32>,
    /// Excludes memories older than this many local days ago.
    #[serde(default)]
    #[schema(maximum = 1_000_000)]
    pub max_days_ago: Option<u32>,
    /// One period: `2026-03-04`, `2026-W10`, `2026-03`, `2026-Q1` or `2026`. Other bounds apply in addition. Turns are searched
    /// on its calendar days; summaries, for a month or longer, in its whole weeks.
    #[serde(default)]
    pub period: Option<String>,
    /// Treats times in the query, such as "last month", as ordinary words.
    #[serde(default)]
    pub ignore_times: bool,
    /// Leaves out coarser memories that also cover days outside the range.
    #[serde(default)]
    pub strict: bool,
    /// Kinds of memory to return. Empty means all; without a query, all except passages.
    #[serde(default)]
    #[schema(value_type = Vec<KindWord>)]
    #[schemars(with = "Vec<KindWord>")]
    pub kinds: Vec<Kind>,
    /// Only turns of this conversation.
    #[serde(default)]
    pub conversation: Option<String>,
    /// Whether each result lists the summands of its score.
    #[serde(default)]
    pub explain: bool,
    /// Maximum number of tokens of all results together. Tokens are estimated from above.
    #[serde(default)]
    pub budget_tokens: Option<u64>,
    /// Maximum number of results: 1 to 1,000.
    #[serde(default = "ten")]
    #[schema(minimum = 1, maximum = 1000, default = 10)]
    #[schemars(range(min = 1, max = 1000))]
    pub limit: usize,
}

fn ten() -> usize {
    10
}

/// A range of local days. A bound that is null is open.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct RangeView {
    /// First day, inclusive. Null if the range has no beginning.
    #[schema(value_type = Option<String>, format = Date)]
    #[schemars(with = "Option<String>", extend("format" = "date"))]
    pub from: Option<Date>,
    /// Last day, inclusive. Null if the range has no end.
    #[schema(value_type = Option<String>, format = Date)]
    #[schemars(with = "Option<String>", extend("format" = "date"))]
    pub to: Option<Date>,
}

impl From<annals_core::DateRange> for RangeView {
    fn from(range: annals_core::DateRange) -> RangeView {
        RangeView { from: range.from, to: range.to }
    }
}

/// A time expression in a query.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct TimeExpressionView {
    /// The words of the query, as written.
    pub words: String,
    /// The days that the words were taken to mean.
    pub days: RangeView,
}

/// A conversation, ranked by its turns.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct ConversationView {
    /// Name of the conversation.
    pub conversation: String,
    /// Relevance to the query: higher is better, comparable within one answer only.
    pub score: f64,
    /// Id of the turn of the conversation that matches best.
    pub best: String,
}

impl From<TimeExpression> for TimeExpressionView {
    fn from(time: TimeExpression) -> TimeExpressionView {
        TimeExpressionView { words: time.words, days: time.days.into() }
    }
}

impl From<ConversationFound> for ConversationView {
    fn from(found: ConversationFound) -> ConversationView {
        ConversationView { conversation: found.conversation, score: found.score, best: found.best.to_string() }
    }
}

/// Answer to a search, best results first.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct SearchAnswer {
    /// Current name of the agent. Requests may also use its former names.
    pub agent: String,
    /// IANA name of the time zone of the days.
    pub time_zone: String,
    /// The days that were searched. With a period of a month or longer, the days that were searched for turns.
    pub range: RangeView,
    /// The days that were searched for summaries, if they differ: the whole weeks of a period of a month or longer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary_range: Option<RangeView>,
    /// The memories that were found, best first, or newest first without a query.
    pub results: Vec<MemoryView>,
    /// The grains that were searched.
    #[schema(value_type = Vec<GrainWord>)]
    #[schemars(with = "Vec<GrainWord>")]
    pub grains: Vec<Grain>,
    /// Time expressions recognised in the query. Memories of these times get a higher score. Other memories are returned too.
    pub said: Vec<TimeExpressionView>,
    /// The days that the query asks about as a whole, as in "what happened in July?". Their summaries come first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub period: Option<RangeView>,
    /// The conversations of the turns that were found, best first.
    pub conversations: Vec<ConversationView>,
    /// Whether the range contains no memory of these grains at all. Another query then finds nothing either.
    pub range_is_empty: bool,
    /// Whether the configured rerank model ordered the best results. Absent if no model was called: none is configured, none
    /// may read this agent's memories, or there was nothing to order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reranked: Option<bool>,
    /// Why the rerank model did not order the results although it was called. The results then keep the order that they have
    /// without the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_reranked_because: Option<String>,
    /// Why some memories were found by their words alone, for example because the embedding model does not answer. Absent if
    /// vectors were compared everywhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words_alone_because: Option<String>,
    /// Why the newest messages were not searched. Only in answers to commands, which otherwise wait until all messages are
    /// searchable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub incomplete_because: Option<String>,
    /// Advice what else to try. Absent if enough was found, or if there is no advice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// A query for memories in order of time.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema, ToSchema, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct TimelineRequest {
    /// Grains of the memories, separated by commas. Default: all grains of summaries.
    #[serde(default)]
    #[param(example = "daily,weekly")]
    pub grains: Option<String>,
    /// First local day of the memories, inclusive.
    #[serde(default)]
    #[param(value_type = Option<String>, format = Date)]
    #[schema(value_type = Option<String>, format = Date)]
    #[schemars(with = "Option<String>", extend("format" = "date"))]
    pub from: Option<Date>,
    /// Last local day of the memories, inclusive.
    #[serde(default)]
    #[param(value_type = Option<String>, format = Date)]
    #[schema(value_type = Option<String>, format = Date)]
    #[schemars(with = "Option<String>", extend("format" = "date"))]
    pub to: Option<Date>,
    /// Excludes memories newer than this many local days ago. 0 is today.
    #[serde(default)]
    #[param(maximum = 1_000_000)]
    pub min_days_ago: Option<u32>,
    /// Excludes memories older than this many local days ago.
    #[serde(default)]
    #[param(maximum = 1_000_000)]
    pub max_days_ago: Option<u32>,
    /// One period: `2026-03-04`, `2026-W10`, `2026-03`, `2026-Q1` or `2026`. Other bounds apply in addition.
    #[serde(default)]
    pub period: Option<String>,
    /// Maximum number of memories: 1 to 1,000. Default: 100.
    #[serde(default)]
    #[param(minimum = 1, maximum = 1000)]
    #[schemars(range(min = 1, max = 1000))]
    pub limit: Option<usize>,
    /// Continues a previous answer: its `next_cursor`.
    #[serde(default)]
    pub cursor: Option<String>,
}

/// Memories in order of time, oldest first, without passages of documents. Of memories that begin together, the coarsest comes
/// first.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct TimelineAnswer {
    /// Current name of the agent. Requests may also use its former names.
    pub agent: String,
    /// IANA name of the time zone of the days.
    pub time_zone: String,
    /// The memories of this page.
    pub memories: Vec<MemoryView>,
    /// Periods with input that are not over yet, from fine to coarse. They have no summaries until their end.
    pub open: Vec<String>,
    /// Cursor of the next page, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}
