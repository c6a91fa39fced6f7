//! Ranks the rows that the tables found, in one pipeline. The modules of `rank` are pure; `answer.rs` calls them in this order,
//! and reads the catalog and asks the reranking model between them.
//!
//! 1. `legs`: similarity and relevance, normalised over the rows of a table, become one row per memory.
//! 2. `neighbours`: a turn gains from the turns right before and after it.
//! 3. `conversations`: a turn gains from the best other turns of its conversation and from the conversation's `coverage`.
//! 4. `content`: after the best rows were read back, adds scores for speaker, role, length and times, for kind, importance and
//!    confidence, and for access count and pinning.
//! 5. The order of a reranking model, if one is configured (`rerank.rs`); then conversations are ranked.
//! 6. `repeats`: lowers a text that is nearly the same as a higher-ranked one.
//! 7. `corrections`: puts a turn that corrects another one right above it.
//! 8. `lower_placeholders` (`placeholders.rs`): puts summaries that say nothing below all other results.

mod content;
mod conversations;
mod corrections;
mod coverage;
mod denials;
mod legs;
mod neighbours;
mod repeats;
mod time_words;

use std::sync::Arc;

use annals_core::ports::{Access, Conversation, Conversations, Findings, Position, Spread};
use annals_core::{Fit, Memory, MemoryId};

use crate::Weights;
use crate::score::Score;

pub(crate) use content::{NamedTime, QuestionContext, content};
pub(crate) use conversations::{Support, conversations, support};
pub(crate) use corrections::{Correction, find_corrections, followers, raise_corrections};
use legs::legs;
pub(crate) use neighbours::neighbours;
pub(crate) use repeats::repeats;

/// A memory with its score while it is ranked.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) memory: MemoryId,
    /// For a turn, the positions of its first and its last part in its conversation.
    pub(crate) positions: Option<(Position, Position)>,
    /// Which of the question's first 64 words the memory contains, as a bit set.
    pub(crate) matched: u64,
    pub(crate) fit: Fit,
    pub(crate) score: Score,
}

impl Row {
    /// Merges another part of the same memory into this row.
    fn merge(&mut self, other: Row) {
        self.matched |= other.matched;
        self.fit = self.fit.max(other.fit);
        self.score.raise(&other.score);
        self.positions =
            self.positions.zip(other.positions).map(|(own, other)| (own.0.min(other.0), own.1.max(other.1)));
    }

    /// Adds `others` to the index of the row's conversation. `others` is the number of conversations of the tables that come
    /// first in the combined list.
    fn renumber(&mut self, others: usize) {
        if let Some((first, last)) = &mut self.positions {
            first.conversation += others;
            last.conversation += others;
        }
    }

    /// Returns the index of the row's conversation, or `None` if the row is not a turn.
    fn conversation(&self) -> Option<usize> {
        self.positions.map(|(position, _)| position.conversation)
    }
}

/// A conversation that has turns among the rows.
#[derive(Clone, Debug)]
pub(crate) struct NamedConversation {
    pub(crate) name: Arc<str>,
}

/// The conversations of the rows, with totals over all conversations.
#[derive(Clone, Debug, Default)]
pub(crate) struct FoundConversations {
    pub(crate) found: Vec<NamedConversation>,
    pub(crate) all: Conversations,
    /// The distribution of the similarity of the rows that pass the filter, found or not. If the question has no vector, all
    /// similarities count as 0.
    pub(crate) similarity: Spread,
    /// The share of the question's words that the rows of a table contain together, from 0 to 1, weighted by rarity. Of several
    /// tables, the largest share.
    pub(crate) known_words: f64,
}

impl From<Conversation> for NamedConversation {
    fn from(found: Conversation) -> NamedConversation {
        NamedConversation { name: found.name }
    }
}

/// A row with its memory as read from the catalog.
#[derive(Clone, Debug)]
pub(crate) struct Ranked {
    pub(crate) memory: Memory,
    /// How often and when last the memory was returned in answers; `None` if it never was.
    pub(crate) access: Option<Access>,
    pub(crate) score: Score,
    pub(crate) fit: Fit,
}

/// Combines the rows of all tables and their conversations.
pub(crate) fn all(tables: Vec<Findings>, weights: &Weights) -> (Vec<Row>, FoundConversations) {
    let (mut rows, mut conversations) = (Vec::new(), FoundConversations::default());
    for findings in tables {
        let (mut found, with) = legs(findings, weights);
        found.iter_mut().for_each(|row| row.renumber(conversations.found.len()));
        rows.append(&mut found);
        conversations = conversations.and(with);
    }
    (rows, conversations)
}

impl FoundConversations {
    fn and(mut self, other: FoundConversations) -> FoundConversations {
        self.found.extend(other.found);
        let (all, similarity) = (self.all.and(other.all), self.similarity.and(other.similarity));
        let known_words = self.known_words.max(other.known_words);
        FoundConversations { found: self.found, all, similarity, known_words }
    }
}

/// Returns the `many` best rows, best first. Ties are ordered by id, so that the same question gets the same answer.
pub(crate) fn best(rows: &[Row], many: usize) -> Vec<Row> {
    let mut scored: Vec<(f64, &Row)> = rows.iter().map(|row| (row.score.total(), row)).collect();
    scored.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.memory.cmp(&b.1.memory)));
    scored.into_iter().take(many).map(|(_, row)| row.clone()).collect()
}

/// Sorts memories best first, ties by id.
pub(crate) fn sort_ranked(ranked: &mut [Ranked]) {
    ranked.sort_by(|a, b| b.score.total().total_cmp(&a.score.total()).then_with(|| a.memory.id.cmp(&b.memory.id)));
}
