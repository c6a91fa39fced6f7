//! The read path: an agent's question, answered by grain and date range; and the few lines that help to answer a prompt.
//!
//! Filters first, then vectors and words per grain, ranked in one pipeline (`rank.rs`), read back from the catalog, folded by
//! the calendar. A model has the last word on the order where one is configured (`rerank.rs`). Relies on the ports alone. Never
//! returns what lies wholly outside the range that was asked for, and never changes anything: what is counted of its answers,
//! whoever hands them out counts.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod answer;
mod budget;
mod context;
#[cfg(test)]
mod fixture;
mod fold;
mod grains;
mod period;
mod question;
mod range;
mod rank;
mod rerank;
mod score;
mod times;
mod weights;

use std::sync::Arc;

use annals_core::ports::Accesses;
use annals_core::{Catalog, Embedder, Facts, Strata};

pub use answer::{EXACT, Gathered};
pub use context::GatheredContext;
pub use range::resolve;
pub use weights::Weights;

/// Answers queries. Cheap to clone.
#[derive(Clone)]
pub struct Search {
    catalog: Arc<dyn Catalog>,
    accesses: Arc<dyn Accesses>,
    strata: Arc<dyn Strata>,
    facts: Arc<dyn Facts>,
    embedder: Arc<dyn Embedder>,
    weights: Weights,
    /// Tables of up to so many rows are ranked whole.
    exact: usize,
    judge: Option<rerank::Judge>,
}

impl Search {
    /// A search over these stores.
    pub fn new(
        catalog: Arc<dyn Catalog>,
        accesses: Arc<dyn Accesses>,
        strata: Arc<dyn Strata>,
        facts: Arc<dyn Facts>,
        embedder: Arc<dyn Embedder>,
    ) -> Search {
        Search { catalog, accesses, strata, facts, embedder, weights: Weights::default(), exact: EXACT, judge: None }
    }

    /// The same with other weights, to measure what each is good for.
    pub fn weighing(self, weights: Weights) -> Search {
        Search { weights, ..self }
    }

    /// The same with tables of up to so many rows ranked whole, to measure what it costs to rank candidates only.
    pub fn scoring_whole(self, rows: usize) -> Search {
        Search { exact: rows, ..self }
    }
}
