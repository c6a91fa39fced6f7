//! Port `Ledger`: the state of each period, its input, and its summary.

use async_trait::async_trait;

use crate::{Agent, Date, Grain, LedgerRow, Memory, Period, Result, Summary, Timestamp};

/// The ledger of agents, and the roll-ups of its periods.
#[async_trait]
pub trait Ledger: Send + Sync {
    /// Returns the ledger row of every period that ever had input, sorted by grain and time.
    async fn ledger(&self, agent: &Agent) -> Result<Vec<LedgerRow>>;

    /// Returns the periods of all agents for which the last roll-up failed or has to wait, sorted by workspace, agent, grain
    /// and time; at most `limit`.
    async fn failures(&self, limit: usize) -> Result<Vec<(Agent, LedgerRow)>>;

    /// Returns the last day with pruned memories of a grain: the last day of the last sealed parent period. `None` if nothing
    /// was pruned, and for years, which are pruned without sealing a parent. Older memories may still exist, because a pin
    /// keeps its whole set.
    async fn pruned_until(&self, agent: &Agent, grain: Grain) -> Result<Option<Date>>;

    /// Returns the input of a period: live turns for a day, live summaries of the finer grain otherwise. Ordered by
    /// time, then by conversation and id, so that the order of arrival does not matter.
    async fn inputs(&self, agent: &Agent, period: Period) -> Result<Vec<Memory>>;

    /// Saves roll-ups, all or none. [`crate::Error::Stale`] if the ledger row of one of the periods no longer has the state
    /// that its roll-up replaces ([`Summary::replaces`]). A period without a row has the default state. Each ledger row becomes
    /// clean up to `read_seq`. The parent period becomes dirty as of `now` if the text, a sentence with its sources, or the
    /// cover changed, or if the summary was removed.
    async fn save_summaries(&self, agent: &Agent, summaries: Vec<Summary>, now: Timestamp) -> Result<()>;

    /// Records that rolling up a period failed, and when to retry. [`crate::Error::NotFound`] if the period has no ledger row.
    async fn note_failure(
        &self,
        agent: &Agent,
        period: Period,
        error: &str,
        not_before: Timestamp,
        now: Timestamp,
    ) -> Result<()>;

    /// Records that rolling up these periods has to wait because the model endpoint is unavailable or the budget is
    /// spent, and when to retry. Like [`Ledger::note_failure`], but all or none, and `attempts` stay unchanged because
    /// the periods are not at fault. Ignores periods without a ledger row.
    async fn note_outage(
        &self,
        agent: &Agent,
        periods: &[Period],
        error: &str,
        not_before: Timestamp,
        now: Timestamp,
    ) -> Result<()>;
}
