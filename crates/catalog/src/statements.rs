//! Statements: reads and writes their rows, and converts them to memories of the working grain.

use annals_core::{Body, Grain, Memory, MemoryId, Statement};
use rusqlite::{Connection, Params, Row, params};

use crate::columns::{interval, json, maybe_instant, micros, number, to_json, word};
use crate::failure::Result;
use crate::{memories, tombstones};

pub(crate) const SOURCES: &str =
    "SELECT id FROM statement_source WHERE agent_id = ?1 AND statement = ?2 ORDER BY position";

/// A statement with its fields in the catalog.
pub(crate) struct Stored {
    pub(crate) statement: Statement,
    pub(crate) pinned: bool,
    pub(crate) seq: u64,
}

/// Returns the statements that a query over the columns of `statement.sql` finds.
pub(crate) fn find(connection: &Connection, sql: &str, place: impl Params) -> Result<Vec<Stored>> {
    let mut question = connection.prepare_cached(sql)?;
    let mut rows = question.query(place)?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let mut stored = read(row)?;
        stored.statement.sources = sources(connection, row.get("agent_id")?, &stored.statement.id)?;
        found.push(stored);
    }
    Ok(found)
}

/// Like [`find`], as memories.
pub(crate) fn memories(connection: &Connection, sql: &str, place: impl Params) -> Result<Vec<Memory>> {
    Ok(find(connection, sql, place)?.into_iter().map(Stored::remember).collect())
}

/// Writes a statement as the change `seq`, replacing the one of its id.
pub(crate) fn save(connection: &Connection, agent_id: i64, statement: &Statement, seq: i64) -> Result<()> {
    tombstones::lift(connection, agent_id, &statement.id)?;
    connection.prepare_cached(include_str!("sql/save_statement.sql"))?.execute(params![
        seq,
        agent_id,
        statement.id.as_str(),
        statement.text,
        statement.topic,
        statement.importance,
        to_json(&statement.who),
        statement.when.map(micros),
        statement.day.to_string(),
        micros(statement.cover.start),
        micros(statement.cover.end),
        statement.confidence,
    ])?;
    replace_sources(connection, agent_id, statement)
}

fn replace_sources(connection: &Connection, agent_id: i64, statement: &Statement) -> Result<()> {
    let sql = "DELETE FROM statement_source WHERE agent_id = ?1 AND statement = ?2";
    connection.prepare_cached(sql)?.execute(params![agent_id, statement.id.as_str()])?;
    let sql = "INSERT INTO statement_source (agent_id, statement, position, id) VALUES (?1, ?2, ?3, ?4)";
    let mut insert = connection.prepare_cached(sql)?;
    for (position, source) in (0_i64..).zip(&statement.sources) {
        insert.execute(params![agent_id, statement.id.as_str(), position, source.as_str()])?;
    }
    Ok(())
}

fn sources(connection: &Connection, agent_id: i64, id: &MemoryId) -> Result<Vec<MemoryId>> {
    let mut question = connection.prepare_cached(SOURCES)?;
    let rows = question.query_map(params![agent_id, id.as_str()], memories::read_id)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn read(row: &Row) -> rusqlite::Result<Stored> {
    let statement = Statement {
        id: memories::read_id(row)?,
        text: row.get("text")?,
        topic: row.get("topic")?,
        importance: row.get("importance")?,
        confidence: row.get("confidence")?,
        who: json(row, "who")?,
        when: maybe_instant(row, "tells_of")?,
        day: word(row, "day")?,
        cover: interval(row)?,
        sources: Vec::new(),
    };
    Ok(Stored { statement, pinned: row.get("pinned")?, seq: number(row, "seq")? })
}

impl Stored {
    /// Converts the statement to a memory.
    pub(crate) fn remember(self) -> Memory {
        let statement = self.statement;
        Memory {
            id: statement.id,
            grain: Grain::Working,
            period: statement.day,
            cover: statement.cover,
            days: statement.day.cover_days(),
            text: statement.text,
            pinned: self.pinned,
            seq: self.seq,
            body: Body::Statement {
                speaker: statement.who.into_iter().next(),
                sources: statement.sources,
                importance: statement.importance,
                confidence: statement.confidence,
            },
        }
    }
}
