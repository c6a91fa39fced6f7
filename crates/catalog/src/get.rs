//! Reads memories by id.

use annals_core::{Agent, Memory, MemoryId};

use crate::db::{Db, params};
use crate::failure::Result;
use crate::{agents, memories, statements, turns};

pub(crate) const TURN: &str = concat!(include_str!("sql/turn.sql"), "WHERE agent_id = ?1 AND id = ?2");
pub(crate) const SUMMARY: &str = concat!(include_str!("sql/summary.sql"), "WHERE agent_id = ?1 AND id = ?2");

pub(crate) const STATEMENT: &str = concat!(include_str!("sql/statement.sql"), "WHERE agent_id = ?1 AND id = ?2");

/// Returns live memories by id, in the order of `ids`; leaves out those that do not exist.
pub(crate) fn get(db: &dyn Db, agent: &Agent, ids: &[MemoryId]) -> Result<Vec<Memory>> {
    let agent_id = agents::known(db, agent)?;
    let mut found = Vec::new();
    for id in ids {
        // The first letter is the kind. Querying all three tables for each id would delay the commits behind a search.
        let read = match id.as_str().as_bytes().first() {
            Some(b't') => turn,
            Some(b's') => summary,
            Some(b'f') => statement,
            _ => continue,
        };
        found.extend(read(db, agent_id, id)?);
    }
    Ok(found)
}

fn turn(db: &dyn Db, agent_id: i64, id: &MemoryId) -> Result<Option<Memory>> {
    Ok(turns::memories(db, TURN, params![agent_id, id.as_str()])?.pop())
}

fn summary(db: &dyn Db, agent_id: i64, id: &MemoryId) -> Result<Option<Memory>> {
    Ok(memories::summaries(db, SUMMARY, params![agent_id, id.as_str()])?.pop())
}

fn statement(db: &dyn Db, agent_id: i64, id: &MemoryId) -> Result<Option<Memory>> {
    Ok(statements::memories(db, STATEMENT, params![agent_id, id.as_str()])?.pop())
}
