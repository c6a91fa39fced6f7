//! The tables that are loaded: one seat per agent, and the few last used are kept.
//!
//! Whoever works on an agent's table holds its seat, so that what is loaded and what is stored never part, and a table is
//! never loaded twice at once. Agents do not wait for each other.

use std::sync::{Arc, Mutex};

use annals_core::Agent;
use lru::LruCache;
use tokio::sync::OwnedMutexGuard;

use crate::table::Table;

/// How many tables stay in memory.
const KEPT: usize = 8;

/// The agent's table, if it is loaded.
pub type Seat = Option<Table>;

type Shared = Arc<tokio::sync::Mutex<Seat>>;

/// The seats of all agents that are at work, and of those that lately were.
pub struct Seats {
    known: Mutex<LruCache<Agent, Shared>>,
}

impl Default for Seats {
    fn default() -> Seats {
        // Unbounded, because a seat that is in use must not be forgotten: a second one would part from it.
        Seats { known: Mutex::new(LruCache::unbounded()) }
    }
}

impl Seats {
    /// Waits for the agent's seat and takes it.
    pub async fn take(&self, agent: &Agent) -> OwnedMutexGuard<Seat> {
        let seat = self.find(agent);
        seat.lock_owned().await
    }

    fn find(&self, agent: &Agent) -> Shared {
        let mut known = self.known.lock().expect("no holder of the lock panics");
        let seat = known.get_or_insert(agent.clone(), Shared::default).clone();
        while known.len() > KEPT {
            let idle = known.iter().rev().find(|(_, seat)| Arc::strong_count(seat) == 1);
            let Some(agent) = idle.map(|(agent, _)| agent.clone()) else { break };
            known.pop(&agent);
        }
        seat
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use annals_testkit::agent;

    #[tokio::test]
    async fn idle_seats_beyond_the_last_used_are_given_up_and_busy_ones_never() {
        let seats = Seats::default();
        let busy = seats.take(&agent("busy")).await;
        let first = Arc::downgrade(&seats.find(&agent("0")));
        for number in 1..20 {
            drop(seats.take(&agent(&number.to_string())).await);
        }
        assert!(first.upgrade().is_none());
        assert_eq!(seats.known.lock().unwrap().len(), KEPT);
        assert!(seats.find(&agent("busy")).try_lock().is_err());
        drop(busy);
        assert!(seats.find(&agent("busy")).try_lock().is_ok());
    }
}
