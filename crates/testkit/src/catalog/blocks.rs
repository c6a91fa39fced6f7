//! Port `Blocks`: small texts that are always part of the context.

use annals_core::ports::{Block, Blocks, check_number_of_blocks};
use annals_core::{Agent, Result};
use async_trait::async_trait;

use super::MemoryCatalog;

#[async_trait]
impl Blocks for MemoryCatalog {
    async fn blocks(&self, agent: &Agent) -> Result<Vec<Block>> {
        self.read(agent, |data| data.blocks.values().cloned().collect())
    }

    async fn write_blocks(
        &self,
        agent: &Agent,
        written: Vec<Block>,
        removed: Vec<String>,
        most: usize,
    ) -> Result<Vec<Block>> {
        self.write(agent, |data, _| {
            let mut blocks = data.blocks.clone();
            blocks.retain(|name, _| !removed.contains(name));
            blocks.extend(written.into_iter().map(|block| (block.name.clone(), block)));
            check_number_of_blocks(blocks.len(), most)?;
            data.blocks = blocks;
            Ok(data.blocks.values().cloned().collect())
        })?
    }
}
