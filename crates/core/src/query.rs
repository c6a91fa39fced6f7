//! Questions to memory and their answers.

use crate::{Date, DateRange, Grain, Interval, Kind, Memory, Period};

/// A search. Filters are hard: what lies outside them is never an answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Query {
    /// What is looked for; without it, the newest memories are listed.
    pub text: Option<String>,
    /// The grains to search; none means all.
    pub grains: Vec<Grain>,
    /// First day, inclusive.
    pub from: Option<Date>,
    /// Last day, inclusive.
    pub to: Option<Date>,
    /// Nothing newer than so many local days ago; 0 is today.
    pub min_days_ago: Option<u32>,
    /// Nothing older than so many local days ago.
    pub max_days_ago: Option<u32>,
    /// The cover of one period, instead of the bounds above.
    pub period: Option<Period>,
    /// Leave out coarser memories that cover days outside the range as well.
    pub strict: bool,
    /// What kinds of memory; none means all.
    pub kinds: Vec<Kind>,
    /// Only turns of this conversation.
    pub conversation: Option<String>,
    /// The most results.
    pub limit: usize,
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
    /// Days that it covers outside the range that was asked for.
    pub days_outside: i64,
}

/// The answer to a query.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The days that were searched.
    pub range: DateRange,
    /// Best first.
    pub results: Vec<Found>,
    /// Whether the range holds no memory of these grains at all, so that asking differently will not help.
    pub range_is_empty: bool,
}
