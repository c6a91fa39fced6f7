//! Locks by agent: what may be done by one at a time for an agent, and by many at once for different ones.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use annals_core::Agent;
use tokio::sync::{Mutex as Lane, OwnedMutexGuard};

/// One lock for each agent that anybody holds or waits for. Cheap to clone; clones share the locks.
#[derive(Clone, Default)]
pub struct Lanes(Arc<Mutex<HashMap<Agent, Weak<Lane<()>>>>>);

/// While it lives, nobody else is in the agent's lane.
pub struct Guard(#[expect(dead_code, reason = "held, not looked at")] OwnedMutexGuard<()>);

impl Lanes {
    /// Waits until the agent's lane is free, in order of coming.
    pub async fn enter(&self, agent: &Agent) -> Guard {
        Guard(self.lane(agent).lock_owned().await)
    }

    /// The same if it is free now.
    pub fn try_enter(&self, agent: &Agent) -> Option<Guard> {
        self.lane(agent).try_lock_owned().ok().map(Guard)
    }

    fn lane(&self, agent: &Agent) -> Arc<Lane<()>> {
        let mut lanes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(lane) = lanes.get(agent).and_then(Weak::upgrade) {
            return lane;
        }
        // Lanes that nobody is in or waits for go, so that a million agents of last year cost nothing.
        lanes.retain(|_, lane| lane.strong_count() > 0);
        let lane = Arc::new(Lane::new(()));
        lanes.insert(agent.clone(), Arc::downgrade(&lane));
        lane
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agent(name: &str) -> Agent {
        Agent::new(name).unwrap()
    }

    #[tokio::test]
    async fn one_at_a_time_for_an_agent_and_many_for_different_ones() {
        let lanes = Lanes::default();
        let held = lanes.enter(&agent("a")).await;
        assert!(lanes.clone().try_enter(&agent("a")).is_none());
        assert!(lanes.try_enter(&agent("b")).is_some());
        drop(held);
        assert!(lanes.try_enter(&agent("a")).is_some());
    }

    #[tokio::test]
    async fn whoever_waits_comes_in_next() {
        let lanes = Lanes::default();
        let held = lanes.enter(&agent("a")).await;
        let waiting = tokio::spawn({
            let lanes = lanes.clone();
            async move { drop(lanes.enter(&agent("a")).await) }
        });
        tokio::task::yield_now().await;
        drop(held);
        waiting.await.unwrap();
    }

    #[tokio::test]
    async fn lanes_that_nobody_is_in_cost_nothing() {
        let lanes = Lanes::default();
        for number in 0..100 {
            drop(lanes.enter(&agent(&number.to_string())).await);
        }
        assert_eq!(lanes.0.lock().unwrap().len(), 1);
    }
}
