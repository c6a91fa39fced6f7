//! Roll-up: writes the summary of each closed period from the grain below, whenever its input changed.
//!
//! A pass compares the ledger with the expected state and does what is missing, so running it late or twice changes only when a
//! summary appears. A failing period or an unavailable model never blocks the coarser periods for good: after a while a
//! fallback engine writes the summary, and the model rewrites it later. Relies on the ports alone; never writes to a table,
//! never reads a clock, never removes a sealed summary.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod background;
mod backoff;
mod batches;
mod coverage;
mod due;
mod estimate;
mod input;
mod pass;
mod plan;
mod roll_up;

use annals_core::{Digest, Engine, Facts, Grain, Settings, Store};
use jiff::SignedDuration;
use std::sync::Arc;

pub use coverage::{Content, Gap, Lineage, gaps};
pub use due::{SchedulePolicy, due};
pub use estimate::Waiting;
pub use pass::Passed;
pub use plan::PassPlan;

/// Rolls up the periods of agents. Cheap to clone.
#[derive(Clone)]
pub struct Summarizer {
    store: Arc<dyn Store>,
    engine: Arc<dyn Engine>,
    fallback: Arc<dyn Engine>,
    policy: SchedulePolicy,
    facts: Option<Arc<dyn Facts>>,
    /// Id of the API key of the request that summaries are written for; `None` for scheduled work.
    access_key: Option<Arc<str>>,
}

impl Summarizer {
    /// Returns a summarizer over this catalog. `engine` writes the summaries. `fallback` works without a network and writes
    /// those that `engine` cannot.
    pub fn new(
        store: Arc<dyn Store>,
        engine: Arc<dyn Engine>,
        fallback: Arc<dyn Engine>,
        policy: SchedulePolicy,
    ) -> Summarizer {
        Summarizer { store, engine, fallback, policy, facts: None, access_key: None }
    }

    /// Returns this summarizer with facts: models also get facts about the names that occur in a period.
    #[must_use]
    pub fn with_facts(self, facts: Arc<dyn Facts>) -> Summarizer {
        Summarizer { facts: Some(facts), ..self }
    }

    /// Returns a copy of this summarizer with another engine.
    #[must_use]
    pub fn with_engine(&self, engine: Arc<dyn Engine>) -> Summarizer {
        Summarizer { engine, ..self.clone() }
    }

    /// Returns a copy of this summarizer that does not wait for quiet after the last message, for a roll-up on request.
    #[must_use]
    pub fn without_quiet_time(&self) -> Summarizer {
        Summarizer { policy: SchedulePolicy { quiet: SignedDuration::ZERO, ..self.policy }, ..self.clone() }
    }

    /// Returns a copy of this summarizer that books the calls of models to an API key too. If the budget of the key is spent, a
    /// pass leaves the remaining periods to later passes, and records no outage.
    #[must_use]
    pub fn for_key(&self, access_key: Option<Arc<str>>) -> Summarizer {
        Summarizer { access_key, ..self.clone() }
    }

    /// Returns the recipe of the summaries that the engine writes now: the hash of prompt, model and engine.
    pub fn recipe(&self, settings: &Settings, grain: Grain) -> Digest {
        self.engine.recipe(settings, grain)
    }
}
