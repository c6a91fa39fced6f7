//! What tests of every crate share: ports in memory, wrappers that fail on purpose, and one conformance suite per port.
//!
//! The implementations in memory are real ones: plain maps, slow and obviously right, and they pass the same suites as the
//! stores do. Used in tests only, so it may panic; it never reads a clock, a file or the network.

#![allow(clippy::unwrap_used, reason = "all of this runs in tests, where a panic is the report")]

mod builders;
pub mod calendar;
mod catalog;
mod embedder;
mod engine;
mod facts;
mod faulty;
mod model_server;
mod reranker;
mod strata;
pub mod suites;
mod words;

pub(crate) use builders::utc_cover;
pub use builders::{agent, at, entry, message, operation, period, statement, summary, turn, turn_of};
pub use catalog::MemoryCatalog;
pub use embedder::WordEmbedder;
pub use engine::QuotingEngine;
pub use facts::MemoryFacts;
pub use faulty::Faulty;
pub use model_server::{ModelRequest, ModelServer, Script, refused_url};
pub use reranker::WordReranker;
pub use strata::MemoryStrata;
pub use suites::{
    STRATA_DIMENSION, catalog_suite, embedder_suite, engine_suite, facts_suite, strata_suite, whole_tables_suite,
};
pub use suites::{Store, all_records, archive_suite, erasure_suite, journal_suite, replies_suite, seals_suite};
pub use suites::{accesses_suite, blocks_suite, keys_suite, requests_suite, reranker_suite};
