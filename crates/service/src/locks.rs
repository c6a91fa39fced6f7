//! Agent locks: one task at a time holds a lock of an agent; tasks for different agents do not wait for each other.
//!
//! Two tasks that take two locks of an agent in opposite orders would deadlock. So a held lock is a value ([`Held`]), and
//! further locks of the agent are taken through it ([`Held::then`]); the compiler accepts only locks that come later in the
//! order of [`Lock`] ([`After`]). A function that is called with a lock held takes that value as an argument, or uses
//! [`AgentLocks::try_lock`], which does not wait. [`AgentLocks::lock`] begins a chain. The compiler cannot prevent that a task
//! begins a second chain for the same agent with a lock that it holds, or an earlier one. In builds with debug assertions this
//! panics, even if no other task holds the lock.

mod order;

use std::collections::HashMap;
use std::fmt;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};

use annals_core::Agent;
use annals_core::ports::{WriteGuard, WriteLock};
use async_trait::async_trait;
use parking_lot::Mutex;
use tokio::sync::{Mutex as AsyncMutex, OwnedMutexGuard};
use tokio::task::Id;

use order::LOCKS;
pub use order::{After, Extraction, Facts, History, Level, Lock, RollUp, Tables};

/// The locks of all agents. An agent has an entry at least while a task holds one of its locks or waits for one; unused entries
/// are removed when another agent gets one. Cheap to clone; clones share the locks.
#[derive(Clone, Default)]
pub struct AgentLocks(Arc<Mutex<HashMap<Agent, Weak<Entry>>>>);

#[derive(Default)]
struct Entry {
    locks: [Arc<AsyncMutex<()>>; LOCKS],
    /// The number of waiting tasks, by lock.
    waiting: [AtomicUsize; LOCKS],
    /// The held locks, with the task that took each.
    held: Mutex<Vec<(Id, Lock)>>,
}

/// A held lock of an agent; no other task holds it until this is dropped. `'a` borrows the guard of an earlier lock, which
/// cannot be used meanwhile.
pub struct Held<'a, L: Level> {
    agent: Agent,
    guard: Guard,
    earlier: PhantomData<(&'a mut (), L)>,
}

impl AgentLocks {
    /// Waits for the lock, in order of arrival. The calling task must hold no lock of the agent.
    pub async fn lock<L: Level>(&self, agent: &Agent) -> Held<'static, L> {
        self.entry(agent).lock(agent).await
    }

    /// Takes the lock if it is free now. Never waits, so the calling task may hold any other lock.
    pub fn try_lock<L: Level>(&self, agent: &Agent) -> Option<Held<'static, L>> {
        self.entry(agent).try_lock(agent)
    }

    /// Returns whether a task holds the lock now. For display only: the lock may be free a moment later.
    pub fn is_held(&self, agent: &Agent, lock: Lock) -> bool {
        let entries = self.0.lock();
        let entry = entries.get(agent).and_then(Weak::upgrade);
        entry.is_some_and(|entry| entry.held().iter().any(|(_, held)| *held == lock))
    }

    /// Returns a lock that a pass takes each time it saves results, and releases in between. The pass must hold no lock of the
    /// agent.
    pub(crate) fn for_saving<'a, L: Level>(&self, agent: &'a Agent) -> SavingLock<'a> {
        SavingLock { entry: self.entry(agent), agent, lock: L::LOCK }
    }

    /// Waits until the lock is free, without keeping it. The calling task must hold no lock of the agent.
    pub(crate) async fn wait_until_free(&self, agent: &Agent, lock: Lock) {
        drop(self.entry(agent).wait(agent, lock).await);
    }

    fn entry(&self, agent: &Agent) -> Arc<Entry> {
        let mut entries = self.0.lock();
        if let Some(entry) = entries.get(agent).and_then(Weak::upgrade) {
            return entry;
        }
        // Removes entries with locks that no task holds or waits for, so that agents without activity take no memory.
        entries.retain(|_, entry| entry.strong_count() > 0);
        let entry = Arc::new(Entry::default());
        entries.insert(agent.clone(), Arc::downgrade(&entry));
        entry
    }
}

impl Entry {
    async fn lock<'a, L: Level>(self: Arc<Entry>, agent: &Agent) -> Held<'a, L> {
        Held::new(agent, self.wait(agent, L::LOCK).await)
    }

    fn try_lock<'a, L: Level>(self: Arc<Entry>, agent: &Agent) -> Option<Held<'a, L>> {
        let guard = self.locks[L::LOCK as usize].clone().try_lock_owned().ok()?;
        Some(Held::new(agent, Guard::new(self, L::LOCK, guard)))
    }

    async fn wait(self: Arc<Entry>, agent: &Agent, lock: Lock) -> Guard {
        self.check_order(agent, lock);
        let waiting = Waiting::new(&self.waiting[lock as usize]);
        let guard = self.locks[lock as usize].clone().lock_owned().await;
        drop(waiting);
        Guard::new(self, lock, guard)
    }

    fn held(&self) -> parking_lot::MutexGuard<'_, Vec<(Id, Lock)>> {
        self.held.lock()
    }

    fn check_order(&self, agent: &Agent, lock: Lock) {
        let Some(task) = tokio::task::try_id() else { return };
        let later = self.held().iter().find(|(holder, held)| *holder == task && *held >= lock).map(|(_, held)| *held);
        debug_assert!(later.is_none(), "{lock:?} of {} is taken after {later:?}: others wait for ever", agent.folder());
    }
}

/// A guard that counts a waiting task until it is dropped, also when the wait is cancelled.
struct Waiting<'a>(&'a AtomicUsize);

impl<'a> Waiting<'a> {
    fn new(count: &'a AtomicUsize) -> Waiting<'a> {
        count.fetch_add(1, Ordering::SeqCst);
        Waiting(count)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl<L: Level> Held<'_, L> {
    fn new(agent: &Agent, guard: Guard) -> Self {
        Held { agent: agent.clone(), guard, earlier: PhantomData }
    }

    /// Waits for a later lock of the same agent.
    pub async fn then<M: After<L>>(&mut self) -> Held<'_, M> {
        self.guard.entry.clone().lock(&self.agent).await
    }

    /// Takes a later lock of the same agent if it is free now.
    pub(crate) fn try_then<M: After<L>>(&mut self) -> Option<Held<'_, M>> {
        self.guard.entry.clone().try_lock(&self.agent)
    }

    /// Returns a later lock of the same agent that a pass takes each time it saves results, and releases in between.
    pub(crate) fn for_saving<M: After<L>>(&self) -> SavingLock<'_> {
        SavingLock { entry: self.guard.entry.clone(), agent: &self.agent, lock: M::LOCK }
    }

    /// Returns whether a task waits for this lock. Work that can continue later should end then.
    pub(crate) fn is_waited_for(&self) -> bool {
        self.signal().is_waited_for()
    }

    /// Returns a handle that reports waiting tasks without borrowing this guard.
    pub fn signal(&self) -> Signal {
        Signal { entry: self.guard.entry.clone(), lock: L::LOCK }
    }
}

/// A handle that reports whether a task waits for a lock; see [`Held::signal`].
pub struct Signal {
    entry: Arc<Entry>,
    lock: Lock,
}

impl Signal {
    /// Returns whether a task waits for the lock.
    pub(crate) fn is_waited_for(&self) -> bool {
        self.entry.waiting[self.lock as usize].load(Ordering::SeqCst) > 0
    }
}

/// A held lock of any [`Level`].
struct Guard {
    entry: Arc<Entry>,
    holder: Option<(Id, Lock)>,
    _guard: OwnedMutexGuard<()>,
}

impl Guard {
    fn new(entry: Arc<Entry>, lock: Lock, guard: OwnedMutexGuard<()>) -> Guard {
        let holder = tokio::task::try_id().map(|task| (task, lock));
        entry.held().extend(holder);
        Guard { entry, holder, _guard: guard }
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        let mut held = self.entry.held();
        if let Some(index) = held.iter().position(|held| Some(*held) == self.holder) {
            held.swap_remove(index);
        }
    }
}

impl<L: Level> fmt::Debug for Held<'_, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Held").field(&L::LOCK).finish()
    }
}

/// A lock that a pass takes each time it saves results, and releases in between; see [`Held::for_saving`].
pub(crate) struct SavingLock<'a> {
    entry: Arc<Entry>,
    agent: &'a Agent,
    lock: Lock,
}

#[async_trait]
impl WriteLock for SavingLock<'_> {
    async fn acquire(&self, agent: &Agent) -> WriteGuard {
        debug_assert_eq!(agent, self.agent, "a pass over one agent saves for another");
        Box::new(self.entry.clone().wait(agent, self.lock).await)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agent(name: &str) -> Agent {
        Agent::new(name).unwrap()
    }

    #[tokio::test]
    async fn lock_is_exclusive_per_agent() {
        let locks = AgentLocks::default();
        let held = locks.lock::<Tables>(&agent("a")).await;
        assert!(locks.clone().try_lock::<Tables>(&agent("a")).is_none());
        assert!(locks.try_lock::<Tables>(&agent("b")).is_some());
        drop(held);
        assert!(locks.try_lock::<Tables>(&agent("a")).is_some());
    }

    #[tokio::test]
    async fn waiting_task_takes_the_released_lock() {
        let locks = AgentLocks::default();
        let mut facts = locks.lock::<Facts>(&agent("a")).await;
        let tables = facts.then::<Tables>().await;
        let waiting = tokio::spawn({
            let locks = locks.clone();
            async move {
                let mut facts = locks.lock::<Facts>(&agent("a")).await;
                drop(facts.then::<Tables>().await);
            }
        });
        tokio::task::yield_now().await;
        drop(tables);
        assert!(facts.is_waited_for());
        drop(facts);
        waiting.await.unwrap();
        assert!(!locks.lock::<Facts>(&agent("a")).await.is_waited_for());
    }

    #[tokio::test]
    async fn cancelled_wait_is_not_counted() {
        let locks = AgentLocks::default();
        let held = locks.lock::<History>(&agent("a")).await;
        let waiting = tokio::spawn({
            let locks = locks.clone();
            async move { locks.wait_until_free(&agent("a"), Lock::History).await }
        });
        tokio::task::yield_now().await;
        assert!(held.is_waited_for());
        waiting.abort();
        assert!(waiting.await.is_err() && !held.is_waited_for());
    }

    #[tokio::test]
    async fn unused_locks_are_removed() {
        let locks = AgentLocks::default();
        for number in 0..100 {
            drop(locks.lock::<History>(&agent(&number.to_string())).await);
        }
        assert_eq!(locks.0.lock().len(), 1);
    }

    /// Begins two chains in one task, for the same agent or for two agents, and checks whether that panics.
    async fn check<First: Level, Second: Level>(same_agent: bool, panics: bool) {
        let task = tokio::spawn(async move {
            let locks = AgentLocks::default();
            let other = if same_agent { agent("a") } else { agent("b") };
            let _first = locks.lock::<First>(&agent("a")).await;
            let _second = locks.lock::<Second>(&other).await;
        });
        assert_eq!(task.await.is_err(), panics, "{:?} then {:?}", First::LOCK, Second::LOCK);
    }

    #[tokio::test]
    async fn two_chains_in_wrong_order_panic_without_contention() {
        check::<Facts, Tables>(true, false).await;
        check::<Tables, Facts>(true, true).await;
        check::<Facts, History>(true, true).await;
        check::<History, RollUp>(true, true).await;
        check::<Tables, Facts>(false, false).await;
    }

    #[tokio::test]
    async fn released_lock_may_be_followed_by_an_earlier_one() {
        let locks = AgentLocks::default();
        let task = tokio::spawn(async move {
            drop(locks.lock::<Tables>(&agent("a")).await);
            drop(locks.lock::<Facts>(&agent("a")).await);
        });
        task.await.unwrap();
    }
}
