//! Conformance suites: the promises of each port, as cases that every implementation must pass.
//!
//! The suite of a store takes a constructor and gives each case a new store. In the suites of models and engines all cases
//! share one. The folder of the stores must outlive the suite. All cases run, even if one fails. Then the suite panics with the
//! names of the failed cases.

mod accesses;
mod archive;
mod batches;
mod blocks;
mod catalog;
mod documents;
mod embedder;
mod engine;
mod entailment;
mod erasure;
mod facts;
mod history;
mod idempotency;
mod journal;
mod keys;
mod replies;
mod reranker;
mod seals;
mod strata;

use std::ops::Deref;
use std::panic::AssertUnwindSafe;

pub use annals_core::Store;
use futures::FutureExt;
use futures::future::LocalBoxFuture;

pub use accesses::accesses_suite;
pub use archive::{all_records, archive_suite};
pub use batches::batches_suite;
pub use blocks::blocks_suite;
pub use catalog::catalog_suite;
pub use documents::documents_suite;
pub use embedder::embedder_suite;
pub use engine::engine_suite;
pub use entailment::entailment_suite;
pub use erasure::erasure_suite;
pub use facts::facts_suite;
pub use idempotency::requests_suite;
pub use journal::journal_suite;
pub use keys::keys_suite;
pub use replies::replies_suite;
pub use reranker::reranker_suite;
pub use seals::seals_suite;
pub use strata::{STRATA_DIMENSION, strata_suite, whole_tables_suite};

/// A test of a suite: its name, and the function that tests an implementation.
type SuiteTest<P> = (&'static str, for<'a> fn(&'a P) -> LocalBoxFuture<'a, ()>);

/// Lists async functions as cases, named after the functions.
macro_rules! cases {
    ($($case:path),* $(,)?) => { vec![$((stringify!($case), |port| Box::pin($case(port)))),*] };
}
use cases;

/// Runs each case on what `make` returns for it, and then panics with the names of the failed cases, if any.
async fn run<P: ?Sized, R: Deref<Target = P>>(port: &str, cases: Vec<SuiteTest<P>>, mut make: impl AsyncFnMut() -> R) {
    let mut failed = Vec::new();
    for (name, case) in cases {
        let implementation = make().await;
        if AssertUnwindSafe(case(&*implementation)).catch_unwind().await.is_err() {
            failed.push(name);
        }
    }
    assert!(failed.is_empty(), "the {port} suite failed in: {}", failed.join(", "));
}
