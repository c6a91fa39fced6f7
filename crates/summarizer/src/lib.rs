//! Roll-up: the summary of each closed period from the grain below, whenever its input changed.
//!
//! A pass compares the ledger with what should be and does what is missing; it takes no other input, so running it late, twice
//! or never changes nothing but the moment. One bad period, or a model that is away, never holds up its ancestors for
//! good: a spare engine steps in, and the model writes anew what it could not write then. Relies on the ports alone; never
//! writes to a table, never reads a clock, never removes a sealed summary.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod coverage;
mod due;
mod input;
mod lane;
mod pass;
mod plan;
mod roll_up;

use std::sync::Arc;

use annals_core::ports::Seals;
use annals_core::{Catalog, Engine};

pub use coverage::{Content, Gap, Lineage, gaps};
pub use due::{Patience, due};
pub use pass::Passed;
pub use plan::Plan;

/// Rolls up the periods of agents. Cheap to clone.
#[derive(Clone)]
pub struct Summarizer {
    catalog: Arc<dyn Catalog>,
    seals: Arc<dyn Seals>,
    engine: Arc<dyn Engine>,
    spare: Arc<dyn Engine>,
    patience: Patience,
}

impl Summarizer {
    /// A summarizer over this catalog that lets `engine` write, and `spare`, which needs no network, where that one cannot.
    pub fn new(
        catalog: Arc<dyn Catalog>,
        seals: Arc<dyn Seals>,
        engine: Arc<dyn Engine>,
        spare: Arc<dyn Engine>,
        patience: Patience,
    ) -> Summarizer {
        Summarizer { catalog, seals, engine, spare, patience }
    }
}
