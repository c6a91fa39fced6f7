//! Access counts of memories: how often they were returned in answers, and when last.

use annals_core::ports::{Access, Accesses, Record};
use annals_core::{Agent, Memory, MemoryId};
use async_trait::async_trait;

use crate::columns::{instant, micros, number, signed};
use crate::db::{Db, Result, Row, params};
use crate::{Backend, SqlCatalog};
use crate::{agents, memories};

#[async_trait]
impl<B: Backend> Accesses for SqlCatalog<B> {
    async fn recall(&self, agent: &Agent, ids: &[MemoryId]) -> annals_core::Result<Vec<(Memory, Option<Access>)>> {
        let (agent, ids) = (agent.clone(), ids.to_vec());
        self.thread.read("reading memories", move |c| recall(c, &agent, &ids)).await
    }

    async fn add_accesses(&self, agent: &Agent, accesses: &[(MemoryId, Access)]) -> annals_core::Result<()> {
        let (agent, accesses) = (agent.clone(), accesses.to_vec());
        self.thread.write("counting accesses", move |c| add(c, &agent, &accesses)).await
    }
}

pub(crate) const OF_MEMORY: &str = "SELECT times, last FROM access WHERE agent_id = ?1 AND id = ?2";
const OF_AGENT: &str = "SELECT id, times, last FROM access WHERE agent_id = ?1 AND id > ?2 ORDER BY id LIMIT ?3";
/// Adds to the access count of a memory. The count saturates at the highest 64-bit integer. A memory that no longer exists gets
/// no row.
pub(crate) const ADD: &str = "INSERT INTO access (agent_id, id, times, last)
    SELECT ?1, ?2, ?3, ?4
    WHERE EXISTS (SELECT 1 FROM turn WHERE agent_id = ?1 AND id = ?2)
       OR EXISTS (SELECT 1 FROM statement WHERE agent_id = ?1 AND id = ?2)
       OR EXISTS (SELECT 1 FROM summary WHERE agent_id = ?1 AND id = ?2)
       OR EXISTS (SELECT 1 FROM passage WHERE agent_id = ?1 AND id = ?2)
    ON CONFLICT (agent_id, id) DO UPDATE
    SET times = CASE WHEN access.times > 9223372036854775807 - excluded.times THEN 9223372036854775807
            ELSE access.times + excluded.times END,
        last = CASE WHEN access.last > excluded.last THEN access.last ELSE excluded.last END";

/// Returns live memories by id, each with its access count; `None` if no answer has returned the memory. Leaves out ids without
/// a live memory.
pub(crate) fn recall(db: &dyn Db, agent: &Agent, ids: &[MemoryId]) -> Result<Vec<(Memory, Option<Access>)>> {
    let agent_id = agents::known(db, agent)?;
    let mut recalled = Vec::with_capacity(ids.len());
    for memory in memories::get(db, agent, ids)? {
        let access = db.query_optional(OF_MEMORY, params![agent_id, memory.id.as_str()], read)?;
        recalled.push((memory, access));
    }
    Ok(recalled)
}

/// Adds to the access counts of the memories that still exist.
pub(crate) fn add(db: &dyn Db, agent: &Agent, accesses: &[(MemoryId, Access)]) -> Result<()> {
    add_of(db, agents::known(db, agent)?, accesses)
}

/// Does the same as [`add`], by the agent's number.
pub(crate) fn add_of(db: &dyn Db, agent_id: i64, accesses: &[(MemoryId, Access)]) -> Result<()> {
    for (id, access) in accesses {
        db.execute(ADD, params![agent_id, id.as_str(), signed(access.times), micros(access.last)])?;
    }
    Ok(())
}

/// Returns the access counts of the agent's memories with an id above `after`, by id, at most `most`.
pub(crate) fn records(db: &dyn Db, agent_id: i64, after: &str, most: i64) -> Result<Vec<Record>> {
    db.query(OF_AGENT, params![agent_id, after, most], |row| {
        let (id, Access { times, last }) = (memories::read_id(row)?, read(row)?);
        Ok(Record::Access { id, times, last })
    })
}

fn read(row: &Row) -> Result<Access> {
    Ok(Access { times: number(row, "times")?, last: instant(row, "last")? })
}
