//! Questions by grain and date range, and their answers.

use annals_core::{ConversationFound, Date, Grain, Kind, TimeExpression};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{GrainWord, KindWord, MemoryView};

/// A search. Dates are local days of the agent's zone, and hard filters: nothing that lies wholly outside them is an answer.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SearchRequest {
    /// What is looked for; without it, the newest memories come.
    #[serde(default)]
    #[schema(example = "why was the trip cancelled?")]
    pub query: Option<String>,
    /// The grains to search; none means those that suit the range and the question.
    #[serde(default)]
    #[schema(value_type = Vec<GrainWord>)]
    #[schemars(with = "Vec<GrainWord>")]
    pub grains: Vec<Grain>,
    /// First day, inclusive.
    #[serde(default)]
    #[schema(value_type = Option<String>, format = Date, example = "2026-03-01")]
    #[schemars(with = "Option<String>", extend("format" = "date"))]
    pub from: Option<Date>,
    /// Last day, inclusive.
    #[serde(default)]
    #[schema(value_type = Option<String>, format = Date, example = "2026-03-31")]
    #[schemars(with = "Option<String>", extend("format" = "date"))]
    pub to: Option<Date>,
    /// Nothing newer than so many local days ago; 0 is today.
    #[serde(default)]
    #[schema(maximum = 1_000_000)]
    pub min_days_ago: Option<u32>,
    /// Nothing older than so many local days ago.
    #[serde(default)]
    #[schema(maximum = 1_000_000)]
    pub max_days_ago: Option<u32>,
    /// One period, instead of the bounds above: `2026-03-04`, `2026-W10`, `2026-03`, `2026-Q1` or `2026`. Turns are those of its
    /// calendar days; summaries of a month or longer those of its weeks.
    #[serde(default)]
    pub period: Option<String>,
    /// Whether times in the query, as "last month", are words like any others.
    #[serde(default)]
    pub ignore_times: bool,
    /// Leaves out coarser memories that cover days outside the range as well.
    #[serde(default)]
    pub strict: bool,
    /// What kinds of memory; none means all.
    #[serde(default)]
    #[schema(value_type = Vec<KindWord>)]
    #[schemars(with = "Vec<KindWord>")]
    pub kinds: Vec<Kind>,
    /// Only turns of this conversation.
    #[serde(default)]
    pub conversation: Option<String>,
    /// Whether each result says what its score is made of.
    #[serde(default)]
    pub explain: bool,
    /// The most tokens of all results together, estimated from above.
    #[serde(default)]
    pub budget_tokens: Option<u64>,
    /// The most results: 1 to 1,000.
    #[serde(default = "ten")]
    #[schema(minimum = 1, maximum = 1000, default = 10)]
    pub limit: usize,
}

fn ten() -> usize {
    10
}

/// The days that were searched; an end that is missing is open.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema, ToSchema)]
pub struct RangeView {
    /// First day, inclusive.
    #[schema(value_type = Option<String>, format = Date)]
    #[schemars(with = "Option<String>", extend("format" = "date"))]
    pub from: Option<Date>,
    /// Last day, inclusive.
    #[schema(value_type = Option<String>, format = Date)]
    #[schemars(with = "Option<String>", extend("format" = "date"))]
    pub to: Option<Date>,
}

impl From<annals_core::DateRange> for RangeView {
    fn from(range: annals_core::DateRange) -> RangeView {
        RangeView { from: range.from, to: range.to }
    }
}

/// A time that a question speaks of.
#[derive(Clone, Debug, Serialize, JsonSchema, ToSchema)]
pub struct SaidTime {
    /// The words in the question.
    pub words: String,
    /// The days they were taken for.
    pub days: RangeView,
}

/// A conversation, ranked by its turns.
#[derive(Clone, Debug, Serialize, JsonSchema, ToSchema)]
pub struct ConversationView {
    /// The conversation.
    pub conversation: String,
    /// How well it fits: higher is better, comparable within one answer only.
    pub score: f64,
    /// Its turn that fits best.
    pub best: String,
}

impl From<TimeExpression> for SaidTime {
    fn from(time: TimeExpression) -> SaidTime {
        SaidTime { words: time.words, days: time.days.into() }
    }
}

impl From<ConversationFound> for ConversationView {
    fn from(found: ConversationFound) -> ConversationView {
        ConversationView { conversation: found.conversation, score: found.score, best: found.best.to_string() }
    }
}

/// Answer to a search, best first.
#[derive(Clone, Debug, Serialize, JsonSchema, ToSchema)]
pub struct SearchAnswer {
    /// Whose memory.
    pub agent: String,
    /// IANA name of the zone in which days are told.
    pub time_zone: String,
    /// The days that were searched; with a month or longer period, for turns.
    pub range: RangeView,
    /// The days that were searched for summaries, where they differ: the whole weeks of a month or longer period.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary_range: Option<RangeView>,
    /// What was found.
    pub results: Vec<MemoryView>,
    /// The grains that were searched.
    #[schema(value_type = Vec<GrainWord>)]
    #[schemars(with = "Vec<GrainWord>")]
    pub grains: Vec<Grain>,
    /// The times that the question was taken to speak of: they raise what was said then, and filter nothing.
    pub said: Vec<SaidTime>,
    /// The days that the question was taken to ask for as a whole, as "what happened in July?" does: their summaries come first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub period: Option<RangeView>,
    /// The conversations of the turns that were found, best first.
    pub conversations: Vec<ConversationView>,
    /// Whether the range holds no memory of these grains at all, so that asking differently will not help.
    pub range_is_empty: bool,
    /// Whether the configured model has put the best into its order; absent where none is configured for this agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reranked: Option<bool>,
    /// Why it has not, though it was asked: the order is then the one without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_reranked_because: Option<String>,
    /// What to try when little was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// Which memories to list in order of time.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, ToSchema, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct TimelineWish {
    /// The grains, separated by commas; without it all summaries.
    #[serde(default)]
    #[param(example = "daily,weekly")]
    pub grains: Option<String>,
    /// First day, inclusive.
    #[serde(default)]
    #[param(value_type = Option<String>, format = Date)]
    #[schema(value_type = Option<String>, format = Date)]
    #[schemars(with = "Option<String>", extend("format" = "date"))]
    pub from: Option<Date>,
    /// Last day, inclusive.
    #[serde(default)]
    #[param(value_type = Option<String>, format = Date)]
    #[schema(value_type = Option<String>, format = Date)]
    #[schemars(with = "Option<String>", extend("format" = "date"))]
    pub to: Option<Date>,
    /// The most memories: 1 to 1,000; 100 if not given.
    #[serde(default)]
    #[param(minimum = 1, maximum = 1000)]
    pub limit: Option<usize>,
    /// Goes on where an answer ended: its `next_cursor`.
    #[serde(default)]
    pub cursor: Option<String>,
}

/// Memories in order of time, oldest first; of those that begin together the coarsest first.
#[derive(Clone, Debug, Serialize, JsonSchema, ToSchema)]
pub struct TimelineAnswer {
    /// Whose.
    pub agent: String,
    /// IANA name of the zone in which days are told.
    pub time_zone: String,
    /// The memories.
    pub memories: Vec<MemoryView>,
    /// Periods with input that are not over yet, from fine to coarse: their summaries are still to come.
    pub open: Vec<String>,
    /// Where the next memories begin, if there are more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}
