//! Counts the memories of an agent.

use annals_core::ports::Counts;
use annals_core::{Agent, Timestamp};
use rusqlite::{Connection, OptionalExtension};

use crate::agents;
use crate::columns::{grain, instant, number};
use crate::failure::Result;

pub(crate) const TURNS: &str = "SELECT count(*) AS n FROM turn WHERE agent_id = ?1";
pub(crate) const STATEMENTS: &str = "SELECT count(*) AS n FROM statement WHERE agent_id = ?1";
pub(crate) const SUMMARIES: &str = "SELECT grain, count(*) AS n FROM summary WHERE agent_id = ?1 GROUP BY grain";
pub(crate) const FIRST: &str = "SELECT at FROM turn WHERE agent_id = ?1 ORDER BY at LIMIT 1";
pub(crate) const LAST: &str = "SELECT at FROM turn WHERE agent_id = ?1 ORDER BY at DESC LIMIT 1";

/// Returns the number of memories per grain, and the extent of the turns.
pub(crate) fn counts(connection: &Connection, agent: &Agent) -> Result<Counts> {
    let agent_id = agents::known(connection, agent)?;
    let mut counts = Counts::default();
    for sql in [TURNS, STATEMENTS] {
        let rows: u64 = connection.prepare_cached(sql)?.query_row([agent_id], |row| number(row, "n"))?;
        counts.memories[0] += rows;
    }
    let mut statement = connection.prepare_cached(SUMMARIES)?;
    for row in statement.query_map([agent_id], |row| Ok((grain(row)?, number(row, "n")?)))? {
        let (grain, summaries) = row?;
        counts.memories[grain as usize] = summaries;
    }
    let edge = |sql| -> Result<Option<Timestamp>> {
        Ok(connection.prepare_cached(sql)?.query_row([agent_id], |row| instant(row, "at")).optional()?)
    };
    counts.extent = edge(FIRST)?.zip(edge(LAST)?);
    Ok(counts)
}
