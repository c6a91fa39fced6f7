//! Tombstones: that a memory is gone, so that projections learn of it.

use annals_core::{Grain, MemoryId};
use rusqlite::{Connection, params};

use crate::columns::grain_number;
use crate::failure::Result;
use crate::sequence;

/// Notes that a memory is gone; the number of that change.
pub(crate) fn set(connection: &Connection, agent_id: i64, id: &MemoryId, grain: Grain) -> Result<i64> {
    let seq = sequence::next(connection)?;
    let sql = "INSERT INTO tombstone (agent_id, id, grain, seq) VALUES (?1, ?2, ?3, ?4)";
    connection.prepare_cached(sql)?.execute(params![agent_id, id.as_str(), grain_number(grain), seq])?;
    Ok(seq)
}

/// Whether a memory is gone.
pub(crate) fn exists(connection: &Connection, agent_id: i64, id: &MemoryId) -> Result<bool> {
    let sql = "SELECT 1 FROM tombstone WHERE agent_id = ?1 AND id = ?2";
    Ok(connection.prepare_cached(sql)?.exists(params![agent_id, id.as_str()])?)
}

/// The turns that are gone, by id.
pub(crate) fn turns(connection: &Connection, agent_id: i64) -> Result<Vec<MemoryId>> {
    let sql = "SELECT id FROM tombstone WHERE agent_id = ?1 AND grain = 0 AND id GLOB 't-*' ORDER BY id";
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map([agent_id], crate::memories::read_id)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Notes that a memory is back, if it was gone.
pub(crate) fn lift(connection: &Connection, agent_id: i64, id: &MemoryId) -> Result<()> {
    let sql = "DELETE FROM tombstone WHERE agent_id = ?1 AND id = ?2";
    connection.prepare_cached(sql)?.execute(params![agent_id, id.as_str()])?;
    Ok(())
}
