//! Port `Archive`: export and restore of everything the catalog holds about an agent; also corrections and former
//! texts.

mod origin;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use crate::ports::Document;
use crate::{Agent, Base, FactOperation, MemoryId, Period, Result, Sentence, Settings, Statement, Timestamp};

pub use origin::{Origin as RecordOrigin, check_origin};

/// One record of an export. Field names are a stored format and change only on purpose.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "record", rename_all = "snake_case", deny_unknown_fields)]
pub enum Record {
    /// The settings; always the first record.
    Settings(Settings),
    /// A message, with its day and its extraction state.
    Turn {
        /// Name of the conversation.
        conversation: String,
        /// Id of the message within the conversation.
        id: String,
        /// The local day on which it was said.
        day: Period,
        /// When it was said.
        at: Timestamp,
        /// The instant that the client sent, if another turn of the conversation already had it. `at` is then the next
        /// free microsecond.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sent_at: Option<Timestamp>,
        /// The role of the speaker, as in chat APIs.
        role: crate::Role,
        /// The speaker's name; absent if the client gave none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
        /// The text of the message.
        content: String,
        /// Whether extraction has read it.
        extracted: bool,
        /// Whether retention keeps it because it is pinned.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        pinned: bool,
        /// JSON as text that a client's interface stored with the turn.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        attachment: Option<String>,
    },
    /// A statement that was extracted from turns or imported.
    Statement {
        /// The statement with its id and sources.
        statement: Statement,
        /// Whether retention keeps it because it is pinned.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        pinned: bool,
    },
    /// An operation of the fact log.
    Operation(FactOperation),
    /// A summary with the ledger state of its period. `text` is `None` for a period without a summary.
    Period {
        /// The day, week, month, quarter or year.
        period: Period,
        /// The text of the summary.
        text: Option<String>,
        /// The sentences of the text, each with its sources.
        #[serde(default)]
        sentences: Vec<Sentence>,
        /// The instants that the summary covers; `None` without a summary.
        cover: Option<crate::Interval>,
        /// The memories that it was made from.
        #[serde(default)]
        sources: Vec<MemoryId>,
        /// Whether input arrived since the last roll-up.
        dirty: bool,
        /// When its last input arrived.
        dirty_at: Timestamp,
        /// Hash of the input of the last roll-up, in hexadecimal.
        input: Option<String>,
        /// Hash of prompt, model and engine, in hexadecimal.
        recipe: Option<String>,
        /// Who wrote the summary, if recorded.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        author: Option<crate::Author>,
        /// Whether its sentences are verbatim pieces of turns.
        #[serde(default)]
        verbatim: bool,
        /// Whether the built-in engine wrote it because the model could not.
        #[serde(default)]
        degraded: bool,
        /// Number of names, numbers and dates that no source contains, and of sentences that say the opposite of their sources.
        #[serde(default)]
        ungrounded: u32,
        /// Tokens paid for the roll-ups of the period so far.
        #[serde(default)]
        tokens: u64,
        /// For a sealed period, its summary at the time of sealing.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        base: Option<Base>,
        /// Whether retention keeps the summary because it is pinned.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        pinned: bool,
    },
    /// A former text of a corrected or revised memory.
    Version {
        /// Id of the memory.
        id: MemoryId,
        /// The text until the change.
        text: String,
        /// When it was replaced.
        replaced_at: Timestamp,
        /// Whether this is the text that the client sent last, for a turn that a person corrected since.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        sent: bool,
    },
    /// A turn that was pruned. The record keeps an old file from adding the turn again. Forgotten turns leave no
    /// record: the id of a message without a client id is a hash of its words, so guessed texts could be compared with
    /// it.
    Gone {
        /// The id of the turn, a hash of its conversation and its id there.
        id: MemoryId,
        /// The local day of the turn, if known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        day: Option<Period>,
        /// When it was said, if known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at: Option<Timestamp>,
    },
    /// The access count of a memory.
    Access {
        /// Id of the memory.
        id: MemoryId,
        /// Number of times it was returned.
        times: u64,
        /// When it was last returned.
        last: Timestamp,
    },
    /// A document, with the ranges of its passages.
    Document(Box<Document>),
    /// A small text that is always in context.
    Block {
        /// The name, unique among the blocks of the agent.
        name: String,
        /// The text that every context contains.
        text: String,
        /// When it was written.
        updated_at: Timestamp,
    },
}

impl Record {
    /// All ranks that [`Record::rank`] returns.
    pub const RANKS: std::ops::RangeInclusive<u8> = 0..=4;

    /// Returns the rank that orders records for a restore. Extraction has read all turns up to one sequence number, so
    /// the turns it has read are stored first. Other records follow the turns that they may refer to; accesses follow
    /// all memories.
    pub fn rank(&self) -> u8 {
        match self {
            Record::Settings(_) => 0,
            Record::Turn { extracted: true, .. } => 1,
            Record::Turn { .. } => 2,
            Record::Access { .. } => 4,
            _ => 3,
        }
    }
}

/// A former text of a corrected or revised memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version {
    /// The text until the change.
    pub text: String,
    /// When it was replaced.
    pub replaced_at: Timestamp,
}

/// Export and restore of an agent, corrections and former texts.
#[async_trait]
pub trait Archive: Send + Sync {
    /// Returns the records that follow `after`, or the first ones; empty at the end. Settings come first, then blocks,
    /// turns by time, pruned turns by id, statements by time, operations by id, periods, versions by memory, documents
    /// by collection and key, and accesses by memory. Accesses are included for live memories only. Returns at most
    /// `limit` records, except that the blocks of an agent and the versions of a memory are not split between pages.
    ///
    /// The pages together are one consistent snapshot only if the agent does not change meanwhile. New messages may be
    /// included or not.
    async fn records(&self, agent: &Agent, after: Option<&Record>, limit: usize) -> Result<Vec<Record>>;

    /// Begins to restore an agent and discards a former attempt. [`crate::Error::Invalid`] if the agent holds memories, fact
    /// operations, blocks or documents. Restored records are not visible before [`Archive::finish_restore`]; an interrupted
    /// attempt is removed when the store is opened.
    async fn begin_restore(&self, agent: &Agent) -> Result<()>;

    /// Adds records to the restore of the agent. Records of a lower [`Record::rank`] must come first. The caller has
    /// checked their [`RecordOrigin`]. [`crate::Error::Invalid`] if no restore was begun, if a record is not valid or
    /// contradicts another, or if a message was forgotten.
    async fn restore_some(&self, agent: &Agent, records: Vec<Record>) -> Result<()>;

    /// Makes all restored records visible as the agent's memory, in one step. [`crate::Error::Invalid`] if no restore was
    /// begun, or if the agent now holds other data that [`Archive::begin_restore`] refuses.
    async fn finish_restore(&self, agent: &Agent, now: Timestamp) -> Result<()>;

    /// Discards the records that were restored so far.
    async fn drop_restore(&self, agent: &Agent) -> Result<()>;

    /// Replaces the text of a statement or summary; the former text becomes a version. A corrected summary stays until its
    /// input changes, and makes its parent period dirty as of `now`. [`crate::Error::NotFound`] if there is no such memory,
    /// [`crate::Error::Invalid`] for a turn or a passage: turns are revised by storing them again, passages by writing their
    /// document. The same text changes nothing.
    async fn correct(&self, agent: &Agent, id: &MemoryId, text: &str, now: Timestamp) -> Result<()>;

    /// Returns the former texts of a corrected memory or a revised turn, oldest first.
    async fn versions(&self, agent: &Agent, id: &MemoryId) -> Result<Vec<Version>>;
}

#[cfg(test)]
mod tests;
