//! What is made of an agent's messages: facts, and rows that can be searched. Others do it too, as soon as messages come, so
//! whoever has a lock for that puts it in here. What somebody else is at already is left to them.

use annals_core::{Agent, Result, Timestamp};
use annals_writer::{Eraser, ExtractionPassed, FactWriter, Projected, Writer};
use async_trait::async_trait;

use crate::locks::{Held, RollUp};

/// Says between steps whether a turn has lasted long enough. Each kind of work does one step whatever it says, so that none
/// waits for ever behind another.
pub type Enough<'a> = &'a (dyn Fn() -> bool + Sync);

/// Brings what was made of an agent's messages up to date.
#[async_trait]
pub trait Tables: Send + Sync {
    /// Reads new messages for facts, by rules or by a model, until it is `enough`.
    async fn read_for_facts(&self, agent: &Agent, now: Timestamp, enough: Enough<'_>) -> Result<ExtractionPassed>;

    /// Brings the tables of all grains up to date.
    async fn make_searchable(&self, agent: &Agent, now: Timestamp) -> Result<Projected>;

    /// The agents whose files still hold what was forgotten, those that were forgotten whole among them.
    async fn owed(&self) -> Result<Vec<Agent>>;

    /// Cleans an agent's files of what was forgotten, while nobody rolls it up. False if somebody else reads its messages now.
    async fn clean(&self, agent: &Agent, roll_up: &mut Held<'_, RollUp>, now: Timestamp) -> Result<bool>;
}

/// Where nobody else does it at the same time.
#[derive(Clone)]
pub struct Alone {
    /// Brings tables up to date.
    pub writer: Writer,
    /// Reads messages for facts.
    pub fact_writer: FactWriter,
    /// Cleans files.
    pub eraser: Eraser,
}

#[async_trait]
impl Tables for Alone {
    async fn read_for_facts(&self, agent: &Agent, now: Timestamp, enough: Enough<'_>) -> Result<ExtractionPassed> {
        self.fact_writer.extract_until(agent, now, &|_| (), enough).await
    }

    async fn make_searchable(&self, agent: &Agent, now: Timestamp) -> Result<Projected> {
        self.writer.project(agent, now, &|_| ()).await
    }

    async fn owed(&self) -> Result<Vec<Agent>> {
        self.eraser.owed().await
    }

    async fn clean(&self, agent: &Agent, _: &mut Held<'_, RollUp>, now: Timestamp) -> Result<bool> {
        self.eraser.clean(agent, now).await.map(|()| true)
    }
}
