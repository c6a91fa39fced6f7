//! Port `Accesses`: how often a memory was among what an agent was given, and when last.
//!
//! Not part of what anything is made from: a count changes no memory, takes no number of the sequence and makes no period dirty.
//! It comes late, in batches, and the last ones may be lost in a crash. It goes with its memory.

use async_trait::async_trait;

use crate::{Agent, Memory, MemoryId, Result, Timestamp};

/// How often a memory was given out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// So many times.
    pub times: u64,
    /// When last.
    pub last: Timestamp,
}

/// Counts of what was given out. Each method is one transaction.
#[async_trait]
pub trait Accesses: Send + Sync {
    /// Live memories as [`crate::Catalog::get`] gives them, each with its count; none for one that was never given out. One
    /// question, because searches wait for it.
    async fn recall(&self, agent: &Agent, ids: &[MemoryId]) -> Result<Vec<(Memory, Option<Access>)>>;

    /// Adds to the counts. Memories that do not exist (any more) are left out.
    async fn add_accesses(&self, agent: &Agent, accesses: &[(MemoryId, Access)]) -> Result<()>;
}

impl Access {
    /// Both together.
    pub fn and(self, other: Access) -> Access {
        Access { times: self.times.saturating_add(other.times), last: self.last.max(other.last) }
    }
}
