//! Implements port `Archive`.

use annals_core::ports::{Archive, Record, Version};
use annals_core::{Agent, MemoryId, Result, Timestamp};
use async_trait::async_trait;

use crate::db::Db;
use crate::{SqliteCatalog, archive, correct, versions};

const RESTORING: &str = "restoring an agent";

#[async_trait]
impl Archive for SqliteCatalog {
    async fn records(&self, agent: &Agent, after: Option<&Record>, limit: usize) -> Result<Vec<Record>> {
        let (agent, after) = (agent.clone(), after.cloned());
        let read = move |c: &dyn Db| archive::records(c, &agent, after.as_ref(), limit);
        self.thread.read("reading all data of an agent", read).await
    }

    async fn begin_restore(&self, agent: &Agent) -> Result<()> {
        let agent = agent.clone();
        self.thread.write(RESTORING, move |c| archive::begin(c, &agent)).await
    }

    async fn restore_some(&self, agent: &Agent, records: Vec<Record>) -> Result<()> {
        let agent = agent.clone();
        self.thread.write(RESTORING, move |c| archive::take(c, &agent, records)).await
    }

    async fn finish_restore(&self, agent: &Agent, now: Timestamp) -> Result<()> {
        let agent = agent.clone();
        self.thread.write(RESTORING, move |c| archive::finish(c, &agent, now)).await
    }

    async fn drop_restore(&self, agent: &Agent) -> Result<()> {
        let agent = agent.clone();
        self.thread.write(RESTORING, move |c| archive::drop_staged(c, &agent)).await
    }

    async fn correct(&self, agent: &Agent, id: &MemoryId, text: &str, now: Timestamp) -> Result<()> {
        let (agent, id, text) = (agent.clone(), id.clone(), text.to_owned());
        self.thread.write("correcting a memory", move |c| correct::correct(c, &agent, &id, &text, now)).await
    }

    async fn versions(&self, agent: &Agent, id: &MemoryId) -> Result<Vec<Version>> {
        let (agent, id) = (agent.clone(), id.clone());
        self.thread.read("reading former texts", move |c| versions::versions(c, &agent, &id)).await
    }
}
