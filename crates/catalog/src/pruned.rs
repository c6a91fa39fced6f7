//! What stays after retention pruned a turn: its id, day and instant, and keyed hashes of its conversation, speaker and
//! content. They are enough to recognise the turn when it is sent again, and to forget data derived from it. The hashes
//! contain nothing readable.

use annals_core::{MemoryId, Period, Timestamp};

use crate::columns::{maybe_instant, micros, signed, word};
use crate::db::{Db, Result, Row, Values, params};
use crate::forgotten::{Hash, KeyedHashes};
use crate::memories;
use crate::turns::Stored;

pub(crate) const ALL: &str = "SELECT * FROM pruned WHERE agent_id = ?1 ORDER BY id";
pub(crate) const BY_ID: &str = "SELECT * FROM pruned WHERE agent_id = ?1 AND id = ?2";

/// A pruned turn. If it was pruned before schema version 5, only the id is known. If it comes from an archive, the id is known,
/// and perhaps the day and the instant.
#[derive(Clone, Debug)]
pub(crate) struct Pruned {
    pub(crate) id: MemoryId,
    /// Sequence number that the turn had when it first arrived.
    pub(crate) arrived: Option<i64>,
    pub(crate) day: Option<Period>,
    pub(crate) at: Option<Timestamp>,
    pub(crate) conversation: Option<Hash>,
    pub(crate) speaker: Option<Hash>,
    pub(crate) content: Option<Hash>,
}

impl Pruned {
    /// Returns the data that stays of a turn that is pruned now.
    pub(crate) fn of(stored: &Stored, hashes: &KeyedHashes) -> Pruned {
        let turn = &stored.turn;
        Pruned {
            id: turn.id.clone(),
            arrived: Some(signed(stored.arrived)),
            day: Some(turn.day),
            at: Some(turn.message.at),
            conversation: Some(hashes.conversation(&turn.key.conversation)),
            speaker: Some(hashes.speaker(turn.message.speaker())),
            content: Some(stored.sent_content(hashes)),
        }
    }

    /// Stores the data, replacing an earlier row of the turn.
    pub(crate) fn save(&self, db: &dyn Db, agent_id: i64) -> Result<()> {
        let sql = "INSERT INTO pruned (agent_id, id, arrived, day, at, conversation, speaker, content)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
            ON CONFLICT (agent_id, id) DO UPDATE
            SET arrived = excluded.arrived,
                day = excluded.day,
                at = excluded.at,
                conversation = excluded.conversation,
                speaker = excluded.speaker,
                content = excluded.content";
        db.execute(
            sql,
            params![
                agent_id,
                self.id.as_str(),
                self.arrived,
                self.day.map(|day| day.to_string()),
                self.at.map(micros),
                self.conversation,
                self.speaker,
                self.content,
            ],
        )?;
        Ok(())
    }
}

/// Returns the pruned turns, by id.
pub(crate) fn all(db: &dyn Db, agent_id: i64) -> Result<Vec<Pruned>> {
    find(db, ALL, params![agent_id])
}

/// Returns the pruned turns that a query over all columns finds.
pub(crate) fn find(db: &dyn Db, sql: &str, values: Values<'_>) -> Result<Vec<Pruned>> {
    db.query(sql, values, read)
}

/// Returns what stays of a turn; `None` if it was not pruned.
pub(crate) fn get(db: &dyn Db, agent_id: i64, id: &MemoryId) -> Result<Option<Pruned>> {
    Ok(find(db, BY_ID, params![agent_id, id.as_str()])?.pop())
}

/// Removes the row of a turn that was stored again or forgotten.
pub(crate) fn lift(db: &dyn Db, agent_id: i64, id: &MemoryId) -> Result<()> {
    let sql = "DELETE FROM pruned WHERE agent_id = ?1 AND id = ?2";
    db.execute(sql, params![agent_id, id.as_str()])?;
    Ok(())
}

fn read(row: &Row) -> Result<Pruned> {
    let has_day = !row.is_null("day")?;
    Ok(Pruned {
        id: memories::read_id(row)?,
        arrived: row.get("arrived")?,
        day: if has_day { Some(word(row, "day")?) } else { None },
        at: maybe_instant(row, "at")?,
        conversation: row.get("conversation")?,
        speaker: row.get("speaker")?,
        content: row.get("content")?,
    })
}
