//! One run of a job over all agents. Each agent gets a slot, in which the work is done that the stores show as due.
//!
//! A slot of roll-up extracts facts from new messages, writes due summaries, updates the tables, and cleans files of erased
//! text. A slot of retention prunes what is past the plan, updates the tables, and drops old model answers. Results are saved
//! under the agent's locks, so an erasure never runs between two writes of one result. If another task rolls an agent up or
//! changes its history, the agent is left for later. If another task extracts the agent's facts or writes the agent's tables,
//! only that step is left for later. Never reads a clock. Under a clock that is not trusted no period closes and nothing is
//! pruned.

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

/// A function that returns whether a slot should end; called between steps. Each kind of work does at least one step first, so
/// that every kind makes progress in every slot.
pub(crate) type ShouldStop<'a> = &'a (dyn Fn() -> bool + Sync);

/// Runs roll-up and retention over the agents of a service. Cheap to clone; clones share the order of slots.
#[derive(Clone)]
pub struct Pass {
    service: Service,
    /// Which agent comes first in the next round of roll-up.
    roll_ups: RoundRobin,
    /// Which agent comes first in the next round of retention.
    prunings: RoundRobin,
    cleanings: FailedCleanings,
}

impl Pass {
    /// Creates passes over this service. They share the service's agent locks, so that jobs, requests and erasures exclude each
    /// other.
    pub fn of(service: &Service) -> Pass {
        Pass {
            service: service.clone(),
            roll_ups: RoundRobin::default(),
            prunings: RoundRobin::default(),
            cleanings: FailedCleanings::default(),
        }
    }

    /// Compares the time with the last recorded one, and records it. Called once for a whole round.
    async fn read_clock(&self, moment: Moment) -> Result<ClockReading> {
        self.service.parts.retention.read_clock(moment.now, moment.synchronised).await
    }
}
