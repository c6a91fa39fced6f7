//! Port `WriteLock`: the lock under which results of an agent are stored.
//!
//! A model may take minutes to answer. A pass that asks one does not hold the lock meanwhile: it reads its input, asks, takes
//! the lock, and stores the answer only if the input is still the same.

use async_trait::async_trait;

use crate::Agent;

/// Holds a lock until it is dropped.
pub type WriteGuard = Box<dyn Send>;

/// The lock of each agent.
#[async_trait]
pub trait WriteLock: Send + Sync {
    /// Waits until nobody else holds the agent's lock.
    async fn acquire(&self, agent: &Agent) -> WriteGuard;

    /// Whether the caller holds the lock all the time. Then nothing needs to be compared before results are stored.
    fn is_held(&self) -> bool {
        false
    }
}

/// For a caller that holds the lock already, or is the only writer.
#[derive(Clone, Copy, Debug)]
pub struct AlreadyHeld;

#[async_trait]
impl WriteLock for AlreadyHeld {
    async fn acquire(&self, _: &Agent) -> WriteGuard {
        Box::new(())
    }

    fn is_held(&self) -> bool {
        true
    }
}
