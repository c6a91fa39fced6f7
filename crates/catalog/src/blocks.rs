//! Blocks: small texts that are always in context.

use annals_core::Agent;
use annals_core::ports::{Block, Blocks};
use async_trait::async_trait;

use crate::agents;
use crate::columns::{instant, micros};
use crate::db::{Db, Result, Row, params};
use crate::{Backend, SqlCatalog};

#[async_trait]
impl<B: Backend> Blocks for SqlCatalog<B> {
    async fn blocks(&self, agent: &Agent) -> annals_core::Result<Vec<Block>> {
        let agent = agent.clone();
        self.thread.read("reading blocks", move |c| blocks(c, &agent)).await
    }

    async fn write_blocks(
        &self,
        agent: &Agent,
        written: Vec<Block>,
        removed: Vec<String>,
        most: usize,
    ) -> annals_core::Result<Vec<Block>> {
        let agent = agent.clone();
        self.thread.write("writing blocks", move |c| write(c, &agent, &written, &removed, most)).await
    }
}

/// Returns all blocks of an agent, by name.
pub(crate) fn blocks(db: &dyn Db, agent: &Agent) -> Result<Vec<Block>> {
    of(db, agents::known(db, agent)?)
}

/// Does the same as [`blocks`], by the agent's number.
pub(crate) fn of(db: &dyn Db, agent_id: i64) -> Result<Vec<Block>> {
    let sql = "SELECT name, text, updated_at FROM block WHERE agent_id = ?1 ORDER BY name";
    db.query(sql, params![agent_id], read)
}

/// Stores and removes blocks, all or none. Returns all blocks of the agent. Fails if these would be more than `most`.
fn write(db: &dyn Db, agent: &Agent, written: &[Block], removed: &[String], most: usize) -> Result<Vec<Block>> {
    let agent_id = if written.is_empty() { agents::known(db, agent)? } else { agents::enrolled(db, agent)? };
    for name in removed {
        remove_of(db, agent_id, name)?;
    }
    for block in written {
        save_of(db, agent_id, block)?;
    }
    let all = of(db, agent_id)?;
    annals_core::ports::check_number_of_blocks(all.len(), most)?;
    Ok(all)
}

/// Stores a block, replacing one of the same name.
pub(crate) fn save_of(db: &dyn Db, agent_id: i64, block: &Block) -> Result<()> {
    let sql = "INSERT INTO block (agent_id, name, text, updated_at) VALUES (?1, ?2, ?3, ?4)
        ON CONFLICT (agent_id, name) DO UPDATE SET text = excluded.text, updated_at = excluded.updated_at";
    db.execute(sql, params![agent_id, block.name, block.text, micros(block.updated_at)])?;
    Ok(())
}

/// Removes a block, if there is one of that name.
pub(crate) fn remove_of(db: &dyn Db, agent_id: i64, name: &str) -> Result<()> {
    let sql = "DELETE FROM block WHERE agent_id = ?1 AND name = ?2";
    db.execute(sql, params![agent_id, name])?;
    Ok(())
}

fn read(row: &Row) -> Result<Block> {
    Ok(Block { name: row.get("name")?, text: row.get("text")?, updated_at: instant(row, "updated_at")? })
}
