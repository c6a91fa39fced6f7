//! Shared test code of all crates: in-memory implementations of the ports, a wrapper that fails on purpose, conformance suites
//! for the ports, builders of records, random numbers from a seed, a model endpoint, a server with S3's interface, a PostgreSQL
//! server, and a second calendar.
//!
//! The in-memory implementations are complete: plain maps, slow and obviously right. They pass the same suites as the stores.
//! Used in tests only, so this crate may panic. Only [`TestBucket`] and [`postgres_server`] read a clock, while their
//! servers start. Only [`ModelServer`], [`TestBucket`] and [`postgres_server`] use the network, on this machine;
//! only the export of [`MemoryFacts`] and [`postgres_server`] write files.

#![allow(clippy::unwrap_used, reason = "all of this runs in tests, where a panic is the report")]

mod bucket_server;
mod builders;
pub mod calendar;
mod catalog;
mod dice;
mod embedder;
mod engine;
mod entailment;
mod extractor;
mod facts;
mod faulty;
mod model_server;
pub mod postgres_server;
mod present;
mod reranker;
mod strata;
pub mod suites;
mod totals;
mod word_split;

pub use bucket_server::TestBucket;
pub(crate) use builders::utc_cover;
pub use builders::{agent, at, document, entry, message, operation, period, statement, summary, turn, turn_of};
pub use catalog::MemoryCatalog;
pub use dice::Dice;
pub use embedder::{WordEmbedder, WordEmbedders, one_embedder};
pub use engine::QuotingEngine;
pub use entailment::OppositeWords;
pub use extractor::{SilentExtractor, ThreeWords};
pub use facts::MemoryFacts;
pub use faulty::Faulty;
pub use model_server::{BatchBill, BatchFault, Dialect, ModelRequest, ModelServer, ResultFault, Script, refused_url};
pub use present::{building, made, remove_block, replacing, save_block, set_watermark};
pub use reranker::WordReranker;
pub use strata::MemoryStrata;
pub use suites::{
    STRATA_DIMENSION, catalog_suite, embedder_suite, engine_suite, entailment_suite, facts_suite, strata_suite,
    whole_tables_suite,
};
pub use suites::{
    Store, all_records, archive_suite, batches_suite, erasure_suite, journal_suite, replies_suite, seals_suite,
};
pub use suites::{accesses_suite, blocks_suite, documents_suite, keys_suite, requests_suite, reranker_suite};
pub use totals::totals_of_each;
