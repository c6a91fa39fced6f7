//! Tombstones: record deletions, so that projections apply them. They are dropped when every table has applied them.

use annals_core::ports::Watermark;
use annals_core::{Grain, MemoryId};
use rusqlite::{Connection, params};

use crate::columns::{grain_number, signed};
use crate::failure::Result;
use crate::sequence;

pub(crate) const DROP: &str = "DELETE FROM tombstone WHERE agent_id = ?1 AND grain = ?2 AND seq <= ?3";

/// Records the deletion of a memory; returns the sequence number of the change.
pub(crate) fn set(connection: &Connection, agent_id: i64, id: &MemoryId, grain: Grain) -> Result<i64> {
    let seq = sequence::next(connection)?;
    let sql = "INSERT INTO tombstone (agent_id, id, grain, seq) VALUES (?1, ?2, ?3, ?4)";
    connection.prepare_cached(sql)?.execute(params![agent_id, id.as_str(), grain_number(grain), seq])?;
    Ok(seq)
}

/// Drops the tombstones that the grain's table and the generation being built beside it have applied.
pub(crate) fn drop_applied(connection: &Connection, agent_id: i64, grain: Grain, watermark: Watermark) -> Result<()> {
    let applied = watermark.building.map_or(watermark.applied, |(_, building)| building.min(watermark.applied));
    connection.prepare_cached(DROP)?.execute(params![agent_id, grain_number(grain), signed(applied)])?;
    Ok(())
}

/// Removes the tombstone of a memory that is stored again.
pub(crate) fn lift(connection: &Connection, agent_id: i64, id: &MemoryId) -> Result<()> {
    let sql = "DELETE FROM tombstone WHERE agent_id = ?1 AND id = ?2";
    connection.prepare_cached(sql)?.execute(params![agent_id, id.as_str()])?;
    Ok(())
}
