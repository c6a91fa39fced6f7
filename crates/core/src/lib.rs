//! Shared types of Annals: names, ids, grains, the calendar, records, queries, errors, and the ports that stores and
//! engines implement.
//!
//! Depends on no other Annals crate. Never reads a clock, opens a file or uses the network.

// Every crate builds on these types and ports, so all public items need a comment. Other crates do not enable the lint,
// because there it asks for comments that only repeat a name.
#![warn(missing_docs)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod calendar_names;
pub mod chinese_numerals;
mod context;
mod corrections;
mod digest;
mod error;
mod extraction;
mod fact;
mod grain;
mod language;
mod ledger;
mod memory;
mod message;
mod name;
pub mod number_words;
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
mod sanitize;
mod settings;
mod summary;
mod time_words;
mod tokens;
mod unique_fields;
mod words;
mod zones;

pub use calendar_names::{CHINESE_WEEKDAYS, CalendarNames};
pub use context::{
    Context, ContextBlock, ContextDocument, ContextItem, ContextKind, ContextQuery, FENCE, harmless, one_line, unfenced,
};
pub use corrections::{CorrectionLead, correction_lead, has_value, is_value};
pub use digest::{Digest, MemoryId};
pub use error::{Error, Fault, Result, line_at, thread_end};
pub use extraction::{CacheTokens, Extracted, Extraction, ExtractionWatermark, Purpose, Reply, Statement, Usage};
pub use fact::{
    ALIAS, Along, CONTEXT, Direction, ENTITY_TYPE, Fact, FactOperation, FactQuery, MAX_WALK_DEPTH, MERGED_BECAUSE,
    OBSERVATION, Properties, Reached, Route, SPEAKER, UNTIL, Verb, Walk, entity_key, fold, folded, joined_names,
    predicate_name,
};
pub use grain::Grain;
pub use language::{detected_language, function_words};
pub use ledger::{DeadLetter, IngestReceipt, LedgerRow, RolledUp, Stage};
pub use memory::{Body, Kind, Memory};
pub use message::{Message, Role, TurnKey, TurnKeys, identify};
pub use name::Agent;
pub use object_kind::ObjectKind;
pub use ones::ones;
pub use period::Period;
pub use phrases::Phrases;
pub use ports::{Catalog, Embedder, Embedders, Engine, Entailment, Extractor, Facts, Reranker, Store, Strata};
pub use price::Price;
pub use query::{Answer, Compared, ConversationFound, Filter, Fit, Found, Query, Reranked, ScorePart, TimeExpression};
pub use range::{DateRange, Interval, days_text};
pub use sanitize::{is_invisible, sanitized_line, sanitized_lines};
pub use settings::{EngineChoice, Settings};
pub use summary::{Author, BRIEF_NOTES, Base, Draft, SMALL_TALK, Sentence, Summary, is_placeholder};
pub use time_words::{CHINESE_DAYS, TimeWords};
pub use tokens::{beginning, tokens};
pub use unique_fields::UniqueFields;
pub use words::{SENTENCE_ENDS, contains_name, is_searched, is_wide, searched_sentences, sentences, spaced, words};
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
