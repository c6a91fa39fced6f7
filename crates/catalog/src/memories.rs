//! Reads summaries from their rows, and defines the order of all memories. Turns and statements have their own files.

use std::cmp::Ordering;

use annals_core::{Body, Memory, MemoryId, Period};

use crate::columns::{grain, interval, json, number, word};
use crate::db::{Db, Row, Values, params};
use crate::failure::Result;

/// Returns the summaries that a query over the columns of `summary.sql` finds, with their lineage.
pub(crate) fn summaries(db: &dyn Db, sql: &str, place: Values<'_>) -> Result<Vec<Memory>> {
    db.query(sql, place, |row| read_summary(row, sources(db, row.get("summary_id")?)?))
}

pub(crate) const SOURCES: &str = "SELECT id FROM source WHERE summary_id = ?1 ORDER BY position";

fn sources(db: &dyn Db, summary_id: i64) -> Result<Vec<MemoryId>> {
    db.query(SOURCES, params![summary_id], read_id)
}

/// Compares by time, then by conversation and id. A statement has no conversation and comes first at its instant.
pub(crate) fn in_order(a: &Memory, b: &Memory) -> Ordering {
    let time = (a.at(), a.period).cmp(&(b.at(), b.period));
    time.then_with(|| (a.conversation(), a.message(), &a.id).cmp(&(b.conversation(), b.message(), &b.id)))
}

/// Reads the id in column `id`.
pub(crate) fn read_id(row: &Row) -> Result<MemoryId> {
    Ok(MemoryId::from_text(row.get::<String>("id")?))
}

fn read_summary(row: &Row, sources: Vec<MemoryId>) -> Result<Memory> {
    let period: Period = word(row, "period")?;
    Ok(Memory {
        id: read_id(row)?,
        grain: grain(row)?,
        period,
        cover: interval(row)?,
        days: period.cover_days(),
        text: row.get("text")?,
        pinned: row.get("pinned")?,
        seq: number(row, "seq")?,
        body: Body::Summary { sentences: json(row, "sentences")?, sources },
    })
}
