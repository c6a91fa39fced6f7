//! Limits of tokens per day for one agent, one workspace and the whole process. A day begins at midnight UTC. The owner of an
//! agent sets its limit; the operator sets the other two, and settings of agents cannot exceed them.
//!
//! Reranking has a budget of its own with the same caps, so searches never use up the budget of summaries, nor the reverse.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use annals_core::ports::Replies;
use annals_core::{Agent, Date, Error, Purpose, Result, Timestamp, Usage};
use jiff::tz::TimeZone;

/// Limits per day above that of the agent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Caps {
    /// For all agents of one workspace together.
    pub(super) workspace: u64,
    /// For all agents.
    pub(super) process: u64,
}

/// Tokens that all agents have used today for some purposes.
pub(super) struct Budget {
    caps: Caps,
    /// Whether a purpose counts.
    counts: fn(Purpose) -> bool,
    spending: Mutex<Spending>,
}

#[derive(Debug, Default)]
struct Spending {
    /// The current day; `None` before the costs have been read.
    day: Option<Date>,
    agents: HashMap<Agent, u64>,
}

impl Budget {
    pub(super) fn new(caps: Caps, counts: fn(Purpose) -> bool) -> Budget {
        Budget { caps, counts, spending: Mutex::default() }
    }

    /// Fails if fewer than `need` tokens are left of the agent's `limit` or of the caps.
    pub(super) async fn afford(
        &self,
        replies: &dyn Replies,
        agent: &Agent,
        (need, limit): (u64, u64),
        now: Timestamp,
    ) -> Result<()> {
        let today = now.to_zoned(TimeZone::UTC).date();
        self.begin(replies, today, now).await?;
        let usage = replies.usage(agent, midnight(today, now)).await?;
        let of_today = usage.iter().filter(|usage| usage.day == today && (self.counts)(usage.purpose));
        let spent = of_today.map(cost).sum();
        if need.saturating_add(spent) > limit {
            return Err(used_up(limit, today));
        }
        self.note(agent, spent, need, today)
    }

    /// Reads what all agents have used today, once a day: most may have used tokens before this process started.
    async fn begin(&self, replies: &dyn Replies, today: Date, now: Timestamp) -> Result<()> {
        if self.spending().day == Some(today) {
            return Ok(());
        }
        let mut agents = HashMap::new();
        for (agent, usage) in replies.usage_of_all(now).await? {
            if (self.counts)(usage.purpose) {
                *agents.entry(agent).or_default() += cost(&usage);
            }
        }
        *self.spending() = Spending { day: Some(today), agents };
        Ok(())
    }

    /// Records the agent's tokens and compares the sums with the caps.
    fn note(&self, agent: &Agent, spent: u64, need: u64, today: Date) -> Result<()> {
        let mut spending = self.spending();
        spending.agents.insert(agent.clone(), spent);
        let sum = |counts: &dyn Fn(&Agent) -> bool| {
            let counted = spending.agents.iter().filter(|(other, _)| counts(other)).map(|(_, spent)| *spent);
            counted.fold(need, u64::saturating_add)
        };
        let Caps { workspace, process } = self.caps;
        match () {
            () if sum(&|other| other.workspace() == agent.workspace()) > workspace => Err(used_up(workspace, today)),
            () if sum(&|_| true) > process => Err(used_up(process, today)),
            () => Ok(()),
        }
    }

    fn spending(&self) -> MutexGuard<'_, Spending> {
        self.spending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn cost(usage: &Usage) -> u64 {
    usage.tokens_in + usage.tokens_out
}

fn used_up(limit: u64, today: Date) -> Error {
    let again = today.tomorrow().map_or(Timestamp::MAX, |tomorrow| midnight(tomorrow, Timestamp::MAX));
    Error::Budget { limit, again }
}

fn midnight(day: Date, otherwise: Timestamp) -> Timestamp {
    day.to_zoned(TimeZone::UTC).map_or(otherwise, |midnight| midnight.timestamp())
}

#[cfg(test)]
mod tests {
    use annals_core::{Digest, Reply};
    use annals_testkit::{MemoryCatalog, at};

    use super::*;

    const NOON: &str = "2026-03-10T12:00:00Z";

    async fn pay(replies: &MemoryCatalog, workspace: &str, name: &str, purpose: Purpose, tokens: u64) {
        let agent = Agent::in_workspace(workspace, name).unwrap();
        let (key, model, text) = (Digest::of(["q"]), "m".into(), String::new());
        let reply = Reply { key, purpose, model, text, tokens_in: tokens, tokens_out: 0, read_seq: 0 };
        replies.charge(&agent, reply, at(NOON)).await.unwrap();
    }

    /// Asks for 10 tokens. Returns the limit that refuses them, or 0.
    async fn refused_by(budget: &Budget, replies: &MemoryCatalog, workspace: &str, name: &str, now: &str) -> u64 {
        let agent = Agent::in_workspace(workspace, name).unwrap();
        match budget.afford(replies, &agent, (10, 1000), at(now)).await {
            Ok(()) => 0,
            Err(Error::Budget { limit, .. }) => limit,
            Err(other) => panic!("{other}"),
        }
    }

    fn budget(counts: fn(Purpose) -> bool) -> Budget {
        Budget::new(Caps { workspace: 100, process: 150 }, counts)
    }

    #[tokio::test]
    async fn agents_share_the_caps_of_workspace_and_process() {
        let (replies, budget) = (MemoryCatalog::new(), budget(|purpose| purpose != Purpose::Rerank));
        assert_eq!(refused_by(&budget, &replies, "one", "a", NOON).await, 0);
        pay(&replies, "one", "a", Purpose::Daily, 40).await;
        pay(&replies, "one", "a", Purpose::Rerank, 1000).await;
        assert_eq!(refused_by(&budget, &replies, "one", "a", NOON).await, 0, "other work has a budget of its own");
        pay(&replies, "one", "b", Purpose::Extraction, 50).await;
        assert_eq!(refused_by(&budget, &replies, "one", "b", NOON).await, 0, "90 and 10 are 100");
        pay(&replies, "one", "b", Purpose::Daily, 1).await;
        assert_eq!(refused_by(&budget, &replies, "one", "b", NOON).await, 100);
        assert_eq!(refused_by(&budget, &replies, "one", "c", NOON).await, 100, "another agent does not get around it");
        assert_eq!(refused_by(&budget, &replies, "two", "a", NOON).await, 0);
        pay(&replies, "two", "a", Purpose::Daily, 50).await;
        assert_eq!(refused_by(&budget, &replies, "two", "a", NOON).await, 150, "nor another workspace");
        assert_eq!(
            refused_by(&budget, &replies, "one", "c", "2026-03-11T00:00:00Z").await,
            0,
            "the next day begins anew"
        );
    }

    #[tokio::test]
    async fn tokens_used_before_the_start_count() {
        let replies = MemoryCatalog::new();
        for name in ["a", "b", "c"] {
            pay(&replies, "one", name, Purpose::Rerank, 33).await;
        }
        let after_restart = budget(|purpose| purpose == Purpose::Rerank);
        assert_eq!(refused_by(&after_restart, &replies, "one", "d", NOON).await, 100);
        assert_eq!(refused_by(&after_restart, &replies, "two", "d", NOON).await, 0);
    }
}
