//! Roll-up: the summary of each closed period from the grain below, whenever its input changed.
//!
//! A pass compares the ledger with what should be and does what is missing; it takes no other input, so running it late, twice
//! or never changes nothing but the moment. Relies on the ports alone; never writes to a table, never reads a clock.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod coverage;
mod due;
mod pass;
mod roll_up;

use std::sync::Arc;

use annals_core::{Catalog, Engine};

pub use coverage::{Gap, Lineage, gaps};
pub use due::{Patience, due};
pub use pass::{Passed, Plan};

/// Rolls up the periods of agents. Cheap to clone.
#[derive(Clone)]
pub struct Summarizer {
    catalog: Arc<dyn Catalog>,
    engine: Arc<dyn Engine>,
    patience: Patience,
}

impl Summarizer {
    /// A summarizer over this catalog that lets `engine` write.
    pub fn new(catalog: Arc<dyn Catalog>, engine: Arc<dyn Engine>, patience: Patience) -> Summarizer {
        Summarizer { catalog, engine, patience }
    }
}
