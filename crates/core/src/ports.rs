//! The ports: the traits through which the policy crates reach stores and models.
//!
//! Each port to a store has an in-memory implementation and a conformance suite in the testkit; so do `Embedder`, `Engine`,
//! `Entailment` and `Reranker`. `Catalog`, `Journal`, `Seals`, `Erasure`, `Replies`, `Batches`, `Archive`, `Blocks`, `Documents`,
//! `Requests`, `Keys` and `Accesses` are the parts of one [`Store`], and code takes the whole store; `Catalog` joins
//! `Agents`, `Turns`, `Memories`, `Watermarks`, `Ledger` and `DeadLetters`. The traits are small, so that an
//! implementation can keep each in one file with its queries.

mod accesses;
mod agents;
mod archive;
mod batches;
mod batching;
mod blocks;
mod dead_letters;
mod documents;
mod embedder;
mod engine;
mod entailment;
mod erasure;
mod extractor;
mod facts;
mod idempotency;
mod journal;
mod keys;
mod ledger;
mod memories;
mod model_states;
mod replies;
mod reranker;
mod seals;
mod store;
mod strata;
mod token_budget;
mod totals;
mod turns;
mod vector_model;
mod watermarks;
mod write_lock;

pub use accesses::{Access, Accesses};
pub use agents::{AgentState, Agents, Counts, RetentionLimits};
pub use archive::{Archive, Record, RecordOrigin, Version, check_origin};
pub use batches::{
    BATCH_MEMORY, BatchAnswer, BatchState, BatchedRequest, Batches, ModelBatch, RequestState, Settlement, may_contain,
};
pub use batching::{BatchReport, Batching, Counted, Counting, Estimate};
pub use blocks::{Block, Blocks, check_number_of_blocks};
pub use dead_letters::DeadLetters;
pub use documents::{
    Content, Document, DocumentEntry, DocumentKey, DocumentSelect, DocumentWrite, Documents, Expected, Passage,
    StoredCollection, is_heading,
};
pub use embedder::{Embedder, Embedders, OneEmbedder};
pub use engine::{Background, Engine, SummaryTask};
pub use entailment::{Entailment, EntailmentPair, EntailmentScores, Relation};
pub use erasure::{Erasure, ErasureReport, ItemKey, Target};
pub use extractor::{ExtractionTask, Extractor, ReadingSchedule};
pub use facts::Facts;
pub use idempotency::{KeyedReceipt, RequestKey, Requests};
pub use journal::Journal;
pub use keys::{Key, Keys, Scope};
pub use ledger::Ledger;
pub use memories::{Memories, Outline, Select, StoredConversation};
pub use model_states::{ModelState, ModelStates};
pub use replies::{Refusals, Replies};
pub use reranker::{RerankTask, Reranker};
pub use seals::{Children, ClockNote, Seals};
pub use store::{Catalog, Store};
pub use strata::{
    Batch, Conversation, Conversations, Findings, Hit, Part, Position, Probe, Spread, Stored, Strata, Table, TableStats,
};
pub use token_budget::{KeyTokens, RESERVATION_LIFETIME, TokenRequest, TokenSums, budget_day};
pub use totals::{Backlog, Totals};
pub use turns::{Comparison, OnConflict, Origin, Turn, Turns};
pub use vector_model::VectorModel;
pub use watermarks::{Building, Change, Watermark, Watermarks};
pub use write_lock::{AlreadyHeld, WriteGuard, WriteLock};
