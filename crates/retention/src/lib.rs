//! Retention: prunes what an agent's plan no longer keeps, once the remaining summaries cover it.
//!
//! Prunes only complete sets: the whole input of a period, once the youngest part of it is past the plan and the period's own
//! summary has read it; and yearly summaries, which no other summary covers. Relies on the ports alone; never reads a clock, and
//! prunes only if the caller says that the clock is confirmed.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod clock;
mod due;
mod keep;
mod plan;
mod prune;
#[cfg(test)]
mod simulation;

use annals_core::Store;
use std::sync::Arc;

pub use clock::{ClockReading, Doubt, Trust};
pub use due::{Due, Held, Hold, Pruning, State, Totals, due};
pub use keep::{Keep, Unit};
pub use plan::{Plan, Plans};
pub use prune::Pruned;

/// Prunes the memories of agents by their plans. Cheap to clone.
#[derive(Clone)]
pub struct Retention {
    store: Arc<dyn Store>,
    plans: Plans,
}

impl Retention {
    /// Returns retention over this store; agents name one of `plans` in their settings.
    pub fn new(store: Arc<dyn Store>, plans: Plans) -> Retention {
        Retention { store, plans }
    }
}
