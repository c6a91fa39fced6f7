//! Implements port `Accesses`.

use annals_core::ports::{Access, Accesses};
use annals_core::{Agent, Memory, MemoryId, Result};
use async_trait::async_trait;

use crate::{SqliteCatalog, accesses};

#[async_trait]
impl Accesses for SqliteCatalog {
    async fn recall(&self, agent: &Agent, ids: &[MemoryId]) -> Result<Vec<(Memory, Option<Access>)>> {
        let (agent, ids) = (agent.clone(), ids.to_vec());
        self.thread.read("reading memories", move |c| accesses::recall(c, &agent, &ids)).await
    }

    async fn add_accesses(&self, agent: &Agent, accesses: &[(MemoryId, Access)]) -> Result<()> {
        let (agent, accesses) = (agent.clone(), accesses.to_vec());
        self.thread.write("counting accesses", move |c| accesses::add(c, &agent, &accesses)).await
    }
}
