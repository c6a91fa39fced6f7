//! Implements port `Seals`.

use annals_core::ports::{Children, ClockNote, Seals};
use annals_core::{Agent, Base, MemoryId, Period, Result};
use async_trait::async_trait;

use crate::{SqliteCatalog, bases, children, clock, pins, seal};

#[async_trait]
impl Seals for SqliteCatalog {
    async fn children(&self, agent: &Agent) -> Result<Vec<Children>> {
        let agent = agent.clone();
        self.thread.read("reading the inputs of periods", move |c| children::all(c, &agent)).await
    }

    async fn seal(&self, agent: &Agent, looked_at: &Children, clean_seq: u64) -> Result<()> {
        let (agent, looked_at) = (agent.clone(), looked_at.clone());
        self.thread.write("sealing a period", move |c| seal::seal(c, &agent, &looked_at, clean_seq)).await
    }

    async fn base(&self, agent: &Agent, period: Period) -> Result<Option<Base>> {
        let agent = agent.clone();
        self.thread.read("reading a sealed summary", move |c| bases::base(c, &agent, period)).await
    }

    async fn pin(&self, agent: &Agent, id: &MemoryId, pinned: bool) -> Result<()> {
        let (agent, id) = (agent.clone(), id.clone());
        self.thread.write("pinning a memory", move |c| pins::pin(c, &agent, &id, pinned)).await
    }

    async fn clock(&self) -> Result<Option<ClockNote>> {
        self.thread.read("reading the state of the clock", clock::clock).await
    }

    async fn save_clock(&self, note: ClockNote) -> Result<()> {
        self.thread.write("saving the state of the clock", move |c| clock::save_clock(c, note)).await
    }
}
