//! The loaded tables: one locked slot per agent; a few recently used tables stay loaded.
//!
//! Every operation on an agent's table holds the lock of its slot, so that the loaded and the stored table never differ, and
//! a table is never loaded twice at once. Agents do not wait for each other.

use std::sync::Arc;

use annals_core::Agent;
use lru::LruCache;
use parking_lot::Mutex;
use tokio::sync::OwnedMutexGuard;

use crate::table::Table;

/// Number of slots that are kept; more only while they are in use.
const KEPT: usize = 8;

/// Whether an agent's table is loaded.
#[derive(Default)]
pub(crate) enum CachedTable {
    #[default]
    NotLoaded,
    /// The table was never written. Without this variant, each question about an agent without facts would list the agent's
    /// objects: twelve requests to a bucket for one message.
    Absent,
    Loaded(Table),
}

impl CachedTable {
    pub(crate) fn table(&self) -> Option<&Table> {
        match self {
            CachedTable::Loaded(table) => Some(table),
            CachedTable::Absent | CachedTable::NotLoaded => None,
        }
    }
}

type Shared = Arc<tokio::sync::Mutex<CachedTable>>;

/// The slots of all agents in use, and of those used recently.
pub(crate) struct TableCache {
    known: Mutex<LruCache<Agent, Shared>>,
}

impl Default for TableCache {
    fn default() -> TableCache {
        // Unbounded, because a slot in use must not be evicted: a second slot of the same agent would diverge from it.
        TableCache { known: Mutex::new(LruCache::unbounded()) }
    }
}

impl TableCache {
    /// Waits for the lock of the agent's slot and takes it.
    pub(crate) async fn take(&self, agent: &Agent) -> OwnedMutexGuard<CachedTable> {
        let cached = self.find(agent);
        cached.lock_owned().await
    }

    fn find(&self, agent: &Agent) -> Shared {
        let mut known = self.known.lock();
        let cached = known.get_or_insert(agent.clone(), Shared::default).clone();
        while known.len() > KEPT {
            let idle = known.iter().rev().find(|(_, cached)| Arc::strong_count(cached) == 1);
            let Some(agent) = idle.map(|(agent, _)| agent.clone()) else { break };
            known.pop(&agent);
        }
        cached
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use annals_testkit::agent;

    #[tokio::test]
    async fn idle_tables_beyond_the_limit_are_evicted_and_busy_ones_stay() {
        let table_cache = TableCache::default();
        let busy = table_cache.take(&agent("busy")).await;
        let first = Arc::downgrade(&table_cache.find(&agent("0")));
        for number in 1..20 {
            drop(table_cache.take(&agent(&number.to_string())).await);
        }
        assert!(first.upgrade().is_none());
        assert_eq!(table_cache.known.lock().len(), KEPT);
        assert!(table_cache.find(&agent("busy")).try_lock().is_err());
        drop(busy);
        assert!(table_cache.find(&agent("busy")).try_lock().is_ok());
    }
}
