//! The ledger: what is known of each period of an agent; and the records of work that was asked for or given up.

use serde::Serialize;

use crate::{Agent, Digest, Grain, MemoryId, Period, Timestamp};

/// What is known of one period. It is dirty while `dirty_seq > clean_seq`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerRow {
    /// The period.
    pub period: Period,
    /// The catalog sequence of its last input.
    pub dirty_seq: u64,
    /// The `dirty_seq` that the last roll-up read at its start.
    pub clean_seq: u64,
    /// When its last input came.
    pub dirty_at: Timestamp,
    /// What the last roll-up read.
    pub input_digest: Option<Digest>,
    /// Prompt, model and engine of the last roll-up.
    pub recipe: Option<Digest>,
    /// Whether its children were pruned, so that it can only be amended.
    pub sealed: bool,
    /// Whether the built-in engine wrote it in place of a model that could not.
    pub degraded: bool,
    /// Names, numbers and dates in its summary that no source contains.
    pub ungrounded: u32,
    /// Failures since it was last clean.
    pub attempts: u32,
    /// When the first of these failures was.
    pub failing_since: Option<Timestamp>,
    /// Not to be tried before.
    pub not_before: Option<Timestamp>,
    /// Why the last attempt failed.
    pub last_error: Option<String>,
    /// Tokens paid for its roll-ups so far.
    pub tokens: u64,
}

impl LedgerRow {
    /// A period that nothing is known of but its first input.
    pub fn new(period: Period, dirty_seq: u64, dirty_at: Timestamp) -> LedgerRow {
        LedgerRow {
            period,
            dirty_seq,
            clean_seq: 0,
            dirty_at,
            input_digest: None,
            recipe: None,
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

    /// Whether input came since its last roll-up.
    pub fn is_dirty(&self) -> bool {
        self.dirty_seq > self.clean_seq
    }
}

/// What a dead letter could not be brought through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Stage {
    /// Its table.
    Table,
    /// Extraction by a model; the built-in rules have read it instead.
    Extraction,
}

/// A memory that could not be brought through a stage for a fault of its own. Its text stays in the catalog; the lane went on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeadLetter {
    /// Whose memory.
    pub agent: Agent,
    /// Its grain.
    pub grain: Grain,
    /// Which memory.
    pub memory: MemoryId,
    /// What it did not get through.
    pub stage: Stage,
    /// Why it was given up.
    pub error: String,
    /// When.
    pub at: Timestamp,
}

/// One accepted request of messages.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Operation {
    /// Its id: the same request has the same one.
    pub id: String,
    /// New messages.
    pub accepted: u64,
    /// Messages that were already there.
    pub duplicate: u64,
    /// Messages whose content was replaced.
    pub revised: u64,
    /// Messages that were forgotten before, and stay so.
    pub forgotten: u64,
    /// Credentials that were masked before storage.
    pub masked: u64,
    /// The highest catalog sequence of its messages: they are searchable once the lane has applied this. Not that of the whole
    /// catalog, which other agents push on to where this agent's lane never comes.
    pub seq: u64,
}
