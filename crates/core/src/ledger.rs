//! The ledger (the roll-up state of each period of an agent), dead letters, and accepted ingest requests.

use serde::{Deserialize, Serialize};

use crate::{Agent, Author, Digest, Grain, MemoryId, Period, Timestamp};

/// The roll-up state of one period. The period is dirty while `dirty_seq > clean_seq`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerRow {
    /// The day, week, month, quarter or year that the row is about.
    pub period: Period,
    /// The sequence number of its last input.
    pub dirty_seq: u64,
    /// The highest `dirty_seq` that a saved roll-up read before its input.
    pub clean_seq: u64,
    /// When its last input arrived.
    pub dirty_at: Timestamp,
    /// Digest of the input of the last roll-up; `None` before the first.
    pub input_digest: Option<Digest>,
    /// Hash of prompt, model and engine of the last roll-up that wrote a text, or [`LedgerRow::corrected_by_a_person`].
    pub recipe: Option<Digest>,
    /// Who wrote its summary; `None` if nobody wrote one yet, or if it was written before authors were recorded. A correction
    /// by a person does not change it.
    pub author: Option<Author>,
    /// Whether its children were pruned, so that it can only be amended.
    pub sealed: bool,
    /// Whether the built-in engine wrote the summary because the model could not.
    pub degraded: bool,
    /// Number of names, numbers and dates in its summary that no source contains, and of sentences that say the opposite of
    /// their sources. Counts the text that the engine wrote: a correction by a person does not change it.
    pub ungrounded: u32,
    /// Number of failures since a roll-up of the period was last saved.
    pub attempts: u32,
    /// When the period first failed, or first had to wait for the model, since a roll-up of it was last saved.
    pub failing_since: Option<Timestamp>,
    /// The period is not rolled up again before this instant.
    pub not_before: Option<Timestamp>,
    /// Why the last attempt failed or has to wait. `None` if there was neither since a roll-up of it was last saved.
    pub last_error: Option<String>,
    /// Tokens paid for its roll-ups so far.
    pub tokens: u64,
}

/// The fields of a ledger row that every roll-up, correction or seal changes. A writer reads them before its input and
/// compares them when it saves, to notice that another writer was faster.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RolledUp {
    /// The `clean_seq` of the ledger row.
    pub clean_seq: u64,
    /// The `recipe` of the ledger row.
    pub recipe: Option<Digest>,
    /// Whether the period is sealed.
    pub sealed: bool,
}

impl LedgerRow {
    /// Returns the fields that a writer compares before it replaces the last roll-up.
    pub fn rolled_up(&self) -> RolledUp {
        RolledUp { clean_seq: self.clean_seq, recipe: self.recipe, sealed: self.sealed }
    }

    /// Returns the recipe of a summary that a person corrected. No engine has it, and no refresh replaces it.
    pub fn corrected_by_a_person() -> Digest {
        Digest::of(["corrected"])
    }

    /// Returns whether a person corrected the summary.
    pub fn is_corrected(&self) -> bool {
        self.recipe == Some(LedgerRow::corrected_by_a_person())
    }

    /// Creates the row of a period that has only its first input.
    pub fn new(period: Period, dirty_seq: u64, dirty_at: Timestamp) -> LedgerRow {
        LedgerRow {
            period,
            dirty_seq,
            clean_seq: 0,
            dirty_at,
            input_digest: None,
            recipe: None,
            author: None,
            sealed: false,
            degraded: false,
            ungrounded: 0,
            attempts: 0,
            failing_since: None,
            not_before: None,
            last_error: None,
            tokens: 0,
        }
    }

    /// Returns whether input arrived since its last roll-up.
    pub fn is_dirty(&self) -> bool {
        self.dirty_seq > self.clean_seq
    }
}

/// The stage at which a memory became a dead letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stage {
    /// Projection into its table.
    Table,
    /// Extraction by a model. The built-in rules have read the turn in the model's place.
    Extraction,
}

/// A memory that a stage could not process. Its table or the embedder refused it, or the extraction model did not read it and
/// the built-in rules did so in its place. Its text stays in the catalog, and the watermark moves past it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeadLetter {
    /// The agent that owns the memory.
    pub agent: Agent,
    /// The grain of the memory.
    pub grain: Grain,
    /// Id of the memory.
    pub memory: MemoryId,
    /// The stage that failed.
    pub stage: Stage,
    /// Why it failed, as text for people.
    pub error: String,
    /// When it failed.
    pub at: Timestamp,
}

/// Receipt of one accepted ingest request, or of an import.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct IngestReceipt {
    /// Id of the request or import. A repeated ingest request of an agent has the same id.
    pub id: String,
    /// Number of new messages.
    pub accepted: u64,
    /// Number of messages that were already stored, or were stored and then pruned.
    pub duplicate: u64,
    /// Number of messages that were already stored with other content and were replaced.
    pub revised: u64,
    /// Number of messages that were forgotten before; they are not stored again.
    pub forgotten: u64,
    /// Number of credentials that were masked before storage.
    pub masked: u64,
    /// The highest sequence number of its messages. They are searchable once the table's watermark reaches it.
    pub seq: u64,
}
