//! Implements port `Blocks`.

use annals_core::ports::{Block, Blocks};
use annals_core::{Agent, Result};
use async_trait::async_trait;

use crate::{SqliteCatalog, blocks};

#[async_trait]
impl Blocks for SqliteCatalog {
    async fn blocks(&self, agent: &Agent) -> Result<Vec<Block>> {
        let agent = agent.clone();
        self.thread.read("reading blocks", move |c| blocks::blocks(c, &agent)).await
    }

    async fn save_block(&self, agent: &Agent, block: Block) -> Result<()> {
        let agent = agent.clone();
        self.thread.write("saving a block", move |c| blocks::save(c, &agent, &block)).await
    }

    async fn remove_block(&self, agent: &Agent, name: &str) -> Result<bool> {
        let (agent, name) = (agent.clone(), name.to_owned());
        self.thread.write("removing a block", move |c| blocks::remove(c, &agent, &name)).await
    }
}
