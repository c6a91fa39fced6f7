//! Blocks: short texts that are in every context of an agent.

use std::collections::BTreeSet;

use annals_core::ports::Block;
use annals_core::{Agent, Error, Fault, Result, Timestamp};

use crate::Service;
use crate::locks::History;
use crate::wire::{BlockView, BlocksRequest, BlocksView};

/// Maximum number of blocks of an agent. Blocks are in every context; more of them would leave no room for memories.
const MAX_BLOCKS: usize = 32;

impl Service {
    /// Returns an agent's blocks, ordered by name.
    pub async fn blocks(&self, agent: &Agent) -> Result<BlocksView> {
        Ok(view(agent, self.parts.store.blocks(agent).await?))
    }

    /// Saves blocks, and removes those with an empty text, all or none. If a name occurs several times, the last text counts.
    /// Returns all blocks of the agent. Fails if a name or text is too long, or if the agent would have too many blocks.
    pub async fn write_blocks(&self, agent: &Agent, request: BlocksRequest, now: Timestamp) -> Result<BlocksView> {
        let faults: Vec<Fault> =
            request.blocks.iter().enumerate().flat_map(|(index, block)| check(index, block)).collect();
        if !faults.is_empty() {
            return Err(Error::Faults(faults));
        }
        let _history = self.locks.lock::<History>(agent).await;
        let last = |name: &str| request.blocks.iter().rev().find(|block| block.name == name);
        let (mut written, mut removed) = (Vec::new(), Vec::new());
        for name in request.blocks.iter().map(|block| &block.name).collect::<BTreeSet<_>>() {
            match last(name).map(|block| block.text.clone()).filter(|text| !text.is_empty()) {
                Some(text) => written.push(Block { name: name.clone(), text, updated_at: now }),
                None => removed.push(name.clone()),
            }
        }
        let blocks = self.parts.store.write_blocks(agent, written, removed, MAX_BLOCKS).await?;
        Ok(view(agent, blocks))
    }
}

fn view(agent: &Agent, blocks: Vec<Block>) -> BlocksView {
    let view = |block: Block| BlockView { name: block.name, text: block.text, updated_at: Some(block.updated_at) };
    BlocksView { agent: agent.name().to_owned(), blocks: blocks.into_iter().map(view).collect() }
}

fn check(index: usize, block: &BlockView) -> Vec<Fault> {
    let fault = |field: &str, reason: String| Fault::new(format!("blocks[{index}].{field}"), reason);
    let mut faults = Vec::new();
    match block.name.len() {
        0 => faults.push(fault("name", "is empty".to_owned())),
        1..=Block::MAX_NAME_BYTES => {}
        bytes => faults.push(fault("name", format!("has {bytes} bytes; {} are allowed", Block::MAX_NAME_BYTES))),
    }
    if block.name.chars().any(char::is_control) {
        faults.push(fault("name", "contains a control character".to_owned()));
    }
    let bytes = block.text.len();
    if bytes > Block::MAX_TEXT_BYTES {
        faults.push(fault("text", format!("has {bytes} bytes; {} are allowed", Block::MAX_TEXT_BYTES)));
    }
    faults
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use annals_core::prelude::*;
    use annals_testkit::{Faulty, MemoryCatalog, agent, at};

    use super::*;
    use crate::fixture::{NOW, over};

    fn block(name: &str, text: &str) -> BlockView {
        BlockView { name: name.to_owned(), text: text.to_owned(), updated_at: None }
    }

    #[tokio::test]
    async fn failing_store_leaves_all_blocks_as_they_were() {
        let (me, mut call) = (agent("me"), 1);
        loop {
            let inner = MemoryCatalog::new();
            let service = over(Arc::new(inner.clone()), Arc::new(|| at(NOW)));
            let before = vec![block("human", "Ann"), block("persona", "Kind")];
            service.write_blocks(&me, BlocksRequest { blocks: before }, at(NOW)).await.unwrap();
            let before = inner.blocks(&me).await.unwrap();
            let service = over(Arc::new(Faulty::at_call(inner.clone(), call)), Arc::new(|| at(NOW)));
            let changes = vec![block("human", "Bob"), block("persona", ""), block("project", "Annals")];
            let written = service.write_blocks(&me, BlocksRequest { blocks: changes }, at(NOW)).await;
            let after = inner.blocks(&me).await.unwrap();
            match written {
                Err(_) => assert_eq!(after, before, "call {call}"),
                Ok(view) => {
                    let names: Vec<_> = view.blocks.iter().map(|block| block.name.as_str()).collect();
                    assert_eq!((names, after[0].text.as_str()), (vec!["human", "project"], "Bob"));
                    break;
                }
            }
            call += 1;
        }
        assert!(call > 1);
    }
}
