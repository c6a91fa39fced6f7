//! Port `Blocks`: small texts that are always part of the context.

use annals_core::ports::{Block, Blocks};
use annals_core::{Agent, Result};
use async_trait::async_trait;

use super::MemoryCatalog;

#[async_trait]
impl Blocks for MemoryCatalog {
    async fn blocks(&self, agent: &Agent) -> Result<Vec<Block>> {
        self.read(agent, |data| data.blocks.values().cloned().collect())
    }

    async fn save_block(&self, agent: &Agent, block: Block) -> Result<()> {
        self.write(agent, |data, _| {
            data.blocks.insert(block.name.clone(), block);
        })
    }

    async fn remove_block(&self, agent: &Agent, name: &str) -> Result<bool> {
        self.write(agent, |data, _| data.blocks.remove(name).is_some())
    }
}
