//! Port `Store`: the source of truth as one object, with everything that memories are made of.
//!
//! The smaller ports are its parts. One implementation holds them all over one sequence of each agent, so a transaction
//! may span several of them. Code takes one `Arc<dyn Store>` and calls the methods of every part on it.
//!
//! Every change takes the next number of its agent's sequence; each projection stores the number up to which it has applied
//! changes. No number is used twice, even after an erasure. The changes of each method are one transaction: durable when it
//! returns, or without effect. Every method that returns memories takes the agent, so a query without a scope is impossible.

use async_trait::async_trait;

use super::{
    Accesses, Agents, Archive, Batches, Blocks, DeadLetters, Documents, Erasure, Journal, Keys, Ledger, Memories,
    Replies, Requests, Seals, Turns, Watermarks,
};
use crate::Result;

/// The source of truth: all parts of one store.
pub trait Store:
    Catalog + Journal + Seals + Erasure + Replies + Batches + Archive + Blocks + Documents + Requests + Keys + Accesses
{
}

impl<S> Store for S where
    S: Catalog
        + Journal
        + Seals
        + Erasure
        + Replies
        + Batches
        + Archive
        + Blocks
        + Documents
        + Requests
        + Keys
        + Accesses
{
}

/// Messages, summaries with lineage, ledger, watermarks, settings and dead letters. The module documentation lists the
/// properties that hold for all methods.
#[async_trait]
pub trait Catalog: Agents + Turns + Memories + Watermarks + Ledger + DeadLetters {
    /// Checks the store's own structure. Returns the faults found; empty if it is sound.
    async fn check(&self) -> Result<Vec<String>>;
}
