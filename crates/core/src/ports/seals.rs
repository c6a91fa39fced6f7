//! Port `Seals`: prunes all children of a period, and seals the period. Also pins, and the state of the clock.

use async_trait::async_trait;

use crate::{Agent, Base, Date, Period, Result, Timestamp};

/// The children of a period, as retention reads them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Children {
    /// The period: a day for turns, a week for days, and so on.
    pub parent: Period,
    /// Whether this describes the yearly summary of `parent` itself, which has no parent, instead of the children of
    /// `parent`.
    pub yearly: bool,
    /// Number of live children; for a day, turns and the statements that were extracted from turns.
    pub rows: u64,
    /// Bytes of their text.
    pub bytes: u64,
    /// The last local day that any of them covers.
    pub last_day: Date,
    /// Whether one of them is pinned.
    pub pinned: bool,
    /// The highest sequence number among the turns; 0 if there are no turns. Before they are pruned, extraction must have read
    /// all changes up to this number.
    pub last_turn: u64,
}

/// The observed course of the machine's clock, across restarts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockNote {
    /// The latest time that was observed.
    pub seen: Timestamp,
    /// The time since which the clock has run without a jump.
    pub steady_since: Timestamp,
}

/// Pruning and sealing. Each method is one transaction.
#[async_trait]
pub trait Seals: Send + Sync {
    /// Returns every period with live children, in order, then every yearly summary. For a yearly summary, `parent` is
    /// its own year, `yearly` is set and `rows` is 1.
    async fn children(&self, agent: &Agent) -> Result<Vec<Children>>;

    /// Prunes the children of a period and seals it, if it is still clean and its children are unchanged: the `clean_seq` of
    /// its row equals `clean_seq`, no input arrived since, and the children, pins included, equal `looked_at`. Otherwise, and
    /// if there is no summary, fails with [`crate::Error::Stale`]. The present text becomes the base. The children are
    /// removed with their own bases and seals, and from their tables by projection, like any deletion. The parent does not
    /// become dirty. Statements are pruned with the turns of their day, except statements that come from an entry: they are
    /// neither children nor covered by a summary. Fact operations stay. The id, day and instant of each turn stay, with keyed
    /// hashes of its conversation, speaker and content, so that the turn can still be forgotten. With `yearly`, the summary
    /// itself is removed and nothing is sealed.
    async fn seal(&self, agent: &Agent, looked_at: &Children, clean_seq: u64) -> Result<()>;

    /// Returns the base of a sealed period; `None` if the period has none.
    async fn base(&self, agent: &Agent, period: Period) -> Result<Option<Base>>;

    /// Sets or removes a memory's pin. [`crate::Error::NotFound`] if there is no such memory.
    async fn pin(&self, agent: &Agent, id: &crate::MemoryId, pinned: bool) -> Result<()>;

    /// Returns the saved state of the clock.
    async fn clock(&self) -> Result<Option<ClockNote>>;

    /// Saves the state of the clock.
    async fn save_clock(&self, note: ClockNote) -> Result<()>;
}
