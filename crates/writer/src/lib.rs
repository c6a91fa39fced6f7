//! The write path: checks messages, commits them to the catalog, and brings changes of the catalog into the tables.
//!
//! Relies on the ports alone. Never waits for a network, never acknowledges before the catalog has, and never writes to a
//! table what the catalog does not hold.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod audit;
mod check;
mod ingest;
mod project;
mod rebuild;
mod revive;

use std::sync::Arc;

use annals_core::{Catalog, Embedder, Strata};

pub use audit::Discrepancy;
pub use check::{LONGEST_CONTENT, check};
pub use project::Projected;

/// Everything that writes memories for agents. Cheap to clone.
#[derive(Clone)]
pub struct Writer {
    catalog: Arc<dyn Catalog>,
    strata: Arc<dyn Strata>,
    embedder: Arc<dyn Embedder>,
}

impl Writer {
    /// A writer over these stores.
    pub fn new(catalog: Arc<dyn Catalog>, strata: Arc<dyn Strata>, embedder: Arc<dyn Embedder>) -> Writer {
        Writer { catalog, strata, embedder }
    }
}
