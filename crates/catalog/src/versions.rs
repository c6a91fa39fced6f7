//! Former texts: of corrected statements and summaries, and of revised turns.

use annals_core::ports::Version;
use annals_core::{Agent, MemoryId, Timestamp};
use rusqlite::{Connection, Row, params};

use crate::agents;
use crate::columns::{instant, micros};
use crate::failure::Result;

pub(crate) const OF_MEMORY: &str = "SELECT * FROM version WHERE agent_id = ?1 AND id = ?2 ORDER BY version_id";

/// Former texts of a memory, oldest first.
pub(crate) fn versions(connection: &Connection, agent: &Agent, id: &MemoryId) -> Result<Vec<Version>> {
    let mut statement = connection.prepare_cached(OF_MEMORY)?;
    let rows = statement.query_map(params![agents::known(connection, agent)?, id.as_str()], read)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Keeps the text that a memory had until `replaced_at`.
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

pub(crate) fn read(row: &Row) -> rusqlite::Result<Version> {
    Ok(Version { text: row.get("text")?, replaced_at: instant(row, "replaced_at")? })
}
