//! Port `Accesses`: counts how often each memory was returned to an agent, and when it last was.
//!
//! Counts are not part of the input of any summary or fact. A count changes no memory, takes no sequence number and
//! makes no period dirty. Counts are written late and in batches; a crash may lose the last ones. They are removed with
//! their memory.

use async_trait::async_trait;

use crate::{Agent, Memory, MemoryId, Result, Timestamp};

/// How often a memory was returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// Number of times that the memory was returned.
    pub times: u64,
    /// When it was last returned.
    pub last: Timestamp,
}

/// Access counts. Each method is one transaction.
#[async_trait]
pub trait Accesses: Send + Sync {
    /// Returns live memories as [`super::Memories::get`] does, each with its count; `None` for a memory that was never
    /// returned. One call for both, because searches wait for it.
    async fn recall(&self, agent: &Agent, ids: &[MemoryId]) -> Result<Vec<(Memory, Option<Access>)>>;

    /// Adds to the counts. Ignores memories that do not exist, or no longer exist.
    async fn add_accesses(&self, agent: &Agent, accesses: &[(MemoryId, Access)]) -> Result<()>;
}

impl Access {
    /// Returns the sum of both counts, with the later of the two instants.
    pub fn and(self, other: Access) -> Access {
        Access { times: self.times.saturating_add(other.times), last: self.last.max(other.last) }
    }
}
