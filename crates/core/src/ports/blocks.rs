//! Port `Blocks`: small texts of an agent that are always in context, such as a persona. People and agents write them;
//! they are not extracted from turns, and no table or summary contains them. The caller checks their length.

use async_trait::async_trait;

use crate::{Agent, Result, Timestamp};

/// A small text that is always in context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Its name: persona, human, project …
    pub name: String,
    /// Its text.
    pub text: String,
    /// When it was written.
    pub updated_at: Timestamp,
}

/// Blocks. Each method is one transaction.
#[async_trait]
pub trait Blocks: Send + Sync {
    /// Returns all blocks of an agent, by name.
    async fn blocks(&self, agent: &Agent) -> Result<Vec<Block>>;

    /// Writes a block and replaces one of the same name.
    async fn save_block(&self, agent: &Agent, block: Block) -> Result<()>;

    /// Removes a block. Returns whether it existed.
    async fn remove_block(&self, agent: &Agent, name: &str) -> Result<bool>;
}
