//! Questions to memory and their answers.

use crate::{Date, DateRange, Grain, Interval, Kind, Memory, MemoryId, Period};

/// A search. Filters are hard: what lies outside them is never an answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Query {
    /// What is looked for; without it, the newest memories are listed.
    pub text: Option<String>,
    /// The grains to search; none means those that answer range and question.
    pub grains: Vec<Grain>,
    /// First day, inclusive.
    pub from: Option<Date>,
    /// Last day, inclusive.
    pub to: Option<Date>,
    /// Nothing newer than so many local days ago; 0 is today.
    pub min_days_ago: Option<u32>,
    /// Nothing older than so many local days ago.
    pub max_days_ago: Option<u32>,
    /// One period, together with the bounds above: turns of its calendar days, summaries of its cover.
    pub period: Option<Period>,
    /// Whether times in the text are words like any others: they raise nothing, and ask for no summary.
    pub ignore_times: bool,
    /// Leave out coarser memories that cover days outside the range as well.
    pub strict: bool,
    /// What kinds of memory; none means all.
    pub kinds: Vec<Kind>,
    /// Only turns of this conversation.
    pub conversation: Option<String>,
    /// The most results.
    pub limit: usize,
    /// The most tokens of all results together, estimated from above.
    pub tokens: Option<u64>,
    /// Whether each result says what its score is made of.
    pub explain: bool,
}

/// The part of a query that a store applies before it ranks.
#[derive(Clone, Debug, PartialEq)]
pub struct Filter {
    /// Memories whose cover shares an instant with this.
    pub within: Interval,
    /// What kinds; none means all.
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
    /// Whether the memory passes.
    pub fn admits(&self, cover: &Interval, kind: Kind, conversation: Option<&str>) -> bool {
        self.within.overlaps(cover)
            && (self.kinds.is_empty() || self.kinds.contains(&kind))
            && (self.conversation.is_none() || self.conversation.as_deref() == conversation)
    }
}

/// One result.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The memory, as the catalog has it now.
    pub memory: Memory,
    /// How well it fits: higher is better, comparable within one answer only.
    pub score: f64,
    /// How well it fits by itself; nothing where no question was asked.
    pub fit: Fit,
    /// Days that it covers outside the range that was asked for.
    pub days_outside: i64,
    /// What the score is the sum of, if that was asked for.
    pub parts: Vec<ScorePart>,
}

/// How well a memory fits a question by itself, beside no other. Two answers can be compared by it, where scores cannot.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Fit {
    /// Cosine similarity of its best part and the question.
    pub similarity: f64,
    /// The share of the question's words that it holds, from 0 to 1; rare words count more.
    pub words: f64,
}

impl Fit {
    /// The larger of each.
    pub fn max(self, other: Fit) -> Fit {
        Fit { similarity: self.similarity.max(other.similarity), words: self.words.max(other.words) }
    }
}

/// One summand of a score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScorePart {
    /// Which.
    pub name: &'static str,
    /// How much it adds.
    pub value: f64,
}

/// A conversation, ranked by its turns.
#[derive(Clone, Debug, PartialEq)]
pub struct ConversationFound {
    /// The conversation.
    pub conversation: String,
    /// How well it fits: higher is better, comparable within one answer only.
    pub score: f64,
    /// Its turn that fits best.
    pub best: MemoryId,
}

/// A time that the question speaks of. It only raises what was said then: most answers are said on another day than the day
/// they are about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimeExpression {
    /// The words in the question.
    pub words: String,
    /// The days they were taken for.
    pub days: DateRange,
}

/// Whether a model has put the best into its order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Reranked {
    /// None was asked: none is configured, no model may read this agent's words, or there is nothing to order.
    #[default]
    NotAsked,
    /// The best stand in its order.
    Yes,
    /// It was asked in vain, for this reason; the order is the one without it.
    No(String),
}

impl Reranked {
    /// Whether a model had its say, if one was asked.
    pub fn is_done(&self) -> Option<bool> {
        (*self != Reranked::NotAsked).then_some(*self == Reranked::Yes)
    }

    /// Why one was asked in vain.
    pub fn why_not(&self) -> Option<&str> {
        match self {
            Reranked::No(why) => Some(why),
            Reranked::NotAsked | Reranked::Yes => None,
        }
    }
}

/// The answer to a query.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The days that were searched; of a month and longer periods, for turns.
    pub range: DateRange,
    /// The days that were searched for summaries, where they differ: the whole weeks that a month is made of.
    pub summary_range: Option<DateRange>,
    /// Best first.
    pub results: Vec<Found>,
    /// With how many rows of the tables the text was compared; 0 without a text.
    pub compared: usize,
    /// Whether the range holds no memory of these grains at all, so that asking differently will not help.
    pub range_is_empty: bool,
    /// The grains that were searched.
    pub grains: Vec<Grain>,
    /// The times that the question was taken to speak of.
    pub times: Vec<TimeExpression>,
    /// The days that the question was taken to ask for as a whole; their summaries come first.
    pub period: Option<DateRange>,
    /// The conversations that the turns found belong to, best first.
    pub conversations: Vec<ConversationFound>,
    /// Whether a model has put the best into its order.
    pub reranked: Reranked,
}
