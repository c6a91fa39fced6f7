//! Turns: reads and writes their rows, and converts them to memories of the working grain.

use std::ops::ControlFlow;

use annals_core::ports::{Origin, Turn};
use annals_core::{Body, Grain, Interval, Memory, Message, Timestamp, TurnKey};

use crate::columns::{instant, maybe_instant, micros, number, word};
use crate::db::{Db, Row, Values, params};
use crate::failure::Result;
use crate::forgotten::{Hash, KeyedHashes};
use crate::{memories, pruned, tombstones};

/// A turn with its fields in the catalog.
pub(crate) struct Stored {
    pub(crate) turn: Turn,
    pub(crate) pinned: bool,
    pub(crate) seq: u64,
    /// The sequence number of its first arrival.
    pub(crate) arrived: u64,
    /// The instant as the client sent it, if that differs.
    pub(crate) sent_at: Option<Timestamp>,
    /// Hash of what the client sent last, if a person corrected the turn since.
    pub(crate) sent: Option<Hash>,
}

/// The fields of a turn's row that may differ from the message.
pub(crate) struct Place {
    /// The first free instant after `sent_at`, if that is set.
    pub(crate) at: Timestamp,
    pub(crate) sent_at: Option<Timestamp>,
    pub(crate) sent: Option<Hash>,
}

/// Returns the turns that a query over the columns of `turn.sql` finds.
pub(crate) fn find(db: &dyn Db, sql: &str, place: Values<'_>) -> Result<Vec<Stored>> {
    find_where(db, sql, place, |_| true)
}

/// Like [`find`], for the turns that `admits` accepts; the others are not collected.
pub(crate) fn find_where(
    db: &dyn Db,
    sql: &str,
    place: Values<'_>,
    admits: impl Fn(&Turn) -> bool,
) -> Result<Vec<Stored>> {
    let mut found = Vec::new();
    db.for_each(sql, place, |row| {
        found.extend(Some(read(row)?).filter(|stored| admits(&stored.turn)));
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(found)
}

/// Like [`find`], as memories.
pub(crate) fn memories(db: &dyn Db, sql: &str, place: Values<'_>) -> Result<Vec<Memory>> {
    Ok(find(db, sql, place)?.into_iter().map(Stored::remember).collect())
}

/// Writes a new turn as the change `seq`.
pub(crate) fn insert(db: &dyn Db, agent_id: i64, turn: &Turn, place: &Place, seq: i64) -> Result<()> {
    tombstones::lift(db, agent_id, &turn.id)?;
    pruned::lift(db, agent_id, &turn.id)?;
    let message = &turn.message;
    db.execute(
        include_str!("sql/insert_turn.sql"),
        params![
            seq,
            agent_id,
            turn.id.as_str(),
            turn.key.conversation,
            turn.key.id,
            turn.day.to_string(),
            micros(place.at),
            message.role.as_str(),
            message.name,
            message.content,
            place.sent_at.map(micros),
        ],
    )?;
    Ok(())
}

/// Replaces the message of a turn, as the change `seq`.
pub(crate) fn revise(db: &dyn Db, agent_id: i64, turn: &Turn, place: &Place, seq: i64) -> Result<()> {
    let message = &turn.message;
    db.execute(
        include_str!("sql/revise_turn.sql"),
        params![
            seq,
            agent_id,
            turn.id.as_str(),
            turn.day.to_string(),
            micros(place.at),
            message.role.as_str(),
            message.name,
            message.content,
            place.sent_at.map(micros),
            place.sent,
        ],
    )?;
    Ok(())
}

/// Stores the hash of what the client sent last, for a turn that a person corrected since.
pub(crate) fn set_sent(db: &dyn Db, agent_id: i64, id: &annals_core::MemoryId, sent: Hash) -> Result<()> {
    let sql = "UPDATE turn SET sent = ?3 WHERE agent_id = ?1 AND id = ?2";
    db.execute(sql, params![agent_id, id.as_str(), sent])?;
    Ok(())
}

fn read(row: &Row) -> Result<Stored> {
    let key = TurnKey { conversation: row.get("conversation")?, id: row.get("message")? };
    let message = Message {
        conversation: key.conversation.clone(),
        // Whether the id was the client's or generated is not stored.
        client_id: None,
        role: word(row, "role")?,
        name: row.get("name")?,
        content: row.get("content")?,
        at: instant(row, "at")?,
    };
    let origin = Origin::Client;
    let turn = Turn { id: memories::read_id(row)?, key, day: word(row, "day")?, message, masked: 0, origin };
    let seq = number(row, "seq")?;
    let arrived: Option<i64> = row.get("arrived")?;
    Ok(Stored {
        turn,
        pinned: row.get("pinned")?,
        seq,
        arrived: arrived.map_or(seq, i64::unsigned_abs),
        sent_at: maybe_instant(row, "sent_at")?,
        sent: row.get("sent")?,
    })
}

impl Stored {
    /// Returns the stored message, with the instant that the client sent.
    pub(crate) fn as_sent(&self) -> Message {
        let message = &self.turn.message;
        Message { at: self.sent_at.unwrap_or(message.at), ..message.clone() }
    }

    /// Returns the keyed hash of what the client sent last.
    pub(crate) fn sent_content(&self, hashes: &KeyedHashes) -> Hash {
        self.sent.unwrap_or_else(|| hashes.content_of(&self.as_sent()))
    }

    /// Converts the turn to a memory.
    pub(crate) fn remember(self) -> Memory {
        let Turn { id, key, day, message, .. } = self.turn;
        Memory {
            id,
            grain: Grain::Working,
            period: day,
            cover: Interval { start: message.at, end: end_of_microsecond(message.at) },
            days: day.cover_days(),
            body: Body::Turn {
                speaker: message.speaker().to_owned(),
                role: message.role,
                conversation: key.conversation,
                message: key.id,
            },
            text: message.content,
            pinned: self.pinned,
            seq: self.seq,
        }
    }
}

fn end_of_microsecond(at: Timestamp) -> Timestamp {
    Timestamp::from_microsecond(at.as_microsecond().saturating_add(1)).unwrap_or(Timestamp::MAX)
}
