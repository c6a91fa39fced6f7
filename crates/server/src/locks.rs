//! The locks of agents: what one task at a time may do for an agent, and many at once for different ones.
//!
//! Whoever needs two locks of an agent takes them in the order of [`Lock`]; two that take them in different orders would wait
//! for each other for ever. [`AgentLocks::facts_and_tables_lock`] and [`AgentLocks::all_locks`] take several in that order. A
//! task that asks for an earlier lock than one that it holds panics in builds with debug assertions, whether anybody else
//! wants it or not, so that the first test of the wrong order fails.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use annals_core::Agent;
use annals_core::ports::{WriteGuard, WriteLock};
use async_trait::async_trait;
use tokio::sync::{Mutex as AsyncMutex, OwnedMutexGuard};
use tokio::task::Id;

/// What a lock of an agent protects, in the order in which locks are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lock {
    /// Requests that may come again under the same key.
    Request,
    /// One roll-up at a time. Held while a model answers, so nothing else may need it.
    RollUp,
    /// One reader of new messages at a time. Held while a model answers, so nothing else may need it.
    Extraction,
    /// The agent's history and settings: summaries, pruning, forgetting, blocks.
    History,
    /// Facts and their table.
    Facts,
    /// The searchable tables.
    Tables,
}

const LOCKS: usize = Lock::Tables as usize + 1;

/// The locks of each agent that anybody holds or waits for. Cheap to clone; clones share the locks.
#[derive(Clone, Default)]
pub struct AgentLocks(Arc<Mutex<HashMap<Agent, Weak<Entry>>>>);

#[derive(Default)]
struct Entry {
    locks: [Arc<AsyncMutex<()>>; LOCKS],
    /// What is held, by the task that took it.
    held: Mutex<Vec<(Id, Lock)>>,
}

/// While it lives, nobody else holds the lock.
pub struct Guard {
    entry: Arc<Entry>,
    taken: Option<(Id, Lock)>,
    _guard: OwnedMutexGuard<()>,
}

impl AgentLocks {
    /// Waits until the lock is free, in order of arrival.
    pub async fn lock(&self, agent: &Agent, lock: Lock) -> Guard {
        let entry = self.entry(agent);
        entry.check_order(agent, lock);
        let guard = entry.locks[lock as usize].clone().lock_owned().await;
        Guard::new(entry, lock, guard)
    }

    /// Takes the lock if it is free now.
    pub fn try_lock(&self, agent: &Agent, lock: Lock) -> Option<Guard> {
        let entry = self.entry(agent);
        entry.check_order(agent, lock);
        let guard = entry.locks[lock as usize].clone().try_lock_owned().ok()?;
        Some(Guard::new(entry, lock, guard))
    }

    /// The lock of the agent's history and settings.
    pub async fn history_lock(&self, agent: &Agent) -> Guard {
        self.lock(agent, Lock::History).await
    }

    /// The lock of the agent's facts.
    pub async fn facts_lock(&self, agent: &Agent) -> Guard {
        self.lock(agent, Lock::Facts).await
    }

    /// The lock of the agent's searchable tables.
    pub async fn tables_lock(&self, agent: &Agent) -> Guard {
        self.lock(agent, Lock::Tables).await
    }

    /// Both, for whoever reads or writes all that is derived from the agent's messages.
    pub async fn facts_and_tables_lock(&self, agent: &Agent) -> [Guard; 2] {
        [self.facts_lock(agent).await, self.tables_lock(agent).await]
    }

    /// Everything that is written of an agent.
    pub async fn all_locks(&self, agent: &Agent) -> [Guard; 3] {
        [self.history_lock(agent).await, self.facts_lock(agent).await, self.tables_lock(agent).await]
    }

    /// One of these locks, for a pass that takes it only to save.
    pub fn for_saving(&self, lock: Lock) -> SavingLock {
        SavingLock { locks: self.clone(), lock }
    }

    fn entry(&self, agent: &Agent) -> Arc<Entry> {
        let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(entry) = entries.get(agent).and_then(Weak::upgrade) {
            return entry;
        }
        // Locks that nobody holds or waits for go, so that a million agents of last year cost nothing.
        entries.retain(|_, entry| entry.strong_count() > 0);
        let entry = Arc::new(Entry::default());
        entries.insert(agent.clone(), Arc::downgrade(&entry));
        entry
    }
}

impl Entry {
    fn held(&self) -> std::sync::MutexGuard<'_, Vec<(Id, Lock)>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn check_order(&self, agent: &Agent, lock: Lock) {
        let Some(task) = tokio::task::try_id() else { return };
        let later = self.held().iter().find(|(holder, held)| *holder == task && *held > lock).map(|(_, held)| *held);
        debug_assert!(later.is_none(), "{lock:?} of {} is taken after {later:?}: others wait for ever", agent.folder());
    }
}

impl Guard {
    fn new(entry: Arc<Entry>, lock: Lock, guard: OwnedMutexGuard<()>) -> Guard {
        let taken = tokio::task::try_id().map(|task| (task, lock));
        entry.held().extend(taken);
        Guard { entry, taken, _guard: guard }
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        let mut held = self.entry.held();
        if let Some(place) = held.iter().position(|held| Some(*held) == self.taken) {
            held.swap_remove(place);
        }
    }
}

impl fmt::Debug for Guard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Guard").field(&self.taken).finish()
    }
}

/// See [`AgentLocks::for_saving`].
pub struct SavingLock {
    locks: AgentLocks,
    lock: Lock,
}

#[async_trait]
impl WriteLock for SavingLock {
    async fn acquire(&self, agent: &Agent) -> WriteGuard {
        Box::new(self.locks.lock(agent, self.lock).await)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agent(name: &str) -> Agent {
        Agent::new(name).unwrap()
    }

    #[tokio::test]
    async fn a_lock_is_held_by_one_at_a_time_for_an_agent_and_by_many_for_different_ones() {
        let locks = AgentLocks::default();
        let held = locks.tables_lock(&agent("a")).await;
        assert!(locks.clone().try_lock(&agent("a"), Lock::Tables).is_none());
        assert!(locks.try_lock(&agent("b"), Lock::Tables).is_some());
        drop(held);
        assert!(locks.try_lock(&agent("a"), Lock::Tables).is_some());
    }

    #[tokio::test]
    async fn whoever_waits_comes_in_next() {
        let locks = AgentLocks::default();
        let held = locks.facts_and_tables_lock(&agent("a")).await;
        let waiting = tokio::spawn({
            let locks = locks.clone();
            async move { drop(locks.all_locks(&agent("a")).await) }
        });
        tokio::task::yield_now().await;
        drop(held);
        waiting.await.unwrap();
    }

    #[tokio::test]
    async fn locks_that_nobody_holds_cost_nothing() {
        let locks = AgentLocks::default();
        for number in 0..100 {
            drop(locks.history_lock(&agent(&number.to_string())).await);
        }
        assert_eq!(locks.0.lock().unwrap().len(), 1);
    }

    /// Takes locks one after the other in one task, of the same agent or of two; expects whether that is a panic.
    async fn check(first: Lock, second: Lock, same_agent: bool, panics: bool) {
        let task = tokio::spawn(async move {
            let locks = AgentLocks::default();
            let other = if same_agent { agent("a") } else { agent("b") };
            let _first = locks.lock(&agent("a"), first).await;
            let _second = locks.lock(&other, second).await;
        });
        assert_eq!(task.await.is_err(), panics, "{first:?} then {second:?}");
    }

    #[tokio::test]
    async fn a_wrong_order_panics_even_if_nobody_else_waits() {
        check(Lock::Facts, Lock::Tables, true, false).await;
        check(Lock::RollUp, Lock::Extraction, true, false).await;
        check(Lock::Tables, Lock::Facts, true, true).await;
        check(Lock::Facts, Lock::History, true, true).await;
        check(Lock::History, Lock::RollUp, true, true).await;
        check(Lock::Tables, Lock::Facts, false, false).await;
    }

    #[tokio::test]
    async fn a_lock_that_was_given_back_is_not_held() {
        let locks = AgentLocks::default();
        let task = tokio::spawn(async move {
            drop(locks.tables_lock(&agent("a")).await);
            drop(locks.facts_lock(&agent("a")).await);
        });
        task.await.unwrap();
    }
}
