//! Port `Journal`: what was drawn out of turns. Extraction output, the log of fact operations, and how far extraction has come.
//!
//! Kept by the same store as the catalog, in the same sequence; apart from it so that who needs only one names only one.

use async_trait::async_trait;

use crate::{Agent, Extraction, ExtractionLane, FactOperation, Result, Timestamp};

/// The log of fact operations and the lane that fills it. Each method is one transaction.
#[async_trait]
pub trait Journal: Send + Sync {
    /// How far extraction has come.
    async fn extraction(&self, agent: &Agent) -> Result<ExtractionLane>;

    /// Saves what was found and moves the lane, all or none. What was drawn out of the same turns before goes; the same
    /// operation again changes nothing. Statements become memories of kind fact in the working grain, with changes of their
    /// own. Turns that are gone meanwhile yield nothing. With `degraded` each turn becomes a dead letter of stage extraction;
    /// without, such letters of these turns go.
    async fn save_extraction(&self, agent: &Agent, extraction: Extraction, now: Timestamp) -> Result<()>;

    /// Notes that extraction failed and when to try again.
    async fn note_extraction_failure(
        &self,
        agent: &Agent,
        error: &str,
        not_before: Timestamp,
        now: Timestamp,
    ) -> Result<()>;

    /// The number of the last change of the agent's log; 0 for an empty one. Deletions are changes.
    async fn log_version(&self, agent: &Agent) -> Result<u64>;

    /// The whole log with its version, in no order.
    async fn operations(&self, agent: &Agent) -> Result<(u64, Vec<FactOperation>)>;

    /// Adds operations that a person entered; those that are there already change nothing.
    async fn add_operations(&self, agent: &Agent, operations: Vec<FactOperation>) -> Result<()>;
}
