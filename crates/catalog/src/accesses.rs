//! Access counts of memories: how often they were returned in answers, and when last.

use annals_core::ports::{Access, Record};
use annals_core::{Agent, Memory, MemoryId};

use crate::columns::{instant, micros, number, signed};
use crate::db::{Db, Row, params};
use crate::failure::Result;
use crate::{agents, get, memories};

pub(crate) const OF_MEMORY: &str = "SELECT times, last FROM access WHERE agent_id = ?1 AND id = ?2";
const OF_AGENT: &str = "SELECT id, times, last FROM access WHERE agent_id = ?1 AND id > ?2 ORDER BY id LIMIT ?3";
pub(crate) const ADD: &str = include_str!("sql/add_access.sql");

/// Returns live memories by id, each with its access count.
pub(crate) fn recall(db: &dyn Db, agent: &Agent, ids: &[MemoryId]) -> Result<Vec<(Memory, Option<Access>)>> {
    let agent_id = agents::known(db, agent)?;
    let mut recalled = Vec::with_capacity(ids.len());
    for memory in get::get(db, agent, ids)? {
        let access = db.query_optional(OF_MEMORY, params![agent_id, memory.id.as_str()], read)?;
        recalled.push((memory, access));
    }
    Ok(recalled)
}

/// Adds to the counts of memories that exist.
pub(crate) fn add(db: &dyn Db, agent: &Agent, accesses: &[(MemoryId, Access)]) -> Result<()> {
    add_of(db, agents::known(db, agent)?, accesses)
}

/// Like [`add`], by the agent's number.
pub(crate) fn add_of(db: &dyn Db, agent_id: i64, accesses: &[(MemoryId, Access)]) -> Result<()> {
    for (id, access) in accesses {
        db.execute(ADD, params![agent_id, id.as_str(), signed(access.times), micros(access.last)])?;
    }
    Ok(())
}

/// Returns the agent's counts of memories with an id above `after`, by id.
pub(crate) fn records(db: &dyn Db, agent_id: i64, after: &str, most: i64) -> Result<Vec<Record>> {
    db.query(OF_AGENT, params![agent_id, after, most], |row| {
        let (id, Access { times, last }) = (memories::read_id(row)?, read(row)?);
        Ok(Record::Access { id, times, last })
    })
}

fn read(row: &Row) -> Result<Access> {
    Ok(Access { times: number(row, "times")?, last: instant(row, "last")? })
}
