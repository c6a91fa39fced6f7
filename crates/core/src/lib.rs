//! Shared types of Annals: names, ids, grains, the calendar, records, queries, errors, and the ports that stores and
//! engines implement.
//!
//! Depends on no other Annals crate. Never reads a clock, opens a file or uses the network.

// Every crate builds on these types and ports, so all public items need a comment. Other crates do not enable the lint,
// because there it asks for comments that only repeat a name.
#![warn(missing_docs)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod calendar_names;
mod context;
mod digest;
mod error;
mod extraction;
mod fact;
mod grain;
mod ledger;
mod memory;
mod message;
mod name;
pub mod numbers;
mod object_kind;
mod ones;
mod period;
mod phrases;
pub mod ports;
mod price;
mod query;
mod range;
pub mod retry;
mod settings;
mod summary;
mod tame;
mod tokens;
mod unique_fields;
mod words;
mod zones;

pub use calendar_names::CalendarNames;
pub use context::{
    Context, ContextBlock, ContextDocument, ContextItem, ContextKind, ContextQuery, FENCE, harmless, one_line, unfenced,
};
pub use digest::{Digest, MemoryId};
pub use error::{Error, Fault, Result};
pub use extraction::{Extracted, Extraction, ExtractionWatermark, Purpose, Reply, Statement, Usage};
pub use fact::{
    ALIAS, Along, CONTEXT, Direction, ENTITY_TYPE, Fact, FactOperation, FactQuery, MAX_WALK_DEPTH, MERGED_BECAUSE,
    OBSERVATION, Properties, Reached, Route, SPEAKER, UNTIL, Verb, Walk, entity_key, fold, folded, joined_names,
    predicate_name,
};
pub use grain::Grain;
pub use ledger::{DeadLetter, IngestReceipt, LedgerRow, RolledUp, Stage};
pub use memory::{Body, Kind, Memory};
pub use message::{Message, Role, TurnKey, TurnKeys, identify};
pub use name::Agent;
pub use object_kind::ObjectKind;
pub use ones::ones;
pub use period::Period;
pub use phrases::Phrases;
pub use ports::{Catalog, Embedder, Embedders, Engine, Extractor, Facts, Reranker, Store, Strata};
pub use price::Price;
pub use query::{Answer, Compared, ConversationFound, Filter, Fit, Found, Query, Reranked, ScorePart, TimeExpression};
pub use range::{DateRange, Interval};
pub use settings::{EngineChoice, Settings};
pub use summary::{Author, Base, Draft, Sentence, Summary};
pub use tame::{tame, tame_lines};
pub use tokens::{beginning, tokens};
pub use unique_fields::UniqueFields;
pub use words::{SENTENCE_ENDS, contains_name, is_wide, searched_sentences, sentences, words};
pub use zones::{Zones, latest_day};

/// The parts of the store as traits, except `Batches`, for calls on a concrete store. A `dyn Store` needs none of them in
/// scope.
pub mod prelude {
    pub use crate::ports::{
        Accesses as _, Agents as _, Archive as _, Blocks as _, Catalog as _, DeadLetters as _, Documents as _,
        Erasure as _, Journal as _, Keys as _, Ledger as _, Memories as _, Replies as _, Requests as _, Seals as _,
        Turns as _, Watermarks as _,
    };
}

/// A length of time.
pub use jiff::SignedDuration;
/// An instant. Every store keeps it to the microsecond (nanoseconds overflow before 1677).
pub use jiff::Timestamp;
/// A calendar day without a time zone.
pub use jiff::civil::Date;
