//! Port `Archive`.

use annals_core::ports::{Archive, Record, Version};
use annals_core::{Agent, MemoryId, Result, Timestamp};
use async_trait::async_trait;

use crate::{SqliteCatalog, archive, correct, versions};

#[async_trait]
impl Archive for SqliteCatalog {
    async fn records(&self, agent: &Agent) -> Result<Vec<Record>> {
        let agent = agent.clone();
        self.thread.read("reading all of an agent", move |c| archive::records(c, &agent)).await
    }

    async fn restore(&self, agent: &Agent, records: Vec<Record>, now: Timestamp) -> Result<()> {
        let agent = agent.clone();
        self.thread.write("restoring an agent", move |c| archive::restore(c, &agent, records, now)).await
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
