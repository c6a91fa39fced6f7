//! The log of fact operations, and its version: the sequence number of its last change.

use annals_core::{Agent, FactOperation, MemoryId};

use crate::columns::{instant, json, micros, number, to_json, word};
use crate::db::{Db, Row, Values, params};
use crate::failure::Result;
use crate::{agents, sequence};

pub(crate) const ALL: &str = "SELECT * FROM fact_operation WHERE agent_id = ?1 ORDER BY id";
const PAGE: &str = "SELECT * FROM fact_operation WHERE agent_id = ?1 AND id > ?2 ORDER BY id LIMIT ?3";
pub(crate) const OF_SOURCE: &str =
    concat!("SELECT * FROM fact_operation INDEXED BY fact_operation_by_source ", "WHERE agent_id = ?1 AND source = ?2");

/// Returns the version of the log; 0 if it never changed.
pub(crate) fn version(db: &dyn Db, agent: &Agent) -> Result<u64> {
    let sql = "SELECT log_version FROM journal WHERE agent_id = ?1";
    let found = db.query_optional(sql, params![agents::known(db, agent)?], |row| number(row, "log_version"))?;
    Ok(found.unwrap_or(0))
}

/// Returns the whole log, by id, with its version.
pub(crate) fn operations(db: &dyn Db, agent: &Agent) -> Result<(u64, Vec<FactOperation>)> {
    Ok((version(db, agent)?, all(db, agents::known(db, agent)?)?))
}

/// Adds operations that are not stored yet.
pub(crate) fn add(db: &dyn Db, agent: &Agent, operations: &[FactOperation]) -> Result<()> {
    let agent_id = agents::enrolled(db, agent)?;
    let mut changed = false;
    for operation in operations {
        if !db
            .exists("SELECT 1 FROM fact_operation WHERE agent_id = ?1 AND id = ?2", params![agent_id, operation.id])?
        {
            changed |= save(db, agent_id, operation)?;
        }
    }
    if changed { raise_version(db, agent_id) } else { Ok(()) }
}

/// Returns the whole log, by id.
pub(crate) fn all(db: &dyn Db, agent_id: i64) -> Result<Vec<FactOperation>> {
    find(db, ALL, params![agent_id])
}

/// Returns the operations with an id above `after`, by id.
pub(crate) fn page(db: &dyn Db, agent_id: i64, after: &str, most: i64) -> Result<Vec<FactOperation>> {
    find(db, PAGE, params![agent_id, after, most])
}

/// Returns the operations of one source.
pub(crate) fn of_source(db: &dyn Db, agent_id: i64, source: &MemoryId) -> Result<Vec<FactOperation>> {
    find(db, OF_SOURCE, params![agent_id, source.as_str()])
}

/// Inserts an operation, or updates the one of its id. Returns whether anything changed.
pub(crate) fn save(db: &dyn Db, agent_id: i64, operation: &FactOperation) -> Result<bool> {
    let changed = db.execute(
        include_str!("sql/save_fact_operation.sql"),
        params![
            agent_id,
            operation.id,
            operation.verb.as_str(),
            operation.subject,
            operation.predicate,
            operation.object,
            operation.replaces,
            to_json(&operation.properties),
            operation.confidence,
            micros(operation.at),
            micros(operation.said_at),
            operation.source.as_str(),
            operation.position,
            micros(operation.recorded_at),
        ],
    )?;
    Ok(changed > 0)
}

pub(crate) fn remove(db: &dyn Db, agent_id: i64, id: &str) -> Result<()> {
    let sql = "DELETE FROM fact_operation WHERE agent_id = ?1 AND id = ?2";
    db.execute(sql, params![agent_id, id])?;
    Ok(())
}

/// Assigns the next sequence number to a change of the log.
pub(crate) fn raise_version(db: &dyn Db, agent_id: i64) -> Result<()> {
    let seq = sequence::next(db)?;
    db.execute(include_str!("sql/raise_log_version.sql"), params![agent_id, seq])?;
    Ok(())
}

fn find(db: &dyn Db, sql: &str, place: Values<'_>) -> Result<Vec<FactOperation>> {
    db.query(sql, place, read)
}

fn read(row: &Row) -> Result<FactOperation> {
    Ok(FactOperation {
        id: row.get("id")?,
        verb: word(row, "verb")?,
        subject: row.get("subject")?,
        predicate: row.get("predicate")?,
        object: row.get("object")?,
        replaces: row.get("replaces")?,
        properties: json(row, "properties")?,
        confidence: row.get("confidence")?,
        at: instant(row, "at")?,
        said_at: instant(row, "said_at")?,
        source: MemoryId::from_text(row.get::<String>("source")?),
        position: number(row, "position")?,
        recorded_at: instant(row, "recorded_at")?,
    })
}
