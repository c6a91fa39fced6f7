//! Turns: how they are kept, and what they are as memories of the working grain.

use annals_core::ports::Turn;
use annals_core::{Grain, Interval, Kind, Memory, Message, Timestamp, TurnKey};
use rusqlite::{Connection, Params, Row, params};

use crate::columns::{instant, micros, number, word};
use crate::failure::Result;
use crate::{memories, tombstones};

/// A turn with what the catalog knows of it.
pub(crate) struct Stored {
    pub(crate) turn: Turn,
    pub(crate) pinned: bool,
    pub(crate) seq: u64,
}

/// The turns that a question over the columns of `turn.sql` finds.
pub(crate) fn find(connection: &Connection, sql: &str, place: impl Params) -> Result<Vec<Stored>> {
    find_where(connection, sql, place, |_| true)
}

/// Those of them that a caller admits; the others are not held.
pub(crate) fn find_where(
    connection: &Connection,
    sql: &str,
    place: impl Params,
    admits: impl Fn(&Message) -> bool,
) -> Result<Vec<Stored>> {
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map(place, read)?;
    let admitted = rows.filter(|row| row.as_ref().map_or(true, |stored| admits(&stored.turn.message)));
    Ok(admitted.collect::<rusqlite::Result<_>>()?)
}

/// The same, as memories.
pub(crate) fn memories(connection: &Connection, sql: &str, place: impl Params) -> Result<Vec<Memory>> {
    Ok(find(connection, sql, place)?.into_iter().map(Stored::remember).collect())
}

/// Writes a new turn as the change `seq`.
pub(crate) fn insert(connection: &Connection, agent_id: i64, turn: &Turn, seq: i64) -> Result<()> {
    tombstones::lift(connection, agent_id, &turn.id)?;
    let message = &turn.message;
    connection.prepare_cached(include_str!("sql/insert_turn.sql"))?.execute(params![
        seq,
        agent_id,
        turn.id.as_str(),
        turn.key.conversation,
        turn.key.id,
        turn.day.to_string(),
        micros(message.at),
        message.role.as_str(),
        message.name,
        message.content,
    ])?;
    Ok(())
}

/// Replaces what was said in a turn, as the change `seq`.
pub(crate) fn revise(connection: &Connection, agent_id: i64, turn: &Turn, seq: i64) -> Result<()> {
    let message = &turn.message;
    connection.prepare_cached(include_str!("sql/revise_turn.sql"))?.execute(params![
        seq,
        agent_id,
        turn.id.as_str(),
        turn.day.to_string(),
        micros(message.at),
        message.role.as_str(),
        message.name,
        message.content,
    ])?;
    Ok(())
}

fn read(row: &Row) -> rusqlite::Result<Stored> {
    let key = TurnKey { conversation: row.get("conversation")?, id: row.get("message")? };
    let message = Message {
        conversation: key.conversation.clone(),
        // Whether the client gave the id or it was made up is not kept.
        client_id: None,
        role: word(row, "role")?,
        name: row.get("name")?,
        content: row.get("content")?,
        at: instant(row, "at")?,
    };
    let turn = Turn { id: memories::read_id(row)?, key, day: word(row, "day")?, message, masked: 0 };
    Ok(Stored { turn, pinned: row.get("pinned")?, seq: number(row, "seq")? })
}

impl Stored {
    /// The turn as a memory.
    pub(crate) fn remember(self) -> Memory {
        let Turn { id, key, day, message, .. } = self.turn;
        Memory {
            id,
            grain: Grain::Working,
            kind: Kind::Turn,
            period: day,
            cover: Interval { start: message.at, end: end_of_microsecond(message.at) },
            days: day.cover_days(),
            speaker: Some(message.speaker().to_owned()),
            text: message.content,
            role: Some(message.role),
            conversation: Some(key.conversation),
            message: Some(key.id),
            sentences: Vec::new(),
            sources: Vec::new(),
            importance: None,
            confidence: None,
            pinned: self.pinned,
            seq: self.seq,
        }
    }
}

fn end_of_microsecond(at: Timestamp) -> Timestamp {
    Timestamp::from_microsecond(at.as_microsecond().saturating_add(1)).unwrap_or(Timestamp::MAX)
}
