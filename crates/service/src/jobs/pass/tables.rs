//! The projections of an agent's messages: facts and searchable rows. The service updates them as soon as messages arrive, so
//! an implementation takes the agent locks, and skips what another task is doing.

use annals_core::ports::AlreadyHeld;
use annals_core::{Agent, Result, Timestamp};
use annals_writer::{Eraser, ExtractionPassed, FactWriter, Projected, Writer};
use async_trait::async_trait;

use crate::Parts;
use crate::locks::{Held, RollUp};

/// Returns whether a turn has lasted long enough; called between steps. Each kind of work does at least one step, so that none
/// starves behind another.
pub type ShouldStop<'a> = &'a (dyn Fn() -> bool + Sync);

/// Updates the projections of an agent's messages.
#[async_trait]
pub trait Tables: Send + Sync {
    /// Reads new messages for facts, by rules or with a model, until `should_stop` returns true.
    async fn read_for_facts(
        &self,
        agent: &Agent,
        now: Timestamp,
        should_stop: ShouldStop<'_>,
    ) -> Result<ExtractionPassed>;

    /// Updates the tables of all grains.
    async fn make_searchable(&self, agent: &Agent, now: Timestamp) -> Result<Projected>;

    /// Returns the agents whose files still hold erased text, agents that were erased altogether included.
    async fn pending_cleanings(&self) -> Result<Vec<Agent>>;

    /// Cleans an agent's files of erased text, while no task rolls the agent up. Returns false if another task reads its
    /// messages now.
    async fn clean(&self, agent: &Agent, roll_up: &mut Held<'_, RollUp>, now: Timestamp) -> Result<bool>;
}

/// An implementation without locks, for a process in which no other task writes the tables.
#[derive(Clone)]
pub struct Exclusive {
    /// Updates the tables.
    pub writer: Writer,
    /// Reads messages for facts.
    pub fact_writer: FactWriter,
    /// Cleans the files.
    pub eraser: Eraser,
}

impl Exclusive {
    /// Takes its fields from the parts of a service.
    pub fn of(parts: &Parts) -> Exclusive {
        let Parts { writer, fact_writer, eraser, .. } = parts.clone();
        Exclusive { writer, fact_writer, eraser }
    }
}

#[async_trait]
impl Tables for Exclusive {
    async fn read_for_facts(
        &self,
        agent: &Agent,
        now: Timestamp,
        should_stop: ShouldStop<'_>,
    ) -> Result<ExtractionPassed> {
        self.fact_writer.extract_due(agent, now, should_stop, &AlreadyHeld).await
    }

    async fn make_searchable(&self, agent: &Agent, now: Timestamp) -> Result<Projected> {
        self.writer.project(agent, now, &|_| ()).await
    }

    async fn pending_cleanings(&self) -> Result<Vec<Agent>> {
        self.eraser.pending_cleanings().await
    }

    async fn clean(&self, agent: &Agent, _: &mut Held<'_, RollUp>, now: Timestamp) -> Result<bool> {
        self.eraser.clean(agent, now).await.map(|()| true)
    }
}
