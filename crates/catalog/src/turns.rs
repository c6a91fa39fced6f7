//! Turns: reads and writes their rows, finds their instants, and converts them to memories of the working grain.
//!
//! No two turns of a conversation share an instant. Turns that were sent with the same instant are stored in the order of their
//! arrival.

use std::collections::HashMap;
use std::ops::ControlFlow;

use annals_core::ports::{Origin, Turn};
use annals_core::{Body, Error, Grain, Interval, Memory, MemoryId, Message, Timestamp, TurnKey};

use crate::columns::{instant, maybe_instant, micros, number, word};
use crate::db::{Db, Result, Row, Values, params};
use crate::forgotten::{Hash, KeyedHashes};
use crate::{changes, memories, pruned};

pub(crate) const BY_ID: &str = "SELECT * FROM turn WHERE agent_id = ?1 AND id = ?2";

/// A turn, and the columns that the catalog stores with it.
pub(crate) struct Stored {
    pub(crate) turn: Turn,
    pub(crate) pinned: bool,
    pub(crate) seq: u64,
    /// Sequence number that the turn had when it first arrived. Revisions change `seq` only.
    pub(crate) arrived: u64,
    /// The instant that the client sent, if it differs from the stored instant.
    pub(crate) sent_at: Option<Timestamp>,
    /// Hash of what the client sent last, if a person corrected the turn since.
    pub(crate) sent: Option<Hash>,
}

/// The fields of a turn's row that the message does not determine.
pub(crate) struct StoredFields {
    /// The stored instant. If `sent_at` is set, this is the first free instant after it.
    pub(crate) at: Timestamp,
    pub(crate) sent_at: Option<Timestamp>,
    pub(crate) sent: Option<Hash>,
}

/// Returns the turns that a query over all columns finds.
pub(crate) fn find(db: &dyn Db, sql: &str, values: Values<'_>) -> Result<Vec<Stored>> {
    find_where(db, sql, values, |_| true)
}

/// Does the same as [`find`], for the turns that `admits` accepts; the others are not collected.
pub(crate) fn find_where(
    db: &dyn Db,
    sql: &str,
    values: Values<'_>,
    admits: impl Fn(&Turn) -> bool,
) -> Result<Vec<Stored>> {
    let mut found = Vec::new();
    db.for_each(sql, values, |row| {
        found.extend(Some(read(row)?).filter(|stored| admits(&stored.turn)));
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(found)
}

/// Does the same as [`find`], as memories.
pub(crate) fn memories(db: &dyn Db, sql: &str, values: Values<'_>) -> Result<Vec<Memory>> {
    Ok(find(db, sql, values)?.into_iter().map(Stored::remember).collect())
}

/// Writes a new turn as the change `seq`.
pub(crate) fn insert(db: &dyn Db, agent_id: i64, turn: &Turn, fields: &StoredFields, seq: i64) -> Result<()> {
    changes::lift_tombstone(db, agent_id, &turn.id)?;
    pruned::lift(db, agent_id, &turn.id)?;
    let message = &turn.message;
    let sql =
        "INSERT INTO turn (seq, agent_id, id, conversation, message, day, at, role, name, content, sent_at, attachment)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)";
    db.execute(
        sql,
        params![
            seq,
            agent_id,
            turn.id.as_str(),
            turn.key.conversation,
            turn.key.id,
            turn.day.to_string(),
            micros(fields.at),
            message.role.as_str(),
            message.name,
            message.content,
            fields.sent_at.map(micros),
            turn.attachment,
        ],
    )?;
    Ok(())
}

/// Replaces the message of a turn, as the change `seq`.
pub(crate) fn revise(db: &dyn Db, agent_id: i64, turn: &Turn, fields: &StoredFields, seq: i64) -> Result<()> {
    let message = &turn.message;
    let sql = "UPDATE turn
        SET arrived = coalesce(arrived, seq), seq = ?1, day = ?4, at = ?5, role = ?6, name = ?7, content = ?8, sent_at = ?9, sent = ?10,
            attachment = coalesce(?11, attachment)
        WHERE agent_id = ?2 AND id = ?3";
    db.execute(
        sql,
        params![
            seq,
            agent_id,
            turn.id.as_str(),
            turn.day.to_string(),
            micros(fields.at),
            message.role.as_str(),
            message.name,
            message.content,
            fields.sent_at.map(micros),
            fields.sent,
            turn.attachment,
        ],
    )?;
    Ok(())
}

/// Returns the attachment of a turn; `None` if the turn has none or does not exist.
pub(crate) fn attachment(db: &dyn Db, agent_id: i64, id: &MemoryId) -> Result<Option<String>> {
    let sql = "SELECT attachment FROM turn WHERE agent_id = ?1 AND id = ?2";
    Ok(db.query_optional(sql, params![agent_id, id.as_str()], |row| row.get(0))?.flatten())
}

/// Replaces the attachment of a turn; returns whether the turn exists.
pub(crate) fn attach(db: &dyn Db, agent_id: i64, id: &MemoryId, attachment: &str) -> Result<bool> {
    let sql = "UPDATE turn SET attachment = ?3 WHERE agent_id = ?1 AND id = ?2";
    Ok(db.execute(sql, params![agent_id, id.as_str(), attachment])? > 0)
}

/// Stores the hash of what the client sent last, for a turn that a person corrected since.
pub(crate) fn set_sent(db: &dyn Db, agent_id: i64, id: &MemoryId, sent: Hash) -> Result<()> {
    let sql = "UPDATE turn SET sent = ?3 WHERE agent_id = ?1 AND id = ?2";
    db.execute(sql, params![agent_id, id.as_str(), sent])?;
    Ok(())
}

pub(crate) fn read(row: &Row) -> Result<Stored> {
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
    let (id, attachment) = (memories::read_id(row)?, row.get("attachment")?);
    let turn = Turn { id, key, day: word(row, "day")?, message, masked: 0, origin, attachment };
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

    /// Converts the turn to a memory of the working grain.
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

pub(crate) const IS_TAKEN: &str = "SELECT 1 FROM turn INDEXED BY turn_by_conversation \
    WHERE agent_id = ?1 AND conversation = ?2 AND at = ?3 AND id <> ?4";
pub(crate) const LAST_WITHIN: &str = "SELECT max(at) FROM turn INDEXED BY turn_by_conversation \
    WHERE agent_id = ?1 AND conversation = ?2 AND at >= ?3 AND at < ?4";
/// Selects the first free instant after the taken instant ?3: the end of the run of consecutive taken instants that begins
/// there.
pub(crate) const FIRST_FREE: &str = "SELECT last.at + 1
    FROM turn AS last INDEXED BY turn_by_conversation
    WHERE last.agent_id = ?1 AND last.conversation = ?2 AND last.at >= ?3
      AND NOT EXISTS (SELECT 1 FROM turn AS next INDEXED BY turn_by_conversation
          WHERE next.agent_id = ?1 AND next.conversation = ?2 AND next.at = last.at + 1)
    ORDER BY last.at
    LIMIT 1";

/// A turn that was sent without an instant is placed after the turns of its conversation that are less than this number of
/// microseconds ahead, and again from there until no turn is that near. One request gives up to a thousand turns consecutive
/// microseconds.
const NEAR: i64 = 1000;

/// Finds free instants for the turns of one request.
#[derive(Default)]
pub(crate) struct Moments {
    /// The first free instant that was last found, by conversation and requested instant, in microseconds. The next search for
    /// the same instant starts there, not at the beginning of the run of taken instants.
    ends: HashMap<(String, i64), i64>,
}

impl Moments {
    /// Returns the turn's instant if it is free in its conversation, otherwise the first free one after it. A turn that was
    /// sent without an instant goes after all turns that are near ahead ([`NEAR`]), even if its instant is free.
    pub(crate) fn free(&mut self, db: &dyn Db, agent_id: i64, turn: &Turn) -> Result<Timestamp> {
        let (conversation, at) = (&turn.key.conversation, micros(turn.message.at));
        let free = match turn.origin {
            Origin::Untimed => behind_all(db, agent_id, conversation, at)?,
            _ if is_taken(db, agent_id, turn, at)? => self.first_free(db, agent_id, turn, at)?,
            _ => at,
        };
        Timestamp::from_microsecond(free).map_err(|error| Error::invalid("at", error.to_string()).into())
    }

    fn first_free(&mut self, db: &dyn Db, agent_id: i64, turn: &Turn, at: i64) -> Result<i64> {
        let conversation = &turn.key.conversation;
        let end = self.ends.entry((conversation.clone(), at)).or_insert(at);
        let values = params![agent_id, conversation, *end];
        *end = db.query_optional(FIRST_FREE, values, |row| row.get(0))?.unwrap_or(at);
        Ok(*end)
    }
}

fn is_taken(db: &dyn Db, agent_id: i64, turn: &Turn, at: i64) -> Result<bool> {
    let values = params![agent_id, turn.key.conversation, at, turn.id.as_str()];
    db.exists(IS_TAKEN, values)
}

fn behind_all(db: &dyn Db, agent_id: i64, conversation: &str, at: i64) -> Result<i64> {
    let mut free = at;
    loop {
        let values = params![agent_id, conversation, free, free + NEAR];
        match db.query_one(LAST_WITHIN, values, |row| row.get::<Option<i64>>(0))? {
            Some(last) => free = last + 1,
            None => return Ok(free),
        }
    }
}
