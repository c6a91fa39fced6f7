//! Blocks: short texts that are in every context of an agent.

use annals_core::ports::Block;
use annals_core::{Agent, Error, Fault, Result, Timestamp};

use crate::Service;
use crate::locks::History;
use crate::wire::{BlockView, BlocksRequest, BlocksView};

const LONGEST_NAME: usize = 64;
const LONGEST_TEXT: usize = 16 * 1024;
/// Blocks are in every context; more of them would leave no room for memories.
pub(super) const MOST: usize = 32;

impl Service {
    /// Returns an agent's blocks.
    pub async fn blocks(&self, agent: &Agent) -> Result<BlocksView> {
        let blocks = self.parts.store.blocks(agent).await?;
        let view = |block: Block| BlockView { name: block.name, text: block.text, updated_at: Some(block.updated_at) };
        Ok(BlocksView { agent: agent.name().to_owned(), blocks: blocks.into_iter().map(view).collect() })
    }

    /// Saves blocks, and removes those with an empty text. Returns all blocks of the agent.
    pub async fn write_blocks(&self, agent: &Agent, request: BlocksRequest, now: Timestamp) -> Result<BlocksView> {
        let faults: Vec<Fault> =
            request.blocks.iter().enumerate().flat_map(|(index, block)| check(index, block)).collect();
        if !faults.is_empty() {
            return Err(Error::Faults(faults));
        }
        let _history = self.locks.lock::<History>(agent).await;
        let mut names: Vec<String> =
            self.parts.store.blocks(agent).await?.into_iter().map(|block| block.name).collect();
        names.extend(request.blocks.iter().filter(|block| !block.text.is_empty()).map(|block| block.name.clone()));
        names.sort();
        names.dedup();
        if names.len() > MOST {
            return Err(Error::invalid("blocks", format!("would be {}; {MOST} are allowed", names.len())));
        }
        for BlockView { name, text, .. } in request.blocks {
            if text.is_empty() {
                self.parts.store.remove_block(agent, &name).await?;
            } else {
                self.parts.store.save_block(agent, Block { name, text, updated_at: now }).await?;
            }
        }
        self.blocks(agent).await
    }
}

pub(super) fn check(index: usize, block: &BlockView) -> Vec<Fault> {
    let fault = |field: &str, reason: String| Fault::new(format!("blocks[{index}].{field}"), reason);
    let mut faults = Vec::new();
    match block.name.len() {
        0 => faults.push(fault("name", "is empty".to_owned())),
        1..=LONGEST_NAME => {}
        bytes => faults.push(fault("name", format!("has {bytes} bytes; {LONGEST_NAME} are allowed"))),
    }
    if block.name.chars().any(char::is_control) {
        faults.push(fault("name", "contains a control character".to_owned()));
    }
    if block.text.len() > LONGEST_TEXT {
        faults.push(fault("text", format!("has {} bytes; {LONGEST_TEXT} are allowed", block.text.len())));
    }
    faults
}
