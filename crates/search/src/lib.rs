//! The read path: an agent's question, answered by grain and date range.
//!
//! Filters first, then vectors and words per grain, fused into one score, folded by the calendar, read back from the catalog.
//! Relies on the ports alone. Never returns what lies wholly outside the range that was asked for, and never changes anything.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod answer;
mod context;
#[cfg(test)]
mod fixture;
mod fold;
mod fuse;
mod range;

use std::sync::Arc;

use annals_core::{Catalog, Embedder, Facts, Strata};

pub use range::resolve;

/// Answers queries. Cheap to clone.
#[derive(Clone)]
pub struct Search {
    catalog: Arc<dyn Catalog>,
    strata: Arc<dyn Strata>,
    facts: Arc<dyn Facts>,
    embedder: Arc<dyn Embedder>,
}

impl Search {
    /// A search over these stores.
    pub fn new(
        catalog: Arc<dyn Catalog>,
        strata: Arc<dyn Strata>,
        facts: Arc<dyn Facts>,
        embedder: Arc<dyn Embedder>,
    ) -> Search {
        Search { catalog, strata, facts, embedder }
    }
}
