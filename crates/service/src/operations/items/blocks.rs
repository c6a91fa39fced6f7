//! Stores blocks of an import: as blocks if possible, otherwise as documents.

use annals_core::ports::ItemKey;
use annals_core::{Result, Timestamp};

use super::{Import, UNDATED};
use crate::wire::{BlockView, BlocksRequest};

impl Import<'_> {
    /// Stores a block. If it is refused as a block, stores it as a document: the text may be too large, the name not allowed,
    /// or the number of blocks at its limit. A block that is stored with this text, or that was forgotten, is only counted.
    pub(super) async fn take_block(
        &mut self,
        name: String,
        text: String,
        at: Option<Timestamp>,
        location: &str,
    ) -> Result<()> {
        let text = self.masked(text);
        let stored = self.service.blocks(self.agent).await?.blocks.into_iter().find(|block| block.name == name);
        if stored.as_ref().is_some_and(|stored| stored.text == text) {
            self.stored.blocks.known += 1;
            return Ok(());
        }
        if stored.is_none() && self.forgotten(&[ItemKey::Block(name.clone())]).await? == [true] {
            self.stored.blocks.forgotten += 1;
            return Ok(());
        }
        let block = BlockView { name: name.clone(), text: text.clone(), updated_at: None };
        let written = BlocksRequest { blocks: vec![block] };
        match self.service.write_blocks(self.agent, written, at.unwrap_or(UNDATED)).await {
            Ok(_) if stored.is_some() => self.stored.blocks.revised += 1,
            Ok(_) => self.stored.blocks.new += 1,
            Err(error) if error.is_of_input() => {
                let id = format!("{}:block/{name}", self.request.from);
                return self.take_document(&id, &name, text, at, location).await;
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }
}
