//! Implements the port `Archive`: exports all records of an agent, and restores them into an agent without memories.

mod records;
mod restore;

use annals_core::ports::{Archive, Record, Version};
use annals_core::{Agent, MemoryId, Timestamp};
use async_trait::async_trait;

use crate::db::Db;
use crate::versions;
use crate::{Backend, SqlCatalog};

pub(crate) use restore::drop_all_staged;

const RESTORING: &str = "restoring an agent";

#[async_trait]
impl<B: Backend> Archive for SqlCatalog<B> {
    async fn records(&self, agent: &Agent, after: Option<&Record>, limit: usize) -> annals_core::Result<Vec<Record>> {
        let (agent, after) = (agent.clone(), after.cloned());
        let read = move |c: &dyn Db| records::records(c, &agent, after.as_ref(), limit);
        self.thread.read("reading all data of an agent", read).await
    }

    async fn begin_restore(&self, agent: &Agent) -> annals_core::Result<()> {
        let agent = agent.clone();
        self.thread.write(RESTORING, move |c| restore::begin(c, &agent)).await
    }

    async fn restore_some(&self, agent: &Agent, records: Vec<Record>) -> annals_core::Result<()> {
        let agent = agent.clone();
        self.thread.write(RESTORING, move |c| restore::take(c, &agent, &records)).await
    }

    async fn finish_restore(&self, agent: &Agent, now: Timestamp) -> annals_core::Result<()> {
        let agent = agent.clone();
        self.thread.write(RESTORING, move |c| restore::finish(c, &agent, now)).await
    }

    async fn drop_restore(&self, agent: &Agent) -> annals_core::Result<()> {
        let agent = agent.clone();
        self.thread.write(RESTORING, move |c| restore::drop_staged(c, &agent)).await
    }

    async fn correct(&self, agent: &Agent, id: &MemoryId, text: &str, now: Timestamp) -> annals_core::Result<()> {
        let (agent, id, text) = (agent.clone(), id.clone(), text.to_owned());
        self.thread.write("correcting a memory", move |c| versions::correct(c, &agent, &id, &text, now)).await
    }

    async fn versions(&self, agent: &Agent, id: &MemoryId) -> annals_core::Result<Vec<Version>> {
        let (agent, id) = (agent.clone(), id.clone());
        self.thread.read("reading former texts", move |c| versions::versions(c, &agent, &id)).await
    }
}
