//! The loaded tables: one seat with a lock per agent; a few recently used tables stay loaded.
//!
//! Every operation on an agent's table holds its seat, so that the loaded and the stored table never differ, and a
//! table is never loaded twice at once. Agents do not wait for each other.

use std::sync::{Arc, Mutex};

use annals_core::Agent;
use lru::LruCache;
use tokio::sync::OwnedMutexGuard;

use crate::table::Table;

/// Number of tables that stay loaded.
const KEPT: usize = 8;

/// An agent's table; `None` if it is not loaded.
pub type Seat = Option<Table>;

type Shared = Arc<tokio::sync::Mutex<Seat>>;

/// The seats of all agents in use, and of those used recently.
pub struct Seats {
    known: Mutex<LruCache<Agent, Shared>>,
}

impl Default for Seats {
    fn default() -> Seats {
        // Unbounded, because a seat in use must not be evicted: a second seat of the same agent would diverge from it.
        Seats { known: Mutex::new(LruCache::unbounded()) }
    }
}

impl Seats {
    /// Waits for the agent's seat and locks it.
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
    async fn idle_tables_beyond_the_limit_are_evicted_and_busy_ones_stay() {
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
