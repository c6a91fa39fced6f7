//! Blocks: small texts that are always in context.

use annals_core::Agent;
use annals_core::ports::Block;
use rusqlite::{Connection, Row, params};

use crate::agents;
use crate::columns::{instant, micros};
use crate::failure::Result;

/// Returns all blocks of an agent, by name.
pub(crate) fn blocks(connection: &Connection, agent: &Agent) -> Result<Vec<Block>> {
    of(connection, agents::known(connection, agent)?)
}

/// Like [`blocks`], by the agent's number.
pub(crate) fn of(connection: &Connection, agent_id: i64) -> Result<Vec<Block>> {
    let sql = "SELECT name, text, updated_at FROM block WHERE agent_id = ?1 ORDER BY name";
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map([agent_id], read)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Stores a block, replacing one of the same name.
pub(crate) fn save(connection: &Connection, agent: &Agent, block: &Block) -> Result<()> {
    save_of(connection, agents::enrolled(connection, agent)?, block)
}

/// Like [`save`], by the agent's number.
pub(crate) fn save_of(connection: &Connection, agent_id: i64, block: &Block) -> Result<()> {
    let sql = "INSERT OR REPLACE INTO block (agent_id, name, text, updated_at) VALUES (?1, ?2, ?3, ?4)";
    connection.prepare_cached(sql)?.execute(params![agent_id, block.name, block.text, micros(block.updated_at)])?;
    Ok(())
}

/// Removes a block; returns whether it existed.
pub(crate) fn remove(connection: &Connection, agent: &Agent, name: &str) -> Result<bool> {
    remove_of(connection, agents::known(connection, agent)?, name)
}

/// Like [`remove`], by the agent's number.
pub(crate) fn remove_of(connection: &Connection, agent_id: i64, name: &str) -> Result<bool> {
    let sql = "DELETE FROM block WHERE agent_id = ?1 AND name = ?2";
    Ok(connection.prepare_cached(sql)?.execute(params![agent_id, name])? > 0)
}

fn read(row: &Row) -> rusqlite::Result<Block> {
    Ok(Block { name: row.get("name")?, text: row.get("text")?, updated_at: instant(row, "updated_at")? })
}
