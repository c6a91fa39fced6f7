//! The ports: the traits through which the policy crates reach stores and models. Few, small, and in terms of whole
//! objects.
//!
//! Each port has an in-memory implementation and a conformance suite in the testkit. Every other implementation passes
//! the same suite. Nothing here names a database, a model or a file. `Catalog`, `Journal`, `Seals`, `Erasure`,
//! `Replies`, `Archive`, `Blocks`, `Requests`, `Keys` and `Accesses` are the parts of one [`Store`], which everybody takes
//! whole.

mod accesses;
mod archive;
mod blocks;
mod catalog;
mod embedder;
mod engine;
mod erasure;
mod extractor;
mod facts;
mod idempotency;
mod journal;
mod keys;
mod replies;
mod reranker;
mod seals;
mod store;
mod strata;
mod write_lock;

pub use accesses::{Access, Accesses};
pub use archive::{Archive, Record, RecordOrigin, Version, check_origin};
pub use blocks::{Block, Blocks};
pub use catalog::{
    AgentState, Catalog, Change, Comparison, Counts, Origin, Select, StoredConversation, Turn, Watermark,
};
pub use embedder::Embedder;
pub use engine::{Engine, SummaryTask};
pub use erasure::{Erasure, ErasureReport, Target};
pub use extractor::{ExtractionTask, Extractor};
pub use facts::Facts;
pub use idempotency::{KeyedReceipt, RequestKey, Requests};
pub use journal::Journal;
pub use keys::{Key, Keys, Scope};
pub use replies::Replies;
pub use reranker::{RerankTask, Reranker};
pub use seals::{Children, ClockNote, Seals};
pub use store::Store;
pub use strata::{
    Batch, Conversation, Conversations, Findings, Hit, Part, Position, Probe, Spread, Stored, Strata, Table, TableStats,
};
pub use write_lock::{AlreadyHeld, WriteGuard, WriteLock};
