//! The work of a wake-up: each agent gets its turn, whatever is due in it follows from the stores.
//!
//! In a turn of roll-up new messages are read for facts, what is due is written, tables are brought up to date, and files are
//! cleaned of what was forgotten. In one of retention, what is past the plan is pruned. What is written is
//! saved under the agent's lock, so neither meets a forgetting half-way; an agent whose lock is taken is left for later. Never reads a clock; under one that is not believed nothing closes and nothing is pruned.

mod retain;
mod retry;
mod roll_up;
mod service;
mod tables;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use annals_core::ports::{Replies, Requests};
use annals_core::{Catalog, Result};
use annals_retention::{Look, Retention};
use annals_summarizer::Summarizer;

use super::Moment;
use super::rota::Rota;
use crate::locks::AgentLocks;

pub use retain::Retained;
pub use retry::Backoff;
pub use roll_up::RolledUp;
pub use tables::{Alone, Enough, Tables};

/// All that the work of a wake-up needs. Cheap to clone; clones share whose turn it is.
#[derive(Clone)]
pub struct Pass {
    /// The truth.
    pub catalog: Arc<dyn Catalog>,
    /// Models' answers, of which old ones are dropped.
    pub replies: Arc<dyn Replies>,
    /// Answers to requests, of which old ones are dropped.
    pub requests: Arc<dyn Requests>,
    /// Writes what is due.
    pub summarizer: Summarizer,
    /// Prunes what is past its plan.
    pub retention: Retention,
    /// Reads new messages for facts, brings tables up to date, and cleans them.
    pub tables: Arc<dyn Tables>,
    /// The locks of agents.
    pub locks: AgentLocks,
    /// Whose turn it is to be rolled up.
    pub roll_ups: Rota,
    /// Whose turn it is to be pruned.
    pub prunings: Rota,
    /// Whose files could not be cleaned lately.
    pub cleanings: Backoff,
}

impl Pass {
    /// Looks at the clock once for a whole round.
    async fn look(&self, moment: Moment) -> Result<Look> {
        self.retention.look_at_clock(moment.now, moment.synchronised).await
    }
}
