//! Port `Extractor`: finds facts in turns.

use async_trait::async_trait;

use crate::{Agent, Extracted, Fact, Memory, Result, Settings, SignedDuration, Timestamp};

/// New turns of one conversation to be read.
#[derive(Clone, Copy, Debug)]
pub struct ExtractionTask<'a> {
    /// The agent that the turns belong to.
    pub agent: &'a Agent,
    /// The settings of the agent: language, prompts, budget and choice of engine.
    pub settings: &'a Settings,
    /// The turns to read, in order of time. Text recalled from memory is already removed from them.
    pub turns: &'a [Memory],
    /// A few earlier turns of the same conversation, for context only. Facts are not extracted from them.
    pub context: &'a [Memory],
    /// Stored facts about the people who are named in the turns.
    pub known: &'a [Fact],
    /// Predicates of stored facts, most used first. New facts should use the same words.
    pub predicates: &'a [String],
    /// Id of the API key of the request that the turns are read for. Its budget is charged too. `None` for scheduled work.
    pub access_key: Option<&'a str>,
    /// The current time, for budgets.
    pub now: Timestamp,
}

/// When a model reads new turns. Each call repeats the instructions and what is known, so reading many turns at once costs less
/// than reading them in several calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadingSchedule {
    /// Time without a new turn after which the waiting turns are read.
    pub quiet: SignedDuration,
    /// Number of waiting turns from which on they are read at once, without waiting for quiet.
    pub turns: usize,
}

impl ReadingSchedule {
    /// Every turn is read at once.
    pub const AT_ONCE: ReadingSchedule = ReadingSchedule { quiet: SignedDuration::ZERO, turns: 1 };

    /// Multiple of the quiet time that the oldest waiting turn waits at most, even if the conversation continues.
    const MAX_WAIT_FACTOR: i32 = 6;

    /// Returns whether turns that were said at these times are due to be read at `now`: because of their number, or the age of
    /// the newest or the oldest. A time in the future comes from a wrong clock, so turns do not wait for it. Returns true if
    /// there are no turns.
    pub fn is_due(self, times: impl Iterator<Item = Timestamp> + Clone, now: Timestamp) -> bool {
        let has_passed = |since: Option<Timestamp>, wait: SignedDuration| {
            since.is_none_or(|since| since > now || now.duration_since(since) >= wait)
        };
        let number = times.clone().count();
        number >= self.turns
            || has_passed(times.clone().max(), self.quiet)
            || has_passed(times.min(), self.quiet.saturating_mul(Self::MAX_WAIT_FACTOR))
    }
}

/// Finds facts in turns: the built-in rules, or a model endpoint.
#[async_trait]
pub trait Extractor: Send + Sync {
    /// Returns whether it works without a network and at no cost for these settings.
    fn is_local(&self, settings: &Settings) -> bool;

    /// Extracts from the turns. The first source of each statement and the source of each operation is one of these turns;
    /// further sources may be turns of the context and sources of known facts. Never waits longer than its own deadline.
    async fn extract(&self, task: ExtractionTask<'_>) -> Result<Extracted>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quiet_or_number_or_age_makes_turns_due() {
        fn check(minutes_ago: &[i64], expect: bool) {
            let schedule = ReadingSchedule { quiet: SignedDuration::from_mins(10), turns: 4 };
            let now: Timestamp = "2026-03-04T12:00:00Z".parse().unwrap();
            let times = minutes_ago.iter().map(|minutes| now - SignedDuration::from_mins(*minutes));
            assert_eq!(schedule.is_due(times, now), expect, "{minutes_ago:?}");
        }
        check(&[], true);
        check(&[9], false);
        check(&[10], true);
        check(&[30, 20, 9], false);
        check(&[4, 3, 2, 1], true);
        check(&[60, 1], true);
        check(&[-5], true);
        let now = Timestamp::UNIX_EPOCH;
        assert!(ReadingSchedule::AT_ONCE.is_due(std::iter::once(now), now));
    }
}
