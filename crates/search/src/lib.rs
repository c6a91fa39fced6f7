//! Read path: answers an agent's query by grain and date range, and collects the context lines for a prompt.
//!
//! A search filters first, then searches vectors and words per grain, ranks in one pipeline (`rank.rs`), reads the texts back
//! from the catalog and drops results that another result covers. If a reranking model is configured, it reorders the best
//! results (`rerank.rs`). The crate depends on the ports alone. It never returns a memory that lies wholly outside the
//! requested range. It never writes: the caller updates the access counts of memories that it returns to a client.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod answer;
mod context;
mod drop_covered;
#[cfg(test)]
mod fixture;
mod grains;
mod period;
mod placeholders;
mod query_vectors;
mod question;
mod range;
mod rank;
mod rerank;
mod score;
mod times;
mod weights;

use annals_core::{Embedders, Facts, Store, Strata};
use std::sync::Arc;

pub use answer::Gathered;
pub use context::GatheredContext;
pub use range::resolve;
pub use rerank::Billing;
pub use times::find_times;
pub use weights::Weights;

use answer::EXACT;

/// Answers queries. Cheap to clone.
#[derive(Clone)]
pub struct Search {
    store: Arc<dyn Store>,
    strata: Arc<dyn Strata>,
    facts: Arc<dyn Facts>,
    embedders: Arc<dyn Embedders>,
    weights: Weights,
    /// Tables with at most this many rows are scored completely.
    exact: usize,
    rerank_config: Option<rerank::RerankConfig>,
}

impl Search {
    /// Returns a search over these stores with the default weights and no reranker.
    pub fn new(
        store: Arc<dyn Store>,
        strata: Arc<dyn Strata>,
        facts: Arc<dyn Facts>,
        embedders: Arc<dyn Embedders>,
    ) -> Search {
        Search { store, strata, facts, embedders, weights: Weights::default(), exact: EXACT, rerank_config: None }
    }

    /// Returns the search with other weights, to measure the effect of each.
    pub fn weighing(self, weights: Weights) -> Search {
        Search { weights, ..self }
    }

    /// Returns the search with complete scoring of tables of up to `rows` rows, to measure what scoring only candidates costs.
    pub fn scoring_whole(self, rows: usize) -> Search {
        Search { exact: rows, ..self }
    }
}
