//! Port `DeadLetters`: memories that could not be projected, and turns that the extraction model did not read.

use async_trait::async_trait;

use crate::{Agent, DeadLetter, MemoryId, Result};

/// The dead letters of agents.
#[async_trait]
pub trait DeadLetters: Send + Sync {
    /// Records dead letters. Replaces earlier dead letters of the same memory and stage.
    async fn add_dead_letters(&self, letters: Vec<DeadLetter>) -> Result<()>;

    /// Returns the dead letters of an agent, sorted by time.
    async fn dead_letters(&self, agent: &Agent) -> Result<Vec<DeadLetter>>;

    /// Removes the dead letters of stage `Table` of these memories, after they have been projected.
    async fn remove_dead_letters(&self, agent: &Agent, memories: &[MemoryId]) -> Result<()>;
}
