//! Port `WriteLock`: the lock under which results of an agent are stored.
//!
//! A model may take minutes to answer, so a pass does not hold the lock during a model call. It reads its input, calls
//! the model, takes the lock, and stores the answer only if the input is still the same.

use async_trait::async_trait;

use crate::Agent;

/// Holds a lock until it is dropped.
pub type WriteGuard = Box<dyn Send>;

/// The lock of each agent.
#[async_trait]
pub trait WriteLock: Send + Sync {
    /// Waits until nobody else holds the agent's lock, and takes it.
    async fn acquire(&self, agent: &Agent) -> WriteGuard;

    /// Returns whether the caller holds the lock all the time. If so, results are stored without comparing the input
    /// again.
    fn is_held(&self) -> bool {
        false
    }
}

/// A lock for a caller that already holds it, or that is the only writer.
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
