//! Blocks: small texts that are always in context.

use annals_core::Agent;
use annals_core::ports::Block;

use crate::agents;
use crate::columns::{instant, micros};
use crate::db::{Db, Row, params};
use crate::failure::Result;

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
