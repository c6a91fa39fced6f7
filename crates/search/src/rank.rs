//! The ranking of what the tables found, as one pipeline. Pure: everything it needs is handed in.
//!
//! 1. `legs`: similarity and relevance, each normalised over the rows of a table, become one row per memory.
//! 2. `neighbours`: a turn gains from what was said right before and after it.
//! 3. `conversations`: a turn gains from the best turns of its conversation, and from how many of the question's words the
//!    conversation holds.
//! 4. `content`: once the best are read back, what they say, who says it and when. Conversations are ranked by their best turns.
//! 5. `repeats`: what says much the same as something above goes down.

mod content;
mod conversations;
mod legs;
mod neighbours;
mod repeats;
mod words;

use annals_core::{Memory, MemoryId, Timestamp};

use crate::score::Score;

pub(crate) use content::{Asked, content};
pub(crate) use conversations::{conversations, support};
pub(crate) use legs::legs;
pub(crate) use neighbours::neighbours;
pub(crate) use repeats::repeats;

/// A memory on its way up or down.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) memory: MemoryId,
    pub(crate) conversation: Option<String>,
    pub(crate) at: Timestamp,
    /// Which of the question's words it holds.
    pub(crate) matched: u64,
    pub(crate) score: Score,
}

/// A row with its memory, as the catalog has it.
#[derive(Clone, Debug)]
pub(crate) struct Ranked {
    pub(crate) memory: Memory,
    pub(crate) score: Score,
}

/// Best first; ties by id, so that the same question has the same answer.
pub(crate) fn sort(rows: &mut [Row]) {
    rows.sort_by(|a, b| b.score.total().total_cmp(&a.score.total()).then_with(|| a.memory.cmp(&b.memory)));
}

/// The same for memories.
pub(crate) fn sort_ranked(ranked: &mut [Ranked]) {
    ranked.sort_by(|a, b| b.score.total().total_cmp(&a.score.total()).then_with(|| a.memory.id.cmp(&b.memory.id)));
}
