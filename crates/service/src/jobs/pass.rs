//! The work of a wake-up: each agent gets a turn, and the stores determine what is due in it.
//!
//! A turn of roll-up reads new messages for facts, writes due summaries, updates the tables, and cleans files of erased text.
//! A turn of retention prunes what is past the plan. Results are saved under the agent's locks, so an erasure never sees half
//! of them; an agent with a taken lock is left for later. Never reads a clock. Under a clock that is not trusted no period
//! closes and nothing is pruned.

mod failed_cleanings;
mod retain;
mod roll_up;
mod service;
mod tables;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use annals_core::ports::Batching;
use annals_core::{Result, Store};
use annals_retention::{Look, Retention};
use annals_summarizer::Summarizer;

use super::Moment;
use super::round_robin::RoundRobin;
use crate::locks::AgentLocks;

pub use failed_cleanings::FailedCleanings;
pub use retain::Retained;
pub use roll_up::RolledUp;
pub use tables::{Exclusive, ShouldStop, Tables};

/// The dependencies of a pass. Cheap to clone; clones share the order of turns.
#[derive(Clone)]
pub struct Pass {
    /// The source of truth.
    pub store: Arc<dyn Store>,
    /// Writes the summaries that are due.
    pub summarizer: Summarizer,
    /// Prunes memories that are past their plan.
    pub retention: Retention,
    /// Reads new messages for facts, updates the tables, and cleans the files.
    pub tables: Arc<dyn Tables>,
    /// Asks the models in batches, if there are any.
    pub batching: Option<Arc<dyn Batching>>,
    pub locks: AgentLocks,
    /// The order of turns of roll-up.
    pub roll_ups: RoundRobin,
    /// The order of turns of retention.
    pub prunings: RoundRobin,
    /// The agents whose files recently could not be cleaned.
    pub cleanings: FailedCleanings,
}

impl Pass {
    /// Checks the clock, once for a whole round.
    async fn look(&self, moment: Moment) -> Result<Look> {
        self.retention.look_at_clock(moment.now, moment.synchronised).await
    }
}
