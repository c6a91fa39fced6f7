//! Reads the changes that a projection has not applied yet.

use annals_core::ports::Change;
use annals_core::{Agent, Grain};

use crate::columns::{grain_number, number, signed};
use crate::db::{Db, Row, Values, params};
use crate::failure::Result;
use crate::{agents, memories, statements, turns};

pub(crate) const TURNS: &str =
    concat!(include_str!("sql/turn.sql"), "WHERE agent_id = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3");
pub(crate) const SUMMARIES: &str =
    concat!(include_str!("sql/summary.sql"), "WHERE agent_id = ?1 AND grain = ?4 AND seq > ?2 ORDER BY seq LIMIT ?3");
pub(crate) const TOMBSTONES: &str =
    "SELECT id, seq FROM tombstone WHERE agent_id = ?1 AND grain = ?4 AND seq > ?2 ORDER BY seq LIMIT ?3";

pub(crate) const STATEMENTS: &str =
    concat!(include_str!("sql/statement.sql"), "WHERE agent_id = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3");

pub(crate) const TURNS_LEFT: &str = "SELECT count(*) AS n FROM turn WHERE agent_id = ?1 AND seq > ?2";
pub(crate) const SUMMARIES_LEFT: &str =
    "SELECT count(*) AS n FROM summary WHERE agent_id = ?1 AND grain = ?3 AND seq > ?2";
pub(crate) const STATEMENTS_LEFT: &str = "SELECT count(*) AS n FROM statement WHERE agent_id = ?1 AND seq > ?2";
pub(crate) const TOMBSTONES_LEFT: &str =
    "SELECT count(*) AS n FROM tombstone WHERE agent_id = ?1 AND grain = ?3 AND seq > ?2";

/// Returns the changes of a grain above `after`, ascending, at most `limit`.
pub(crate) fn changes(db: &dyn Db, agent: &Agent, grain: Grain, after: u64, limit: usize) -> Result<Vec<Change>> {
    let (agent_id, after, most) = (agents::known(db, agent)?, signed(after), signed(limit as u64));
    let place = params![agent_id, after, most];
    let upserts = match grain {
        Grain::Working => {
            let mut turns = turns::memories(db, TURNS, place)?;
            turns.append(&mut statements::memories(db, STATEMENTS, place)?);
            turns
        }
        _ => memories::summaries(db, SUMMARIES, params![agent_id, after, most, grain_number(grain)])?,
    };
    let mut changes: Vec<Change> = upserts.into_iter().map(Change::Upsert).collect();
    let place = params![agent_id, after, most, grain_number(grain)];
    changes.append(&mut db.query(TOMBSTONES, place, read_tombstone)?);
    changes.sort_by_key(Change::seq);
    changes.truncate(limit);
    Ok(changes)
}

/// Returns the number of changes of a grain above `after`.
pub(crate) fn backlog(db: &dyn Db, agent: &Agent, grain: Grain, after: u64) -> Result<u64> {
    let (agent_id, after) = (agents::known(db, agent)?, signed(after));
    let of_grain = params![agent_id, after, grain_number(grain)];
    let count = |sql, place: Values<'_>| -> Result<u64> { db.query_one(sql, place, |row| number(row, "n")) };
    let upserts = match grain {
        Grain::Working => count(TURNS_LEFT, &of_grain[..2])? + count(STATEMENTS_LEFT, &of_grain[..2])?,
        _ => count(SUMMARIES_LEFT, of_grain)?,
    };
    Ok(upserts + count(TOMBSTONES_LEFT, of_grain)?)
}

fn read_tombstone(row: &Row) -> Result<Change> {
    Ok(Change::Delete { id: memories::read_id(row)?, seq: number(row, "seq")? })
}
