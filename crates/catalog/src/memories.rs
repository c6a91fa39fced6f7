//! Makes memories of rows.

use annals_core::{Grain, Interval, Kind, Memory, MemoryId, Period, Role, Timestamp};
use rusqlite::{Connection, Params, Row};

use crate::columns::{grain, instant, interval, json, number, word};
use crate::failure::Result;

/// The turns that a question over the columns of `turn.sql` finds.
pub(crate) fn turns(connection: &Connection, sql: &str, place: impl Params) -> Result<Vec<Memory>> {
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map(place, read_turn)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// The summaries that a question over the columns of `summary.sql` finds, with their lineage.
pub(crate) fn summaries(connection: &Connection, sql: &str, place: impl Params) -> Result<Vec<Memory>> {
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(place)?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let mut memory = read_summary(row)?;
        memory.sources = sources(connection, row.get("summary_id")?)?;
        found.push(memory);
    }
    Ok(found)
}

pub(crate) const SOURCES: &str = "SELECT id FROM source WHERE summary_id = ?1 ORDER BY position";

fn sources(connection: &Connection, summary_id: i64) -> Result<Vec<MemoryId>> {
    let mut statement = connection.prepare_cached(SOURCES)?;
    let rows = statement.query_map([summary_id], read_id)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// The id in column `id`.
pub(crate) fn read_id(row: &Row) -> rusqlite::Result<MemoryId> {
    Ok(MemoryId::from_text(row.get::<_, String>("id")?))
}

fn read_turn(row: &Row) -> rusqlite::Result<Memory> {
    let (day, at): (Period, Timestamp) = (word(row, "day")?, instant(row, "at")?);
    let (role, name): (Role, Option<String>) = (word(row, "role")?, row.get("name")?);
    Ok(Memory {
        id: read_id(row)?,
        grain: Grain::Working,
        kind: Kind::Turn,
        period: day,
        cover: Interval { start: at, end: end_of_microsecond(at) },
        days: day.cover_days(),
        text: row.get("content")?,
        speaker: Some(name.unwrap_or_else(|| role.as_str().to_owned())),
        role: Some(role),
        conversation: Some(row.get("conversation")?),
        message: Some(row.get("message")?),
        sentences: Vec::new(),
        sources: Vec::new(),
        seq: number(row, "seq")?,
    })
}

fn end_of_microsecond(at: Timestamp) -> Timestamp {
    Timestamp::from_microsecond(at.as_microsecond().saturating_add(1)).unwrap_or(Timestamp::MAX)
}

fn read_summary(row: &Row) -> rusqlite::Result<Memory> {
    let period: Period = word(row, "period")?;
    Ok(Memory {
        id: read_id(row)?,
        grain: grain(row)?,
        kind: Kind::Summary,
        period,
        cover: interval(row)?,
        days: period.cover_days(),
        text: row.get("text")?,
        speaker: None,
        role: None,
        conversation: None,
        message: None,
        sentences: json(row, "sentences")?,
        sources: Vec::new(),
        seq: number(row, "seq")?,
    })
}
