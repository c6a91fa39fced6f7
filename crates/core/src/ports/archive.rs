//! Port `Archive`: everything that the catalog holds of an agent, out and in again.

mod origin;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use crate::{Agent, Base, FactOperation, MemoryId, Period, Result, Sentence, Settings, Statement, Timestamp};

pub use origin::check_origin;

/// One record of an export. Field names are a stored format: they change on purpose only.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "record", rename_all = "snake_case", deny_unknown_fields)]
pub enum Record {
    /// The settings; comes first.
    Settings(Settings),
    /// A message with the day it was given, and how far it came.
    Turn {
        /// The conversation.
        conversation: String,
        /// The id within it.
        id: String,
        /// The local day.
        day: Period,
        /// When it was said.
        at: Timestamp,
        /// The moment as the client sent it, where that was taken and `at` is right behind it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sent_at: Option<Timestamp>,
        /// Who spoke.
        role: crate::Role,
        /// The speaker's name.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
        /// What was said.
        content: String,
        /// Whether facts were drawn out of it already.
        extracted: bool,
        /// Whether it is pinned.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        pinned: bool,
    },
    /// A statement.
    Statement {
        /// What was drawn out.
        statement: Statement,
        /// Whether it is pinned.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        pinned: bool,
    },
    /// An operation of the fact log.
    Operation(FactOperation),
    /// A summary with what the ledger knows of its period; `text` is none for a period without a summary.
    Period {
        /// The period.
        period: Period,
        /// The text.
        text: Option<String>,
        /// The sentences.
        #[serde(default)]
        sentences: Vec<Sentence>,
        /// The instants it was built over.
        cover: Option<crate::Interval>,
        /// What it was made from.
        #[serde(default)]
        sources: Vec<MemoryId>,
        /// Whether its input changed since.
        dirty: bool,
        /// When its last input came.
        dirty_at: Timestamp,
        /// Hash of its input, in hexadecimal.
        input: Option<String>,
        /// Hash of prompt, model and engine, in hexadecimal.
        recipe: Option<String>,
        /// Whether its sentences are verbatim pieces of turns.
        #[serde(default)]
        verbatim: bool,
        /// Whether the built-in engine stood in.
        #[serde(default)]
        degraded: bool,
        /// Names, numbers and dates that no source contains.
        #[serde(default)]
        ungrounded: u32,
        /// Tokens paid.
        #[serde(default)]
        tokens: u64,
        /// Of a sealed period, its base.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        base: Option<Base>,
        /// Whether it is pinned.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        pinned: bool,
    },
    /// A former text of a corrected memory.
    Version {
        /// The memory.
        id: MemoryId,
        /// Its text until then.
        text: String,
        /// When it was replaced.
        replaced_at: Timestamp,
        /// Whether it is what the client sent last, of a turn that a person corrected since.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        sent: bool,
    },
    /// A turn that was pruned, so that an old file does not add it again. Forgotten turns leave no record: the id of a message
    /// without a client's id is a hash of its words, which guesses can be tried against.
    Gone {
        /// Its id, a hash of its place.
        id: MemoryId,
        /// Its local day, if it is known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        day: Option<Period>,
        /// When it was said, if that is known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at: Option<Timestamp>,
    },
    /// How often a memory was given out.
    Access {
        /// The memory.
        id: MemoryId,
        /// So many times.
        times: u64,
        /// When last.
        last: Timestamp,
    },
    /// A small text that is always in context.
    Block {
        /// What it is called.
        name: String,
        /// Its words.
        text: String,
        /// When they were written.
        updated_at: Timestamp,
    },
}

/// A former text of a corrected memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version {
    /// The text.
    pub text: String,
    /// When it was replaced.
    pub replaced_at: Timestamp,
}

/// Everything of an agent.
#[async_trait]
pub trait Archive: Send + Sync {
    /// All records of an agent, settings first, then blocks, turns, pruned turns, statements, operations, periods,
    /// versions and accesses, each in order. Accesses are of live memories only.
    async fn records(&self, agent: &Agent) -> Result<Vec<Record>>;

    /// Stores records for an agent that holds no memories and no blocks yet, all or none. [`crate::Error::Invalid`] if it
    /// does, and for records of another agent ([`check_origin`]).
    async fn restore(&self, agent: &Agent, records: Vec<Record>, now: Timestamp) -> Result<()>;

    /// Replaces the words of a statement or summary; the former ones become a version. The summary stands until its input
    /// changes. Turns are revised by storing them again. [`crate::Error::NotFound`] if there is no such memory.
    async fn correct(&self, agent: &Agent, id: &MemoryId, text: &str, now: Timestamp) -> Result<()>;

    /// Former texts of a memory, oldest first: of corrected ones and of revised turns.
    async fn versions(&self, agent: &Agent, id: &MemoryId) -> Result<Vec<Version>>;
}

#[cfg(test)]
mod tests;
