//! Port `Blocks`: small texts of an agent that are always in context, such as a persona. People and agents write them;
//! they are not extracted from turns, and no table or summary contains them. The caller checks their lengths.

use async_trait::async_trait;

use crate::{Agent, Error, Result, Timestamp};

/// A small text that is always in context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The name, unique among the blocks of the agent: persona, human, project …
    pub name: String,
    /// The text that every context contains.
    pub text: String,
    /// When it was written.
    pub updated_at: Timestamp,
}

impl Block {
    /// Maximum bytes of a name.
    pub const MAX_NAME_BYTES: usize = 64;
    /// Maximum bytes of a text. Blocks are in every context, so longer texts are documents.
    pub const MAX_TEXT_BYTES: usize = 16 * 1024;
}

/// Blocks. Each method is one transaction.
#[async_trait]
pub trait Blocks: Send + Sync {
    /// Returns all blocks of an agent, sorted by name.
    async fn blocks(&self, agent: &Agent) -> Result<Vec<Block>>;

    /// Writes blocks, replaces those of the same names, and removes the blocks with the names in `removed`. Returns all blocks
    /// of the agent, sorted by name. If the agent would then have more than `most` blocks, changes nothing and fails with
    /// [`crate::Error::Invalid`].
    async fn write_blocks(
        &self,
        agent: &Agent,
        written: Vec<Block>,
        removed: Vec<String>,
        most: usize,
    ) -> Result<Vec<Block>>;
}

/// Fails with [`Error::Invalid`] if an agent would have more than `most` blocks.
pub fn check_number_of_blocks(number: usize, most: usize) -> Result<()> {
    if number <= most {
        return Ok(());
    }
    Err(Error::invalid("blocks", format!("would be {number}; {most} are allowed")))
}
