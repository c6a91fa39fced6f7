//! Instants of turns. No two turns of a conversation share one, so every order by time is also an order of arrival.

use std::collections::HashMap;

use annals_core::ports::{Origin, Turn};
use annals_core::{Error, Timestamp};

use crate::columns::micros;
use crate::db::{Db, params};
use crate::failure::Result;

pub(crate) const IS_TAKEN: &str = "SELECT 1 FROM turn INDEXED BY turn_by_conversation \
    WHERE agent_id = ?1 AND conversation = ?2 AND at = ?3 AND id <> ?4";
pub(crate) const LAST_WITHIN: &str = "SELECT max(at) FROM turn INDEXED BY turn_by_conversation \
    WHERE agent_id = ?1 AND conversation = ?2 AND at >= ?3 AND at < ?4";
pub(crate) const FIRST_FREE: &str = include_str!("sql/first_free_moment.sql");

/// A turn without an instant of its own goes after turns within this many microseconds: a request stamps up to a
/// thousand turns.
const NEAR: i64 = 1000;

/// Finds free instants during one request.
#[derive(Default)]
pub(crate) struct Moments {
    /// By conversation and taken instant: the end of the run of taken instants. Searched once per request.
    ends: HashMap<(String, i64), i64>,
}

impl Moments {
    /// Returns the turn's instant if it is free in its conversation, otherwise the first free one after it. A turn that
    /// was sent without an instant goes after all turns that came before it.
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
        let place = params![agent_id, conversation, *end];
        *end = db.query_optional(FIRST_FREE, place, |row| row.get(0))?.unwrap_or(at);
        Ok(*end)
    }
}

fn is_taken(db: &dyn Db, agent_id: i64, turn: &Turn, at: i64) -> Result<bool> {
    let place = params![agent_id, turn.key.conversation, at, turn.id.as_str()];
    db.exists(IS_TAKEN, place)
}

fn behind_all(db: &dyn Db, agent_id: i64, conversation: &str, at: i64) -> Result<i64> {
    let mut free = at;
    loop {
        let place = params![agent_id, conversation, free, free + NEAR];
        match db.query_one(LAST_WITHIN, place, |row| row.get::<Option<i64>>(0))? {
            Some(last) => free = last + 1,
            None => return Ok(free),
        }
    }
}
