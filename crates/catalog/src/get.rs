//! Reads memories by id.

use annals_core::{Agent, Memory, MemoryId};
use rusqlite::{Connection, params};

use crate::failure::Result;
use crate::{agents, memories};

pub(crate) const TURN: &str = concat!(include_str!("sql/turn.sql"), "WHERE agent_id = ?1 AND id = ?2");
pub(crate) const SUMMARY: &str = concat!(include_str!("sql/summary.sql"), "WHERE agent_id = ?1 AND id = ?2");

/// Live memories by id, in the order asked for; those that do not exist are left out.
pub(crate) fn get(connection: &Connection, agent: &Agent, ids: &[MemoryId]) -> Result<Vec<Memory>> {
    let agent_id = agents::known(connection, agent)?;
    let mut found = Vec::new();
    for id in ids {
        let place = params![agent_id, id.as_str()];
        let mut memory = memories::turns(connection, TURN, place)?;
        if memory.is_empty() {
            memory = memories::summaries(connection, SUMMARY, place)?;
        }
        found.append(&mut memory);
    }
    Ok(found)
}
