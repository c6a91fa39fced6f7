//! The ranking of what the tables found, as one pipeline. Pure: everything it needs is handed in.
//!
//! 1. `legs`: similarity and relevance, each normalised over the rows of a table, become one row per memory.
//! 2. `neighbours`: a turn gains from what was said right before and after it.
//! 3. `conversations`: a turn gains from the best other turns of its conversation, and from how many of the question's words the
//!    conversation holds close together (`coverage`). Where there are no others it counts in their place: a note must not
//!    lose to a long conversation for what it cannot have.
//! 4. `content`: once the best are read back, what they say, who says it and when, and how often
//!    they were given out. Conversations are ranked by their best turns.
//! 5. A model's order, where one is configured (`rerank.rs`, which is not pure).
//! 6. `repeats`: what says much the same as something above goes down.

mod content;
mod conversations;
mod coverage;
mod legs;
mod neighbours;
mod repeats;
mod words;

use std::sync::Arc;

use annals_core::ports::{Access, Conversation, Conversations, Findings, Seat};
use annals_core::{Fit, Memory, MemoryId};

use crate::Weights;
use crate::score::Score;

pub(crate) use content::{Asked, content};
pub(crate) use conversations::{Support, conversations, support};
use legs::legs;
pub(crate) use neighbours::neighbours;
pub(crate) use repeats::repeats;

/// A memory on its way up or down.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) memory: MemoryId,
    /// Of a turn, the places of its first and its last part in its conversation.
    pub(crate) seats: Option<(Seat, Seat)>,
    /// Which of the question's words it holds, a bit each.
    pub(crate) matched: u64,
    pub(crate) fit: Fit,
    pub(crate) score: Score,
}

impl Row {
    /// Takes in another part of the same memory.
    fn merge(&mut self, other: Row) {
        self.matched |= other.matched;
        self.fit = self.fit.max(other.fit);
        self.score.raise(&other.score);
        self.seats = self.seats.zip(other.seats).map(|(own, other)| (own.0.min(other.0), own.1.max(other.1)));
    }

    /// Its conversation stands behind so many others.
    fn renumber(&mut self, others: usize) {
        if let Some((first, last)) = &mut self.seats {
            first.conversation += others;
            last.conversation += others;
        }
    }

    /// Which conversation it belongs to.
    fn conversation(&self) -> Option<usize> {
        self.seats.map(|(seat, _)| seat.conversation)
    }
}

/// A conversation beside the others.
#[derive(Clone, Debug)]
pub(crate) struct Talk {
    pub(crate) name: Arc<str>,
}

/// The conversations of the rows, and what all come to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Talks {
    pub(crate) found: Vec<Talk>,
    pub(crate) all: Conversations,
    /// The rows of all, found or not.
    pub(crate) rows: usize,
}

impl From<Conversation> for Talk {
    fn from(found: Conversation) -> Talk {
        Talk { name: found.name }
    }
}

/// A row with its memory, as the catalog has it.
#[derive(Clone, Debug)]
pub(crate) struct Ranked {
    pub(crate) memory: Memory,
    /// How often it was given out.
    pub(crate) access: Option<Access>,
    pub(crate) score: Score,
    pub(crate) fit: Fit,
}

/// The rows of all tables, and their conversations.
pub(crate) fn all(tables: Vec<Findings>, weights: &Weights) -> (Vec<Row>, Talks) {
    let (mut rows, mut talks) = (Vec::new(), Talks::default());
    for findings in tables {
        let (mut found, with) = legs(findings, weights);
        found.iter_mut().for_each(|row| row.renumber(talks.found.len()));
        rows.append(&mut found);
        talks = talks.and(with);
    }
    (rows, talks)
}

impl Talks {
    fn and(mut self, other: Talks) -> Talks {
        self.found.extend(other.found);
        Talks { found: self.found, all: self.all.and(other.all), rows: self.rows + other.rows }
    }
}

/// The best so many, best first; ties by id, so that the same question has the same answer.
pub(crate) fn best(rows: &[Row], many: usize) -> Vec<Row> {
    let mut places: Vec<(f64, &Row)> = rows.iter().map(|row| (row.score.total(), row)).collect();
    places.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.memory.cmp(&b.1.memory)));
    places.into_iter().take(many).map(|(_, row)| row.clone()).collect()
}

/// The same for memories.
pub(crate) fn sort_ranked(ranked: &mut [Ranked]) {
    ranked.sort_by(|a, b| b.score.total().total_cmp(&a.score.total()).then_with(|| a.memory.id.cmp(&b.memory.id)));
}
