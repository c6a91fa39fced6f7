//! Port `Store`: the source of truth as one object, with everything that memories are made of.
//!
//! The smaller ports are its parts. One implementation holds them all over one sequence of each agent, so a transaction
//! may span several of them. Code takes one `Arc<dyn Store>` and calls the methods of every part on it.

use super::{Accesses, Archive, Blocks, Catalog, Documents, Erasure, Journal, Keys, Replies, Requests, Seals};

/// The source of truth: all parts of one store.
pub trait Store:
    Catalog + Journal + Seals + Erasure + Replies + Archive + Blocks + Documents + Requests + Keys + Accesses
{
}

impl<S> Store for S where
    S: Catalog + Journal + Seals + Erasure + Replies + Archive + Blocks + Documents + Requests + Keys + Accesses
{
}
