//! Daily budgets of tokens: the tokens that a call reserves before it is made, and the check that a store makes in the
//! transaction of the reservation.
//!
//! A day is a UTC day. Reranking has a budget of its own, so searches never use up the budget of summaries, nor the reverse.
//! The budget of an API key is one sum: it limits what the requests with this key cost, whatever the models do for them.

use jiff::tz::TimeZone;

use crate::{Date, Error, Purpose, Result, SignedDuration, Timestamp};

/// How long a reservation lasts if its call never ends, because the future of the call was dropped. It counts from the `now` of
/// the reservation; in a pass over all agents that is the start of the pass, so the lifetime allows for a long pass.
pub const RESERVATION_LIFETIME: SignedDuration = SignedDuration::from_hours(6);

/// Tokens of an agent, of its workspace and of all agents: limits per day, or sums.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TokenSums {
    /// Tokens of the agent.
    pub agent: u64,
    /// Tokens of all agents of its workspace.
    pub workspace: u64,
    /// Tokens of all agents.
    pub process: u64,
}

/// Tokens of an API key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyTokens {
    /// Tokens used or reserved today by calls for requests with the key, for all purposes together.
    pub used: u64,
    /// The limit per UTC day that is stored with the key.
    pub limit: u64,
}

/// A request to reserve tokens for a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenRequest {
    /// What the call is for. Reranking counts apart from all other purposes.
    pub purpose: Purpose,
    /// Tokens of the question and of the longest answer.
    pub tokens: u64,
    /// The limits of today's budget.
    pub limits: TokenSums,
    /// Id of the API key of the request that the call is made for. `None` for scheduled work and for callers without a key.
    pub access_key: Option<String>,
}

impl TokenRequest {
    /// Fails with [`Error::Budget`] if these tokens, added to those used or reserved today, exceed a limit. `key` has the tokens
    /// of the API key; `None` if the call is for no key, or the key has no limit.
    pub fn check(&self, used: TokenSums, key: Option<KeyTokens>, now: Timestamp) -> Result<()> {
        let TokenSums { agent, workspace, process } = self.limits;
        let sums = [(used.agent, agent), (used.workspace, workspace), (used.process, process)];
        // The key comes last: if the agent's budget is spent too, nobody's request can be answered.
        let sums = sums.map(|(used, limit)| (used, limit, false)).into_iter();
        let mut sums = sums.chain(key.map(|key| (key.used, key.limit, true)));
        match sums.find(|(used, limit, _)| used.saturating_add(self.tokens) > *limit) {
            Some((_, limit, of_key)) => Err(Error::Budget { limit, of_key, again: next_midnight(now) }),
            None => Ok(()),
        }
    }
}

/// Returns the UTC day of an instant. Tokens used at this instant count on that day.
pub fn budget_day(now: Timestamp) -> Date {
    now.to_zoned(TimeZone::UTC).date()
}

fn next_midnight(now: Timestamp) -> Timestamp {
    let tomorrow = budget_day(now).tomorrow().and_then(|day| day.to_zoned(TimeZone::UTC));
    tomorrow.map_or(Timestamp::MAX, |midnight| midnight.timestamp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_exceeded_limit_refuses_and_that_of_a_key_says_so() {
        fn check(used: [u64; 3], key: Option<(u64, u64)>, expect: Option<(u64, bool)>) {
            let limits = TokenSums { agent: 100, workspace: 200, process: 300 };
            let request = TokenRequest { purpose: Purpose::Rerank, tokens: 10, limits, access_key: None };
            let [agent, workspace, process] = used;
            let key = key.map(|(used, limit)| KeyTokens { used, limit });
            let now: Timestamp = "2026-06-01T23:59:59Z".parse().unwrap();
            let refused = match request.check(TokenSums { agent, workspace, process }, key, now) {
                Ok(()) => None,
                Err(Error::Budget { limit, of_key, again }) => {
                    assert_eq!(again.to_string(), "2026-06-02T00:00:00Z");
                    Some((limit, of_key))
                }
                Err(other) => panic!("{other}"),
            };
            assert_eq!(refused, expect, "{used:?} {key:?}");
        }
        check([90, 190, 290], None, None);
        check([91, 190, 290], None, Some((100, false)));
        check([90, 191, 290], None, Some((200, false)));
        check([90, 190, 291], None, Some((300, false)));
        check([90, 190, 290], Some((40, 50)), None);
        check([90, 190, 290], Some((41, 50)), Some((50, true)));
        check([91, 190, 290], Some((41, 50)), Some((100, false)));
        check([0, 0, 0], Some((0, 0)), Some((0, true)));
        check([0, 0, 0], Some((u64::MAX, 50)), Some((50, true)));
    }
}
