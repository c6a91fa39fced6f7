//! Blocks: small texts that are always in context.

use annals_core::Agent;
use annals_core::ports::{Block, Blocks};
use async_trait::async_trait;

use crate::SqliteCatalog;
use crate::agents;
use crate::columns::{instant, micros};
use crate::db::{Db, Result, Row, params};

#[async_trait]
impl Blocks for SqliteCatalog {
    async fn blocks(&self, agent: &Agent) -> annals_core::Result<Vec<Block>> {
        let agent = agent.clone();
        self.thread.read("reading blocks", move |c| blocks(c, &agent)).await
    }

    async fn save_block(&self, agent: &Agent, block: Block) -> annals_core::Result<()> {
        let agent = agent.clone();
        self.thread.write("saving a block", move |c| save(c, &agent, &block)).await
    }

    async fn remove_block(&self, agent: &Agent, name: &str) -> annals_core::Result<bool> {
        let (agent, name) = (agent.clone(), name.to_owned());
        self.thread.write("removing a block", move |c| remove(c, &agent, &name)).await
    }
}

/// Returns all blocks of an agent, by name.
pub(crate) fn blocks(db: &dyn Db, agent: &Agent) -> Result<Vec<Block>> {
    of(db, agents::known(db, agent)?)
}

/// Like [`blocks`], by the agent's number.
pub(crate) fn of(db: &dyn Db, agent_id: i64) -> Result<Vec<Block>> {
    let sql = "SELECT name, text, updated_at FROM block WHERE agent_id = ?1 ORDER BY name";
    db.query(sql, params![agent_id], read)
}

/// Stores a block, replacing one of the same name.
pub(crate) fn save(db: &dyn Db, agent: &Agent, block: &Block) -> Result<()> {
    save_of(db, agents::enrolled(db, agent)?, block)
}

/// Like [`save`], by the agent's number.
pub(crate) fn save_of(db: &dyn Db, agent_id: i64, block: &Block) -> Result<()> {
    let sql = "INSERT OR REPLACE INTO block (agent_id, name, text, updated_at) VALUES (?1, ?2, ?3, ?4)";
    db.execute(sql, params![agent_id, block.name, block.text, micros(block.updated_at)])?;
    Ok(())
}

/// Removes a block; returns whether it existed.
pub(crate) fn remove(db: &dyn Db, agent: &Agent, name: &str) -> Result<bool> {
    remove_of(db, agents::known(db, agent)?, name)
}

/// Like [`remove`], by the agent's number.
pub(crate) fn remove_of(db: &dyn Db, agent_id: i64, name: &str) -> Result<bool> {
    let sql = "DELETE FROM block WHERE agent_id = ?1 AND name = ?2";
    Ok(db.execute(sql, params![agent_id, name])? > 0)
}

fn read(row: &Row) -> Result<Block> {
    Ok(Block { name: row.get("name")?, text: row.get("text")?, updated_at: instant(row, "updated_at")? })
}
