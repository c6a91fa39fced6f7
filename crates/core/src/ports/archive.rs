//! Port `Archive`: everything that the catalog holds of an agent, out and in again.

mod origin;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use crate::{Agent, Base, FactOperation, MemoryId, Period, Result, Sentence, Settings, Statement, Timestamp};

pub use origin::{Origin as RecordOrigin, check_origin};

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

impl Record {
    /// The ranks that there are.
    pub const RANKS: std::ops::RangeInclusive<u8> = 0..=4;

    /// In which order records are restored. Extraction has read all turns up to a number: those that it has read come in first. A
    /// period comes in after what it is made of, and accesses after the memories that they are of.
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
    /// The next records of an agent after one of them, or the first; none at the end. Settings come first, then blocks, turns by
    /// time, pruned turns by id, statements by time, operations by id, periods, versions and accesses by memory. Accesses are of
    /// live memories only. There are `limit` of them or fewer, or some more where blocks or versions are not torn apart.
    ///
    /// The pages together are of one moment only if nobody changes the agent meanwhile; new messages may be in them or not.
    async fn records(&self, agent: &Agent, after: Option<&Record>, limit: usize) -> Result<Vec<Record>>;

    /// Begins to restore an agent, in place of a former attempt. [`crate::Error::Invalid`] if it holds memories or blocks. What is
    /// restored is shown nowhere before it is all there; what an attempt left that was cut off goes when the store is opened.
    async fn begin_restore(&self, agent: &Agent) -> Result<()>;

    /// Takes records of the agent, those of a lower [`Record::rank`] first. The caller has checked their [`RecordOrigin`].
    async fn restore_some(&self, agent: &Agent, records: Vec<Record>) -> Result<()>;

    /// Makes all that was taken the agent's memory, at once. [`crate::Error::Invalid`] if it holds others by now.
    async fn finish_restore(&self, agent: &Agent, now: Timestamp) -> Result<()>;

    /// Drops what was taken.
    async fn drop_restore(&self, agent: &Agent) -> Result<()>;

    /// Stores records for an agent that holds no memories and no blocks yet, all or none. [`crate::Error::Invalid`] if it
    /// does, and for records of another agent ([`check_origin`]).
    async fn restore(&self, agent: &Agent, mut records: Vec<Record>, now: Timestamp) -> Result<()> {
        check_origin(agent, &records)?;
        self.begin_restore(agent).await?;
        records.sort_by_key(Record::rank);
        let stored = match self.restore_some(agent, records).await {
            Ok(()) => self.finish_restore(agent, now).await,
            failed => failed,
        };
        if stored.is_err() {
            self.drop_restore(agent).await?;
        }
        stored
    }

    /// Replaces the words of a statement or summary; the former ones become a version. The summary stands until its input
    /// changes. Turns are revised by storing them again. [`crate::Error::NotFound`] if there is no such memory.
    async fn correct(&self, agent: &Agent, id: &MemoryId, text: &str, now: Timestamp) -> Result<()>;

    /// Former texts of a memory, oldest first: of corrected ones and of revised turns.
    async fn versions(&self, agent: &Agent, id: &MemoryId) -> Result<Vec<Version>>;
}

#[cfg(test)]
mod tests;
