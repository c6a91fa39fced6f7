//! Port `Seals`: prunes the whole of what a period is made of, and seals the period.

use async_trait::async_trait;

use crate::{Agent, Base, Date, Period, Result, Timestamp};

/// What a period is made of, as retention sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Children {
    /// The period: a day for turns, a week for days, and so on.
    pub parent: Period,
    /// Whether this is the yearly summary of `parent` itself, which has no parent, rather than what `parent` is made of.
    pub yearly: bool,
    /// Live memories it is made of; for a day, turns and statements.
    pub rows: u64,
    /// Bytes of their text.
    pub bytes: u64,
    /// The last local day that any of them covers.
    pub last_day: Date,
    /// Whether one of them is pinned.
    pub pinned: bool,
    /// The highest sequence among turns; extraction must have read up to it. 0 where there are no turns.
    pub last_turn: u64,
}

/// How a machine's clock has gone, across restarts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockNote {
    /// The latest moment that was seen.
    pub seen: Timestamp,
    /// Since when it has gone on without a jump.
    pub steady_since: Timestamp,
}

/// Pruning and sealing. Each method is one transaction.
#[async_trait]
pub trait Seals: Send + Sync {
    /// Every period with live children, in order; then every yearly summary, which has no parent: `parent` is its own year,
    /// `yearly` is set and `rows` is 1.
    async fn children(&self, agent: &Agent) -> Result<Vec<Children>>;

    /// Prunes the children of a period and seals it, if it is still clean and made of the children that were looked at:
    /// its row's `clean_seq` is `clean_seq`, no input came since, and the children are as `looked_at` says, pins included.
    /// [`crate::Error::Stale`] otherwise, and where there is no summary. The present text becomes the base. Children go from
    /// their tables by the same lanes as any deletion, each with its own base and seal; the parent does not become dirty.
    /// Statements go with the turns of their day; fact operations stay. Of each turn its day and moment stay, and keyed hashes
    /// of conversation, speaker and content, so that it can still be forgotten. With `yearly` the summary itself goes, and nothing is
    /// sealed.
    async fn seal(&self, agent: &Agent, looked_at: &Children, clean_seq: u64) -> Result<()>;

    /// The base of a sealed period.
    async fn base(&self, agent: &Agent, period: Period) -> Result<Option<Base>>;

    /// Sets or lifts a memory's pin. [`crate::Error::NotFound`] if there is no such memory.
    async fn pin(&self, agent: &Agent, id: &crate::MemoryId, pinned: bool) -> Result<()>;

    /// What is known of the clock.
    async fn clock(&self) -> Result<Option<ClockNote>>;

    /// Keeps what is known of the clock.
    async fn save_clock(&self, note: ClockNote) -> Result<()>;
}
