//! Former texts of corrected statements and summaries, and of revised turns.

use annals_core::ports::Version;
use annals_core::{Agent, MemoryId, Timestamp};
use rusqlite::{Connection, Row, params};

use crate::agents;
use crate::columns::{instant, micros};
use crate::failure::Result;

pub(crate) const OF_MEMORY: &str = "SELECT * FROM version WHERE agent_id = ?1 AND id = ?2 ORDER BY version_id";

/// Returns the former texts of a memory, oldest first.
pub(crate) fn versions(connection: &Connection, agent: &Agent, id: &MemoryId) -> Result<Vec<Version>> {
    let mut statement = connection.prepare_cached(OF_MEMORY)?;
    let rows = statement.query_map(params![agents::known(connection, agent)?, id.as_str()], read)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Stores the text that a memory had until `replaced_at`.
pub(crate) fn keep(
    connection: &Connection,
    agent_id: i64,
    id: &MemoryId,
    text: &str,
    replaced_at: Timestamp,
) -> Result<()> {
    let sql = "INSERT INTO version (agent_id, id, text, replaced_at) VALUES (?1, ?2, ?3, ?4)";
    connection.prepare_cached(sql)?.execute(params![agent_id, id.as_str(), text, micros(replaced_at)])?;
    Ok(())
}

/// Deletes all former texts of a memory.
pub(crate) fn forget(connection: &Connection, agent_id: i64, id: &MemoryId) -> Result<()> {
    let sql = "DELETE FROM version WHERE agent_id = ?1 AND id = ?2";
    connection.prepare_cached(sql)?.execute(params![agent_id, id.as_str()])?;
    Ok(())
}

/// Returns the numbers of the former texts that `takes` accepts.
pub(crate) fn of_which(connection: &Connection, agent_id: i64, takes: impl Fn(&str) -> bool) -> Result<Vec<i64>> {
    let mut statement = connection.prepare_cached("SELECT version_id, text FROM version WHERE agent_id = ?1")?;
    let mut rows = statement.query([agent_id])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        if takes(row.get_ref("text")?.as_str().map_err(rusqlite::Error::from)?) {
            found.push(row.get("version_id")?);
        }
    }
    Ok(found)
}

/// Deletes former texts by their numbers.
pub(crate) fn remove(connection: &Connection, numbers: &[i64]) -> Result<()> {
    let mut statement = connection.prepare_cached("DELETE FROM version WHERE version_id = ?1")?;
    for number in numbers {
        statement.execute([number])?;
    }
    Ok(())
}

pub(crate) fn read(row: &Row) -> rusqlite::Result<Version> {
    Ok(Version { text: row.get("text")?, replaced_at: instant(row, "replaced_at")? })
}
