//! Conformance suites: what each port promises, as cases that every implementation passes.
//!
//! A suite of a store takes a way to make one and gives each case a fresh one; the folder it lies in must outlive the suite.
//! All cases are run; at the end the suite panics with the names of those that failed, below the panics of the cases.

mod accesses;
mod archive;
mod blocks;
mod catalog;
mod embedder;
mod engine;
mod erasure;
mod facts;
mod history;
mod journal;
mod keys;
mod replies;
mod requests;
mod reranker;
mod seals;
mod strata;

use std::ops::Deref;
use std::panic::AssertUnwindSafe;

use annals_core::Catalog;
use annals_core::ports::{Accesses, Archive, Blocks, Erasure, Journal, Keys, Replies, Requests, Seals};
use futures::FutureExt;
use futures::future::LocalBoxFuture;

pub use accesses::accesses_suite;
pub use archive::{all_records, archive_suite};
pub use blocks::blocks_suite;
pub use catalog::catalog_suite;
pub use embedder::embedder_suite;
pub use engine::engine_suite;
pub use erasure::erasure_suite;
pub use facts::facts_suite;
pub use journal::journal_suite;
pub use keys::keys_suite;
pub use replies::replies_suite;
pub use requests::requests_suite;
pub use reranker::reranker_suite;
pub use seals::seals_suite;
pub use strata::{STRATA_DIMENSION, strata_suite, whole_tables_suite};

/// A catalog with all the ports of the same store.
pub trait Store: Catalog + Journal + Seals + Replies + Erasure + Archive + Blocks + Requests + Keys + Accesses {}

impl<S> Store for S where
    S: Catalog + Journal + Seals + Replies + Erasure + Archive + Blocks + Requests + Keys + Accesses
{
}

/// A case: its name, and what it does with a fresh implementation.
type Case<P> = (&'static str, for<'a> fn(&'a P) -> LocalBoxFuture<'a, ()>);

/// Lists async functions as cases named as they are.
macro_rules! cases {
    ($($case:path),* $(,)?) => { vec![$((stringify!($case), |port| Box::pin($case(port)))),*] };
}
use cases;

/// Runs each case on an implementation of its own and panics with the names of those that failed.
async fn run<P: ?Sized, R: Deref<Target = P>>(port: &str, cases: Vec<Case<P>>, mut make: impl AsyncFnMut() -> R) {
    let mut failed = Vec::new();
    for (name, case) in cases {
        let implementation = make().await;
        if AssertUnwindSafe(case(&*implementation)).catch_unwind().await.is_err() {
            failed.push(name);
        }
    }
    assert!(failed.is_empty(), "the {port} suite failed in: {}", failed.join(", "));
}
