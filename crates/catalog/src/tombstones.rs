//! Tombstones: record deletions, so that projections apply them. They are dropped when every table has applied them.

use annals_core::ports::Watermark;
use annals_core::{Grain, MemoryId};

use crate::columns::{grain_number, signed};
use crate::db::{Db, params};
use crate::failure::Result;
use crate::sequence;

pub(crate) const DROP: &str = "DELETE FROM tombstone WHERE agent_id = ?1 AND grain = ?2 AND seq <= ?3";

/// Records the deletion of a memory; returns the sequence number of the change.
pub(crate) fn set(db: &dyn Db, agent_id: i64, id: &MemoryId, grain: Grain) -> Result<i64> {
    let seq = sequence::next(db)?;
    let sql = "INSERT INTO tombstone (agent_id, id, grain, seq) VALUES (?1, ?2, ?3, ?4)";
    db.execute(sql, params![agent_id, id.as_str(), grain_number(grain), seq])?;
    Ok(seq)
}

/// Drops the tombstones that the grain's table and the generation being built beside it have applied.
pub(crate) fn drop_applied(db: &dyn Db, agent_id: i64, grain: Grain, watermark: Watermark) -> Result<()> {
    let applied = watermark.building.map_or(watermark.applied, |(_, building)| building.min(watermark.applied));
    db.execute(DROP, params![agent_id, grain_number(grain), signed(applied)])?;
    Ok(())
}

/// Removes the tombstone of a memory that is stored again.
pub(crate) fn lift(db: &dyn Db, agent_id: i64, id: &MemoryId) -> Result<()> {
    let sql = "DELETE FROM tombstone WHERE agent_id = ?1 AND id = ?2";
    db.execute(sql, params![agent_id, id.as_str()])?;
    Ok(())
}
