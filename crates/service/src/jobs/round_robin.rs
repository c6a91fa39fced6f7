//! Round-robin over agents: each gets a slot in a round, a few at the same time. If agents are left without a slot, the next
//! round begins with the first of them.

use std::collections::VecDeque;
use std::sync::Arc;

use annals_core::{Agent, Error, Result};
use futures::StreamExt;
use futures::future::BoxFuture;
use futures::stream::FuturesUnordered;
use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

/// The agent that comes first in the next round. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct RoundRobin(Arc<Mutex<Option<Agent>>>);

/// The outcome of a round.
#[derive(Debug)]
pub struct Sweep<T> {
    /// The outcomes of the slots that did not fail, sorted by agent.
    pub slots: Vec<(Agent, T)>,
    /// The agents for which the slot failed, with the errors. Each failure was logged.
    pub failed: Vec<(Agent, Error)>,
    /// The agents that got no slot, because the round was stopped or because another task was working on them. The first of
    /// these comes first in the next round.
    pub left: Vec<Agent>,
}

impl RoundRobin {
    /// Calls `slot` for each agent, `at_once` at the same time. Once `stop` is cancelled no slot begins; slots under way are
    /// waited for. A failed slot does not affect other agents. If `slot` returns `None`, the agent is busy and is tried once
    /// more after all others.
    pub async fn sweep<'a, T>(
        &self,
        agents: Vec<Agent>,
        at_once: usize,
        stop: &CancellationToken,
        slot: impl Fn(Agent) -> BoxFuture<'a, Result<Option<T>>>,
    ) -> Sweep<T> {
        let mut sweep = Sweep { slots: Vec::new(), failed: Vec::new(), left: Vec::new() };
        let mut waiting: VecDeque<(Agent, bool)> = self.order(agents).into_iter().map(|agent| (agent, false)).collect();
        let mut under_way = FuturesUnordered::new();
        loop {
            while under_way.len() < at_once.max(1) && !stop.is_cancelled() {
                let Some((agent, again)) = waiting.pop_front() else { break };
                let running = slot(agent.clone());
                under_way.push(async move { (agent, again, running.await) });
            }
            let Some((agent, again, outcome)) = under_way.next().await else { break };
            match outcome.transpose() {
                Some(outcome) => sweep.note(agent, outcome),
                None if again => sweep.left.push(agent),
                None => waiting.push_back((agent, true)),
            }
        }
        sweep.left.extend(waiting.into_iter().map(|(agent, _)| agent));
        self.remember(sweep.left.first().cloned());
        sweep.slots.sort_by(|(one, _), (other, _)| one.cmp(other));
        sweep
    }

    /// Sorts the agents, beginning with the first that was left without a slot in the last round.
    fn order(&self, mut agents: Vec<Agent>) -> Vec<Agent> {
        agents.sort();
        let first = self.0.lock().clone();
        let first = first.map_or(0, |first| agents.partition_point(|agent| *agent < first));
        agents.rotate_left(first);
        agents
    }

    fn remember(&self, first: Option<Agent>) {
        *self.0.lock() = first;
    }
}

impl<T> Sweep<T> {
    fn note(&mut self, agent: Agent, outcome: Result<T>) {
        match outcome {
            Ok(slot) => self.slots.push((agent, slot)),
            Err(error) => {
                tracing::warn!(agent.folder = %agent.folder(), %error, "a job failed for one agent; it is retried");
                self.failed.push((agent, error));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use annals_testkit::agent;
    use futures::FutureExt;

    use super::*;

    /// Runs rounds over agents named by letters. In `rounds`, `!` follows an agent with a failing slot, `?` a busy agent, and
    /// `.` an agent after which the round stops. Checks the slots of each round, failed ones included.
    async fn check(agents: &str, at_once: usize, rounds: &[&str]) {
        let round_robin = RoundRobin::default();
        for expect in rounds {
            let (stop, order) = (CancellationToken::new(), Mutex::new(String::new()));
            let all: Vec<Agent> = agents.chars().map(|name| agent(&name.to_string())).collect();
            let slot = |agent: Agent| {
                let (stop, order, index) = (&stop, &order, expect.find(agent.name()));
                async move {
                    order.lock().push_str(agent.name());
                    let mark = index.and_then(|index| expect[index + 1..].chars().next());
                    if mark == Some('.') {
                        stop.cancel();
                    }
                    match mark {
                        Some('!') => Err(Error::invalid("it", "fails")),
                        Some('?') => Ok(None),
                        _ => Ok(Some(())),
                    }
                }
                .boxed()
            };
            let sweep = round_robin.sweep(all, at_once, &stop, slot).await;
            assert_eq!(*order.lock(), expect.replace(['.', '!', '?'], ""), "{rounds:?}");
            assert_eq!(sweep.failed.len(), expect.matches('!').count(), "{rounds:?}");
            assert_eq!(sweep.slots.len() + sweep.failed.len() + sweep.left.len(), agents.len(), "{rounds:?}");
        }
    }

    #[tokio::test]
    async fn every_agent_gets_a_slot() {
        check("", 1, &[""]).await;
        check("cab", 1, &["abc", "abc"]).await;
        check("cab", 0, &["abc"]).await;
    }

    #[tokio::test]
    async fn failed_slot_does_not_stop_other_agents() {
        check("abc", 1, &["a!bc", "ab!c!"]).await;
    }

    #[tokio::test]
    async fn agent_without_a_slot_comes_first_in_the_next_round() {
        check("abcde", 1, &["ab.", "cdea.", "b.", "c!d.", "eabcd", "abcde"]).await;
    }

    /// Runs a round in which agents are busy for a number of tries. Checks the slots and the agents that are left.
    async fn check_busy(busy: &[(&str, usize)], expect: &str, left: &str) {
        let (round_robin, never, order) = (RoundRobin::default(), CancellationToken::new(), Mutex::new(String::new()));
        let slot = |agent: Agent| {
            let mut order = order.lock();
            let before = order.matches(agent.name()).count();
            order.push_str(agent.name());
            let is_busy = busy.iter().any(|(name, times)| *name == agent.name() && before < *times);
            async move { Ok((!is_busy).then_some(())) }.boxed()
        };
        let sweep = round_robin.sweep(["a", "b", "c"].map(agent).to_vec(), 1, &never, slot).await;
        assert_eq!(*order.lock(), expect, "{busy:?}");
        assert_eq!(sweep.left.iter().map(Agent::name).collect::<String>(), left, "{busy:?}");
        assert_eq!(sweep.slots.len(), 3 - left.len(), "{busy:?}");
    }

    #[tokio::test]
    async fn busy_agent_is_tried_once_more_and_then_left() {
        check_busy(&[], "abc", "").await;
        check_busy(&[("a", 1)], "abca", "").await;
        check_busy(&[("a", 9), ("b", 1)], "abcab", "a").await;
    }

    #[tokio::test]
    async fn slots_at_once_stay_within_the_limit() {
        let (round_robin, stop, agents) =
            (RoundRobin::default(), CancellationToken::new(), ["a", "b", "c", "d", "e"].map(agent));
        let (under_way, most) = (Mutex::new(0), Mutex::new(0));
        let slot = |_| {
            async {
                *under_way.lock() += 1;
                tokio::task::yield_now().await;
                let mut most = most.lock();
                *most = (*most).max(*under_way.lock());
                *under_way.lock() -= 1;
                Ok(Some(()))
            }
            .boxed()
        };
        round_robin.sweep(agents.to_vec(), 2, &stop, slot).await;
        assert_eq!(*most.lock(), 2);
    }
}
