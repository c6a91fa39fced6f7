//! Statements: reads and writes their rows, and converts them to memories of the working grain.

use annals_core::{Body, Grain, Memory, MemoryId, Statement};

use crate::columns::{interval, json, maybe_instant, micros, number, to_json, word};
use crate::db::{Db, Result, Row, Values, params};
use crate::{changes, memories};

pub(crate) const BY_ID: &str = "SELECT * FROM statement WHERE agent_id = ?1 AND id = ?2";
pub(crate) const SOURCES: &str =
    "SELECT id FROM statement_source WHERE agent_id = ?1 AND statement = ?2 ORDER BY position";

/// A statement, and the columns that the catalog stores with it.
pub(crate) struct Stored {
    pub(crate) statement: Statement,
    pub(crate) pinned: bool,
    pub(crate) seq: u64,
}

/// Returns the statements that a query over all columns finds.
pub(crate) fn find(db: &dyn Db, sql: &str, values: Values<'_>) -> Result<Vec<Stored>> {
    db.query(sql, values, |row| {
        let mut stored = read(row)?;
        stored.statement.sources = sources(db, row.get("agent_id")?, &stored.statement.id)?;
        Ok(stored)
    })
}

/// Does the same as [`find`], as memories.
pub(crate) fn memories(db: &dyn Db, sql: &str, values: Values<'_>) -> Result<Vec<Memory>> {
    Ok(find(db, sql, values)?.into_iter().map(Stored::remember).collect())
}

/// Writes a statement as the change `seq`, replacing the stored statement with the same id.
pub(crate) fn save(db: &dyn Db, agent_id: i64, statement: &Statement, seq: i64) -> Result<()> {
    changes::lift_tombstone(db, agent_id, &statement.id)?;
    // A statement that is written again keeps its pin.
    let sql = "INSERT INTO statement (seq, agent_id, id, text, topic, importance, who, tells_of, day, cover_start, cover_end, confidence)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
        ON CONFLICT (agent_id, id) DO UPDATE
        SET seq = excluded.seq,
            text = excluded.text,
            topic = excluded.topic,
            importance = excluded.importance,
            who = excluded.who,
            tells_of = excluded.tells_of,
            day = excluded.day,
            cover_start = excluded.cover_start,
            cover_end = excluded.cover_end,
            confidence = excluded.confidence";
    db.execute(
        sql,
        params![
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
        ],
    )?;
    replace_sources(db, agent_id, statement)
}

fn replace_sources(db: &dyn Db, agent_id: i64, statement: &Statement) -> Result<()> {
    let sql = "DELETE FROM statement_source WHERE agent_id = ?1 AND statement = ?2";
    db.execute(sql, params![agent_id, statement.id.as_str()])?;
    let sql = "INSERT INTO statement_source (agent_id, statement, position, id) VALUES (?1, ?2, ?3, ?4)";
    for (position, source) in (0_i64..).zip(&statement.sources) {
        db.execute(sql, params![agent_id, statement.id.as_str(), position, source.as_str()])?;
    }
    Ok(())
}

fn sources(db: &dyn Db, agent_id: i64, id: &MemoryId) -> Result<Vec<MemoryId>> {
    db.query(SOURCES, params![agent_id, id.as_str()], memories::read_id)
}

fn read(row: &Row) -> Result<Stored> {
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
    /// Converts the statement to a memory of the working grain.
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
