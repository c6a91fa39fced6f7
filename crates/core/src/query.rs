//! Search queries and their answers.

use crate::{Date, DateRange, Grain, Interval, Kind, Memory, MemoryId, Period};

/// A search. Filters are hard: memories outside them are never returned.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Query {
    /// The text to search for. Without it, the newest memories are listed.
    pub text: Option<String>,
    /// The grains to search; empty means that they are chosen from range and question.
    pub grains: Vec<Grain>,
    /// First day of the memories, inclusive. `None` means no lower bound.
    pub from: Option<Date>,
    /// Last day of the memories, inclusive. `None` means no upper bound.
    pub to: Option<Date>,
    /// Excludes memories newer than this many local days ago; 0 is today.
    pub min_days_ago: Option<u32>,
    /// Excludes memories older than this many local days ago.
    pub max_days_ago: Option<u32>,
    /// Only memories of this period, within the bounds above: turns of its calendar days, and summaries of its cover
    /// ([`Period::cover_days`]).
    pub period: Option<Period>,
    /// Whether time expressions in the text are treated as ordinary words: they boost nothing and request no summary.
    pub ignore_times: bool,
    /// Whether to leave out coarser memories that also cover days outside the range.
    pub strict: bool,
    /// The kinds of memory to search. Empty means all; without a text, all but passages of documents.
    pub kinds: Vec<Kind>,
    /// Only turns of this conversation.
    pub conversation: Option<String>,
    /// Maximum number of results, from 1 to 1,000.
    pub limit: usize,
    /// Maximum number of tokens of all results together. Tokens are estimated on the high side.
    pub tokens: Option<u64>,
    /// Whether each result lists the parts of its score.
    pub explain: bool,
}

/// The part of a query that a store applies before it ranks.
#[derive(Clone, Debug, PartialEq)]
pub struct Filter {
    /// Only memories with a cover that shares an instant with this interval.
    pub within: Interval,
    /// The kinds of memory; empty means all.
    pub kinds: Vec<Kind>,
    /// Only turns of this conversation.
    pub conversation: Option<String>,
}

impl Default for Filter {
    fn default() -> Filter {
        Filter { within: Interval::ALWAYS, kinds: Vec::new(), conversation: None }
    }
}

impl Filter {
    /// Returns whether a memory passes the filter.
    pub fn admits(&self, cover: &Interval, kind: Kind, conversation: Option<&str>) -> bool {
        self.within.overlaps(cover)
            && (self.kinds.is_empty() || self.kinds.contains(&kind))
            && (self.conversation.is_none() || self.conversation.as_deref() == conversation)
    }
}

/// A memory that a search found.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The memory, as the catalog has it now.
    pub memory: Memory,
    /// The score. Higher is better. Scores are comparable within one answer only.
    pub score: f64,
    /// How well the memory matches by itself. All zero if the query has no text, and for the summaries of the requested period.
    pub fit: Fit,
    /// Number of days that the memory covers outside the requested range.
    pub days_outside: i64,
    /// The summands of the score, if requested.
    pub parts: Vec<ScorePart>,
}

/// How well a memory matches a question by itself, independent of other memories. Unlike scores, it is comparable
/// between answers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Fit {
    /// Cosine similarity of the question and the best part of the memory; 0 if no vectors were compared.
    pub similarity: f64,
    /// The share of the question's words that the memory contains, weighted towards rare words. It is below 1 even if the
    /// memory contains all of them, because words that match nothing are added to the question.
    pub words: f64,
}

impl Fit {
    /// Returns the maximum of each field.
    pub fn max(self, other: Fit) -> Fit {
        Fit { similarity: self.similarity.max(other.similarity), words: self.words.max(other.words) }
    }
}

/// How a text compares with all table rows that pass a filter, found or not. All zero without a text.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Compared {
    /// Number of rows that pass the filter.
    pub rows: usize,
    /// Mean cosine similarity of the text and the rows; 0 without vectors.
    pub mean_similarity: f64,
    /// The share of the text's words that any of the rows contains, from 0 to 1, weighted towards rare words.
    pub known_words: f64,
}

/// What one ranking signal adds to a score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScorePart {
    /// Name of the ranking signal, as shown in explained results.
    pub name: &'static str,
    /// The amount that the signal adds to the score.
    pub value: f64,
}

/// A conversation, ranked by its turns.
#[derive(Clone, Debug, PartialEq)]
pub struct ConversationFound {
    /// Name of the conversation.
    pub conversation: String,
    /// The score. Higher is better. Scores are comparable within one answer only.
    pub score: f64,
    /// The turn that matches best.
    pub best: MemoryId,
}

/// A time expression in the question. It boosts what was said at that time. It never filters, because most answers were said on a
/// different day from the one they are about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimeExpression {
    /// The words in the question.
    pub words: String,
    /// The days they were resolved to.
    pub days: DateRange,
}

/// Whether a model reordered the best results.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Reranked {
    /// No model was called: none is configured, none may read this agent's text, or there is nothing to order.
    #[default]
    NotRequested,
    /// The best results are in the model's order.
    Yes,
    /// The call failed for this reason; the order is the one without a model.
    No(String),
}

impl Reranked {
    /// Returns whether the model's order was applied; `None` if no model was called.
    pub fn is_done(&self) -> Option<bool> {
        (*self != Reranked::NotRequested).then_some(*self == Reranked::Yes)
    }

    /// Returns why the call failed, if it did.
    pub fn why_not(&self) -> Option<&str> {
        match self {
            Reranked::No(why) => Some(why),
            Reranked::NotRequested | Reranked::Yes => None,
        }
    }
}

/// The answer to a query.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The days that were searched; for a month or a longer period, the days searched for turns.
    pub range: DateRange,
    /// The days that were searched for summaries, if they differ: the whole weeks that the month or longer period is made of.
    pub summary_range: Option<DateRange>,
    /// The results: the summaries of `period`, then the others, best first. Without a text, the newest first.
    pub results: Vec<Found>,
    /// The table rows that the text was compared with.
    pub compared: Compared,
    /// Whether the range holds no memory of these grains at all, so that rephrasing the question will not help. Passages of
    /// documents do not count. If the query names a conversation, only its turns count.
    pub range_is_empty: bool,
    /// The grains that were searched.
    pub grains: Vec<Grain>,
    /// The time expressions found in the question.
    pub times: Vec<TimeExpression>,
    /// The days that the question asks for as a whole, as in "what did I do last week". Their summaries come first.
    pub period: Option<DateRange>,
    /// The conversations of the turns that were found, best first.
    pub conversations: Vec<ConversationFound>,
    /// Whether a model reordered the best results.
    pub reranked: Reranked,
    /// Why some memories were searched by words only: the model of their vectors cannot be opened, or could not embed
    /// the question. `None` if all were searched by vectors too.
    pub words_alone: Option<String>,
}
