//! Port `Watermarks`: the changes of each grain, and how far each projection has applied them.
//!
//! Every change takes the next number of its agent's sequence; each projection stores the number up to which it has applied
//! changes.

use async_trait::async_trait;

use crate::{Agent, Grain, Memory, MemoryId, Result};

/// A change of one grain, for projections.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// The memory is new or changed; its `seq` is the sequence of the change.
    Upsert(Memory),
    /// The memory was removed.
    Delete {
        /// Its id.
        id: MemoryId,
        /// The sequence of the change.
        seq: u64,
    },
}

impl Change {
    /// Returns the sequence number of the change.
    pub fn seq(&self) -> u64 {
        match self {
            Change::Upsert(memory) => memory.seq,
            Change::Delete { seq, .. } => *seq,
        }
    }
}

/// Projection state of the table of one grain: its generations and their watermarks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Watermark {
    /// The generation that searches read.
    pub generation: u32,
    /// The watermark: the sequence number up to which that generation has applied all changes.
    pub applied: u64,
    /// The generation that a rebuild is filling beside it, and that generation's watermark.
    pub building: Option<(u32, u64)>,
}

impl Watermark {
    /// Returns whether a writer that read the state `read` may replace this stored state by `next`: nobody else has
    /// changed it since, and it goes back neither to an earlier generation nor within a generation.
    pub fn admits(self, read: Watermark, next: Watermark) -> bool {
        self == read && (next.generation, next.applied) >= (self.generation, self.applied)
    }
}

/// The changes of memories, and the projection states of the tables.
#[async_trait]
pub trait Watermarks: Send + Sync {
    /// Returns changes of a grain with a sequence above `after`, ascending, at most `limit`. Includes only the last
    /// change of each memory.
    async fn changes(&self, agent: &Agent, grain: Grain, after: u64, limit: usize) -> Result<Vec<Change>>;

    /// Returns the number of changes of a grain above `after`.
    async fn backlog(&self, agent: &Agent, grain: Grain, after: u64) -> Result<u64>;

    /// Returns the projection state of the grain's table; at first generation 0 with nothing applied.
    async fn watermark(&self, agent: &Agent, grain: Grain) -> Result<Watermark>;

    /// Replaces the projection state `read` of the grain's table, after the table is durable up to that watermark.
    /// [`crate::Error::Stale`] if [`Watermark::admits`] refuses it: the stored state is no longer the one that was read,
    /// or it would go back.
    async fn save_watermark(&self, agent: &Agent, grain: Grain, read: Watermark, watermark: Watermark) -> Result<()>;
}
