//! Port `Journal`: the output of extraction, the log of fact operations, and the extraction watermark.
//!
//! The store that implements `Catalog` also implements this port, with the same sequence per agent.

use async_trait::async_trait;

use crate::{Agent, Extraction, ExtractionWatermark, FactOperation, Result, Statement, Timestamp};

/// The log of fact operations and the extraction watermark. Each method is one transaction.
#[async_trait]
pub trait Journal: Send + Sync {
    /// Returns the progress of extraction.
    async fn extraction(&self, agent: &Agent) -> Result<ExtractionWatermark>;

    /// Saves the output and moves the watermark, all or none. [`crate::Error::Stale`] if the watermark is no longer the one
    /// that was read, or would go back. Replaces everything extracted from the same turns before; saving the same operation
    /// again changes nothing. Statements become memories of kind statement in the working grain, each with its own change.
    /// Turns removed meanwhile yield nothing. With `degraded`, each turn becomes a dead letter of stage extraction; without it,
    /// such letters of these turns are removed.
    async fn save_extraction(&self, agent: &Agent, extraction: Extraction, now: Timestamp) -> Result<()>;

    /// Records that extraction failed, and when to retry.
    async fn note_extraction_failure(
        &self,
        agent: &Agent,
        error: &str,
        not_before: Timestamp,
        now: Timestamp,
    ) -> Result<()>;

    /// Returns the number of the last change of the agent's log; 0 if it never changed. Deletions are changes.
    async fn log_version(&self, agent: &Agent) -> Result<u64>;

    /// Returns the whole log with its version, in no particular order.
    async fn operations(&self, agent: &Agent) -> Result<(u64, Vec<FactOperation>)>;

    /// Stores statements that come from an entry and not from turns, each with its own change. A statement replaces the stored
    /// statement with the same id.
    async fn add_statements(&self, agent: &Agent, statements: Vec<Statement>) -> Result<()>;

    /// Adds operations that a person or an import entered. Operations already in the log change nothing.
    async fn add_operations(&self, agent: &Agent, operations: Vec<FactOperation>) -> Result<()>;
}
