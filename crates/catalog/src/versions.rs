//! Former texts of corrected statements and summaries, and of revised turns.

use annals_core::ports::Version;
use annals_core::{Agent, MemoryId, Timestamp};

use crate::agents;
use crate::columns::{instant, micros};
use crate::db::{Db, Row, params};
use crate::failure::Result;

pub(crate) const OF_MEMORY: &str = "SELECT * FROM version WHERE agent_id = ?1 AND id = ?2 ORDER BY version_id";

/// Returns the former texts of a memory, oldest first.
pub(crate) fn versions(db: &dyn Db, agent: &Agent, id: &MemoryId) -> Result<Vec<Version>> {
    db.query(OF_MEMORY, params![agents::known(db, agent)?, id.as_str()], read)
}

/// Stores the text that a memory had until `replaced_at`.
pub(crate) fn keep(db: &dyn Db, agent_id: i64, id: &MemoryId, text: &str, replaced_at: Timestamp) -> Result<()> {
    let sql = "INSERT INTO version (agent_id, id, text, replaced_at) VALUES (?1, ?2, ?3, ?4)";
    db.execute(sql, params![agent_id, id.as_str(), text, micros(replaced_at)])?;
    Ok(())
}

/// Deletes all former texts of a memory.
pub(crate) fn forget(db: &dyn Db, agent_id: i64, id: &MemoryId) -> Result<()> {
    let sql = "DELETE FROM version WHERE agent_id = ?1 AND id = ?2";
    db.execute(sql, params![agent_id, id.as_str()])?;
    Ok(())
}

/// Returns the numbers of the former texts that `takes` accepts.
pub(crate) fn of_which(db: &dyn Db, agent_id: i64, takes: impl Fn(&str) -> bool) -> Result<Vec<i64>> {
    let sql = "SELECT version_id, text FROM version WHERE agent_id = ?1";
    let read = |row: &Row| takes(row.text("text")?).then(|| row.get("version_id")).transpose();
    Ok(db.query(sql, params![agent_id], read)?.into_iter().flatten().collect())
}

/// Deletes former texts by their numbers.
pub(crate) fn remove(db: &dyn Db, numbers: &[i64]) -> Result<()> {
    for number in numbers {
        db.execute("DELETE FROM version WHERE version_id = ?1", params![number])?;
    }
    Ok(())
}

pub(crate) fn read(row: &Row) -> Result<Version> {
    Ok(Version { text: row.get("text")?, replaced_at: instant(row, "replaced_at")? })
}
