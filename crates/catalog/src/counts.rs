//! Counts the memories of an agent.

use annals_core::ports::Counts;
use annals_core::{Agent, Timestamp};

use crate::agents;
use crate::columns::{grain, instant, number};
use crate::db::{Db, params};
use crate::failure::Result;

pub(crate) const TURNS: &str = "SELECT count(*) AS n FROM turn WHERE agent_id = ?1";
pub(crate) const STATEMENTS: &str = "SELECT count(*) AS n FROM statement WHERE agent_id = ?1";
pub(crate) const SUMMARIES: &str = "SELECT grain, count(*) AS n FROM summary WHERE agent_id = ?1 GROUP BY grain";
pub(crate) const FIRST: &str = "SELECT at FROM turn WHERE agent_id = ?1 ORDER BY at LIMIT 1";
pub(crate) const LAST: &str = "SELECT at FROM turn WHERE agent_id = ?1 ORDER BY at DESC LIMIT 1";

/// Returns the number of memories per grain, and the extent of the turns.
pub(crate) fn counts(db: &dyn Db, agent: &Agent) -> Result<Counts> {
    let agent_id = agents::known(db, agent)?;
    let mut counts = Counts::default();
    for sql in [TURNS, STATEMENTS] {
        let rows: u64 = db.query_one(sql, params![agent_id], |row| number(row, "n"))?;
        counts.memories[0] += rows;
    }
    for (grain, summaries) in db.query(SUMMARIES, params![agent_id], |row| Ok((grain(row)?, number(row, "n")?)))? {
        counts.memories[grain as usize] = summaries;
    }
    let edge =
        |sql| -> Result<Option<Timestamp>> { db.query_optional(sql, params![agent_id], |row| instant(row, "at")) };
    counts.extent = edge(FIRST)?.zip(edge(LAST)?);
    Ok(counts)
}
