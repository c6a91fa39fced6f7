//! Port `Catalog`: messages, summaries with lineage, ledger, watermarks, settings and dead letters. It joins the ports
//! that share one topic each.
//!
//! Every change takes the next number of its agent's sequence; each projection stores the number up to which it has
//! applied changes. A number is never given twice, also after an erasure. Each method is one transaction: durable when it returns, or without effect. Every method that reads or
//! writes memories takes the agent, so a query without a scope is impossible.

use async_trait::async_trait;

use super::{Agents, DeadLetters, Ledger, Memories, Turns, Watermarks};
use crate::Result;

/// The catalog. The module documentation lists the properties that hold for all methods.
#[async_trait]
pub trait Catalog: Agents + Turns + Memories + Watermarks + Ledger + DeadLetters {
    /// Checks the store's own structure. Returns the faults found; empty if it is sound.
    async fn check(&self) -> Result<Vec<String>>;
}
