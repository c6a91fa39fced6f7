//! Write path: checks messages, masks credentials, commits messages to the catalog, runs the extraction of facts, applies
//! changes of the catalog to the tables, and forgets.
//!
//! Relies on the ports alone. Never waits for a model before it acknowledges, never acknowledges before the catalog has
//! committed, and never writes to a table what the catalog does not hold.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod audit;
mod check;
mod correct;
mod extract;
mod facts;
#[cfg(test)]
mod fixture;
mod forget;
mod ingest;
mod mask;
mod passages;
mod placeholder;
mod project;
mod rebuild;
mod recalled;
mod reembed;
mod replay;
mod revive;

use std::sync::Arc;

use annals_core::{Embedders, Store, Strata};

pub use audit::Discrepancy;
pub use check::check;
pub use extract::{ExtractionPassed, FactWriter, MAX_CONTEXT_TURNS, MAX_TASK_TURNS, Unread};
pub use facts::{FactInput, ImportedFact, imported_fact};
pub use forget::Eraser;
pub use ingest::NewMessage;
pub use mask::{mask, mask_json, mask_value};
pub use project::Projected;
pub use reembed::Reembedding;

/// Writes the memories of agents. Cheap to clone.
#[derive(Clone)]
pub struct Writer {
    store: Arc<dyn Store>,
    strata: Arc<dyn Strata>,
    embedders: Arc<dyn Embedders>,
}

impl Writer {
    /// Returns a writer over these stores.
    pub fn new(store: Arc<dyn Store>, strata: Arc<dyn Strata>, embedders: Arc<dyn Embedders>) -> Writer {
        Writer { store, strata, embedders }
    }
}
