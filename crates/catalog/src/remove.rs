//! Removes memories with their former texts and access counts, and leaves tombstones. The caller updates ledger and
//! lineage.

use annals_core::{Grain, MemoryId};

use crate::db::{Db, params};
use crate::failure::Result;
use crate::tombstones;

/// Removes a turn; returns the sequence number of the change, if the turn existed.
pub(crate) fn turn(db: &dyn Db, agent_id: i64, id: &MemoryId) -> Result<Option<i64>> {
    remove(db, "DELETE FROM turn WHERE agent_id = ?1 AND id = ?2", agent_id, id, Grain::Working)
}

/// Removes a statement; returns the sequence number of the change, if the statement existed.
pub(crate) fn statement(db: &dyn Db, agent_id: i64, id: &MemoryId) -> Result<Option<i64>> {
    let sql = "DELETE FROM statement_source WHERE agent_id = ?1 AND statement = ?2";
    db.execute(sql, params![agent_id, id.as_str()])?;
    remove(db, "DELETE FROM statement WHERE agent_id = ?1 AND id = ?2", agent_id, id, Grain::Working)
}

/// Removes a summary with its lineage; returns the sequence number of the change, if the summary existed.
pub(crate) fn summary(db: &dyn Db, agent_id: i64, id: &MemoryId, grain: Grain) -> Result<Option<i64>> {
    remove(db, "DELETE FROM summary WHERE agent_id = ?1 AND id = ?2", agent_id, id, grain)
}

fn remove(db: &dyn Db, sql: &str, agent_id: i64, id: &MemoryId, grain: Grain) -> Result<Option<i64>> {
    if db.execute(sql, params![agent_id, id.as_str()])? == 0 {
        return Ok(None);
    }
    for sql in
        ["DELETE FROM version WHERE agent_id = ?1 AND id = ?2", "DELETE FROM access WHERE agent_id = ?1 AND id = ?2"]
    {
        db.execute(sql, params![agent_id, id.as_str()])?;
    }
    tombstones::set(db, agent_id, id, grain).map(Some)
}
