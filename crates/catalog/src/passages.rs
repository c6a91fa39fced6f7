//! Passages of documents: reads and writes their rows, and converts them to memories of the working grain.

use annals_core::ports::{DocumentKey, Passage};
use annals_core::{Body, Grain, Interval, Memory, MemoryId, Period, Timestamp};

use crate::columns::{instant, maybe_instant, number, word};
use crate::db::{Db, Result, Row, Values, params};
use crate::{changes, dead_letters, memories};

/// Selects passages with the columns of their documents that a memory needs.
macro_rules! passages {
    ($rest:literal) => {
        concat!(
            "SELECT passage.*, collection, key, day, updated_at, expires_at
            FROM passage JOIN document ON document.document_id = passage.document_id ",
            $rest
        )
    };
}

pub(crate) const BY_ID: &str = passages!("WHERE passage.agent_id = ?1 AND passage.id = ?2");
pub(crate) const CHANGES: &str =
    passages!("WHERE passage.agent_id = ?1 AND passage.seq > ?2 ORDER BY passage.seq LIMIT ?3");
/// Selects passages by the last write of their documents. Reads all passages of the agent, because no index orders documents by
/// time.
pub(crate) const WITHIN: &str = passages!(
    "WHERE passage.agent_id = ?1 AND updated_at >= ?2 AND updated_at < ?3
    ORDER BY updated_at ASC, passage.id ASC
    LIMIT ?4"
);
pub(crate) const LEFT: &str = "SELECT count(*) AS n FROM passage WHERE agent_id = ?1 AND seq > ?2";
pub(crate) const COUNT: &str = "SELECT count(*) AS n FROM passage WHERE agent_id = ?1";
pub(crate) const OF_DOCUMENT: &str =
    "SELECT id, ordinal, first, behind FROM passage WHERE document_id = ?1 ORDER BY ordinal";

/// Returns the passages that a query finds, as memories.
pub(crate) fn memories(db: &dyn Db, sql: &str, values: Values<'_>) -> Result<Vec<Memory>> {
    db.query(sql, values, read)
}

/// Returns the ranges of a document's passages, in order.
pub(crate) fn ranges(db: &dyn Db, document_id: i64) -> Result<Vec<Passage>> {
    db.query(OF_DOCUMENT, params![document_id], range)
}

/// Stores a passage as the change `seq`.
pub(crate) fn save(db: &dyn Db, agent_id: i64, document_id: i64, memory: &Memory, seq: i64) -> Result<()> {
    let Body::Passage { ordinal, passage, .. } = &memory.body else { unreachable!("only passages are given here") };
    changes::lift_tombstone(db, agent_id, &memory.id)?;
    let sql = "INSERT INTO passage (seq, agent_id, id, document_id, ordinal, first, behind, text)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    let (first, behind) = (i64::from(passage.start), i64::from(passage.end));
    let values =
        params![seq, agent_id, memory.id.as_str(), document_id, i64::from(*ordinal), first, behind, memory.text];
    db.execute(sql, values)?;
    Ok(())
}

/// Removes the passages of a document. Those from the ordinal `from` on count as removed memories; the others are replaced
/// in the same transaction, and keep their access counts.
pub(crate) fn remove(db: &dyn Db, agent_id: i64, document_id: i64, from: usize) -> Result<()> {
    let found: Vec<(MemoryId, u64)> =
        db.query(OF_DOCUMENT, params![document_id], |row| Ok((memories::read_id(row)?, number(row, "ordinal")?)))?;
    for (id, ordinal) in found {
        dead_letters::drop_all(db, agent_id, &id)?;
        if ordinal < from as u64 {
            db.execute("DELETE FROM passage WHERE agent_id = ?1 AND id = ?2", params![agent_id, id.as_str()])?;
        } else {
            memories::remove_passage(db, agent_id, &id)?;
        }
    }
    Ok(())
}

fn read(row: &Row) -> Result<Memory> {
    let (at, day): (Timestamp, Period) = (instant(row, "updated_at")?, word(row, "day")?);
    let end = Timestamp::from_microsecond(at.as_microsecond() + 1).unwrap_or(Timestamp::MAX);
    Ok(Memory {
        id: memories::read_id(row)?,
        grain: Grain::Working,
        period: day,
        cover: Interval { start: at, end },
        days: day.cover_days(),
        text: row.get("text")?,
        pinned: false,
        seq: number(row, "seq")?,
        body: Body::Passage {
            document: DocumentKey { collection: row.get("collection")?, key: row.get("key")? },
            ordinal: number(row, "ordinal")?,
            passage: range(row)?,
            expires_at: maybe_instant(row, "expires_at")?,
        },
    })
}

fn range(row: &Row) -> Result<Passage> {
    Ok(Passage { start: number(row, "first")?, end: number(row, "behind")? })
}
