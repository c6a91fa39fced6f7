//! Limits of tokens per day for one agent, one workspace and the whole process. The owner of an agent sets its limit; the
//! operator sets the other two, and settings of agents cannot exceed them. The store reserves what a call may use before it is
//! made, so calls at the same time cannot exceed a limit together. Each purpose has a share of every limit, so that extraction
//! leaves enough for summaries. A call for a request with an API key also needs tokens of the key, whose limit the store knows;
//! the shares do not apply to it.

use annals_core::ports::{Replies, TokenRequest, TokenSums};
use annals_core::{Agent, Purpose, Result, Timestamp};

use crate::config::Shares;

/// Limits of tokens per day that the operator sets, with the shares of the purposes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Caps {
    /// Limit for all agents of one workspace together.
    pub(super) workspace: u64,
    /// Limit for all agents of the process together.
    pub(super) process: u64,
    /// Shares of all limits by purpose.
    pub(super) shares: Shares,
}

/// The agent and the API key that pay for a call.
#[derive(Clone, Copy, Debug)]
pub(super) struct Payers<'a> {
    pub(super) agent: &'a Agent,
    /// Id of the key of the request; `None` if no request with a key needs the call.
    pub(super) access_key: Option<&'a str>,
}

impl Caps {
    /// Reserves `tokens` of the purpose's share of the agent's `limit` and of the caps, and of the key. If not `is_recent`, the
    /// share for old work applies too. Returns the number of the reservation; fails if too few tokens are left.
    pub(super) async fn reserve(
        self,
        replies: &dyn Replies,
        Payers { agent, access_key }: Payers<'_>,
        purpose: Purpose,
        (tokens, limit): (u64, u64),
        is_recent: bool,
        now: Timestamp,
    ) -> Result<u64> {
        let part = |limit| self.shares.part(limit, purpose, is_recent);
        let limits = TokenSums { agent: part(limit), workspace: part(self.workspace), process: part(self.process) };
        let request = TokenRequest { purpose, tokens, limits, access_key: access_key.map(str::to_owned) };
        replies.reserve(agent, &request, now).await
    }
}
