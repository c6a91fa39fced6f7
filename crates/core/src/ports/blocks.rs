//! Port `Blocks`: small texts of an agent that are always in context, such as a persona. Written by people and agents, not
//! drawn out of turns; no table and no summary holds them. How long they may be is checked by the caller.

use async_trait::async_trait;

use crate::{Agent, Result, Timestamp};

/// A small text that is always in context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// What it is called: persona, human, project …
    pub name: String,
    /// Its words.
    pub text: String,
    /// When they were written.
    pub updated_at: Timestamp,
}

/// Blocks. Each method is one transaction.
#[async_trait]
pub trait Blocks: Send + Sync {
    /// All blocks of an agent, by name.
    async fn blocks(&self, agent: &Agent) -> Result<Vec<Block>>;

    /// Writes a block, in place of one of the same name.
    async fn save_block(&self, agent: &Agent, block: Block) -> Result<()>;

    /// Removes a block; whether there was one.
    async fn remove_block(&self, agent: &Agent, name: &str) -> Result<bool>;
}
