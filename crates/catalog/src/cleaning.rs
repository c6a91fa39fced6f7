//! Records which agents' files still have to be cleaned of erased data: written with the erasure, kept until the
//! cleaning is done.

use annals_core::Agent;
use rusqlite::{Connection, params};

use crate::failure::Result;

/// Records an erasure.
pub(crate) fn owe(connection: &Connection, agent: &Agent) -> Result<()> {
    let sql = "INSERT OR REPLACE INTO cleaning (workspace, name) VALUES (?1, ?2)";
    connection.prepare_cached(sql)?.execute([agent.workspace(), agent.name()])?;
    Ok(())
}

/// Returns the agents to clean, each with the number of its last erasure.
pub(crate) fn owed(connection: &Connection) -> Result<Vec<(Agent, u64)>> {
    let mut statement = connection.prepare_cached("SELECT erasure, workspace, name FROM cleaning ORDER BY erasure")?;
    let mut rows = statement.query([])?;
    let mut owed = Vec::new();
    while let Some(row) = rows.next()? {
        let agent = Agent::in_workspace(row.get_ref(1)?.as_str().unwrap_or_default(), &row.get::<_, String>(2)?)?;
        owed.push((agent, crate::columns::number(row, "erasure")?));
    }
    Ok(owed)
}

/// Records that an agent was cleaned after that erasure. A later erasure still needs its cleaning.
pub(crate) fn cleaned(connection: &Connection, agent: &Agent, erasure: u64) -> Result<()> {
    let sql = "DELETE FROM cleaning WHERE workspace = ?1 AND name = ?2 AND erasure <= ?3";
    let place = params![agent.workspace(), agent.name(), crate::columns::signed(erasure)];
    connection.prepare_cached(sql)?.execute(place)?;
    Ok(())
}
