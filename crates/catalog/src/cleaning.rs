//! Records which agents' files still have to be cleaned of erased data: written with the erasure, kept until the
//! cleaning is done.

use crate::agents;
use crate::columns::{number, signed};
use crate::db::{Db, params};
use annals_core::Agent;

use crate::failure::Result;

/// Records an erasure.
pub(crate) fn owe(db: &dyn Db, agent: &Agent) -> Result<()> {
    let sql = "INSERT OR REPLACE INTO cleaning (workspace, name) VALUES (?1, ?2)";
    db.execute(sql, params![agent.workspace(), agent.name()])?;
    Ok(())
}

/// Returns the agents to clean, each with the number of its last erasure.
pub(crate) fn owed(db: &dyn Db) -> Result<Vec<(Agent, u64)>> {
    let sql = "SELECT erasure, workspace, name FROM cleaning ORDER BY erasure";
    db.query(sql, &[], |row| Ok((agents::read(row)?, number(row, "erasure")?)))
}

/// Records that an agent was cleaned after that erasure. A later erasure still needs its cleaning.
pub(crate) fn cleaned(db: &dyn Db, agent: &Agent, erasure: u64) -> Result<()> {
    let sql = "DELETE FROM cleaning WHERE workspace = ?1 AND name = ?2 AND erasure <= ?3";
    let place = params![agent.workspace(), agent.name(), signed(erasure)];
    db.execute(sql, place)?;
    Ok(())
}
