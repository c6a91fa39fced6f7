//! Daily budgets of tokens: the tokens that a call reserves before it is made, and the check that a store makes in the
//! transaction of the reservation.
//!
//! A day is a UTC day. Reranking has a budget of its own, so searches never use up the budget of summaries, nor the reverse.

use jiff::tz::TimeZone;

use crate::{Date, Error, Purpose, Result, SignedDuration, Timestamp};

/// How long a reservation lasts if its call never ends, because the future of the call was dropped. It counts from the `now` of
/// the reservation; in a pass over all agents that is the start of the pass, so the lifetime allows for a long pass.
pub const RESERVATION_LIFETIME: SignedDuration = SignedDuration::from_hours(6);

/// Tokens of an agent, of its workspace and of all agents: limits per day, or sums.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TokenSums {
    /// Of the agent.
    pub agent: u64,
    /// Of all agents of its workspace.
    pub workspace: u64,
    /// Of all agents.
    pub process: u64,
}

/// A request to reserve tokens for a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenRequest {
    /// The purpose of the call.
    pub purpose: Purpose,
    /// Tokens of the question and of the longest answer.
    pub tokens: u64,
    /// The limits of today's budget.
    pub limits: TokenSums,
}

impl TokenRequest {
    /// Fails with [`Error::Budget`] if these tokens, added to those used or reserved today, exceed a limit.
    pub fn check(&self, used: TokenSums, now: Timestamp) -> Result<()> {
        let TokenSums { agent, workspace, process } = self.limits;
        let sums = [(used.agent, agent), (used.workspace, workspace), (used.process, process)];
        let exceeded = sums.into_iter().find(|(used, limit)| used.saturating_add(self.tokens) > *limit);
        match exceeded {
            Some((_, limit)) => Err(Error::Budget { limit, again: next_midnight(now) }),
            None => Ok(()),
        }
    }
}

/// Returns the UTC day of an instant.
pub fn budget_day(now: Timestamp) -> Date {
    now.to_zoned(TimeZone::UTC).date()
}

fn next_midnight(now: Timestamp) -> Timestamp {
    let tomorrow = budget_day(now).tomorrow().and_then(|day| day.to_zoned(TimeZone::UTC));
    tomorrow.map_or(Timestamp::MAX, |midnight| midnight.timestamp())
}
