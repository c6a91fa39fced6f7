//! Limits of tokens per day for one agent, one workspace and the whole process. The owner of an agent sets its limit; the
//! operator sets the other two, and settings of agents cannot exceed them. The store reserves what a call may use before it is
//! made, so calls at the same time cannot exceed a limit together. Each purpose has a share of every limit, so that extraction
//! leaves enough for summaries.

use annals_core::ports::{Replies, TokenRequest, TokenSums};
use annals_core::{Agent, Purpose, Result, Timestamp};

use crate::config::Shares;

/// Limits per day above that of the agent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Caps {
    /// For all agents of one workspace together.
    pub(super) workspace: u64,
    /// For all agents.
    pub(super) process: u64,
    /// Shares of all limits by purpose.
    pub(super) shares: Shares,
}

impl Caps {
    /// Reserves `tokens` of the purpose's share of the agent's `limit` and of the caps. Returns the number of the reservation.
    pub(super) async fn reserve(
        self,
        replies: &dyn Replies,
        agent: &Agent,
        purpose: Purpose,
        (tokens, limit): (u64, u64),
        is_recent: bool,
        now: Timestamp,
    ) -> Result<u64> {
        let part = |limit| self.shares.part(limit, purpose, is_recent);
        let limits = TokenSums { agent: part(limit), workspace: part(self.workspace), process: part(self.process) };
        replies.reserve(agent, &TokenRequest { purpose, tokens, limits }, now).await
    }
}
