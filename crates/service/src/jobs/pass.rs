//! The work of a wake-up: each agent gets a slot, and the stores determine what is due in it.
//!
//! A slot of roll-up extracts facts from new messages, writes due summaries, updates the tables, and cleans files of
//! erased text. A slot of retention prunes what is past the plan. Results are saved under the agent's locks, so an
//! erasure never runs between two writes of one result. If another task holds a lock of an agent, the agent is left for
//! later. Never reads a clock. Under a clock that is not trusted no period closes and nothing is pruned.

mod failed_cleanings;
mod retain;
mod roll_up;
#[cfg(test)]
mod tests;

use annals_core::Result;
use annals_retention::ClockReading;

use super::Moment;
use super::round_robin::RoundRobin;
use crate::Service;

use failed_cleanings::FailedCleanings;
pub use retain::Retained;
pub use roll_up::RolledUp;

/// A function that returns whether a slot should end; called between steps. Each kind of work does at least one step, so that
/// none is starved by another.
pub(crate) type ShouldStop<'a> = &'a (dyn Fn() -> bool + Sync);

/// The passes over the agents of a service. Cheap to clone; clones share the order of slots.
#[derive(Clone)]
pub struct Pass {
    service: Service,
    /// The order of slots of roll-up.
    roll_ups: RoundRobin,
    /// The order of slots of retention.
    prunings: RoundRobin,
    /// The agents whose files recently could not be cleaned.
    cleanings: FailedCleanings,
}

impl Pass {
    /// Creates a pass over this service. It takes the service's agent locks, so that jobs, requests and erasures exclude each other.
    pub fn of(service: &Service) -> Pass {
        Pass {
            service: service.clone(),
            roll_ups: RoundRobin::default(),
            prunings: RoundRobin::default(),
            cleanings: FailedCleanings::default(),
        }
    }

    /// Checks the clock, once for a whole round.
    async fn read_clock(&self, moment: Moment) -> Result<ClockReading> {
        self.service.parts.retention.read_clock(moment.now, moment.synchronised).await
    }
}
