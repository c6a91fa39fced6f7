//! What a period is made of.

use annals_core::{Agent, Memory, Period};
use rusqlite::{Connection, params};

use crate::columns::grain_number;
use crate::failure::Result;
use crate::{agents, memories, turns};

pub(crate) const TURNS: &str = concat!(include_str!("sql/turn.sql"), include_str!("sql/turns_of_day.sql"));

/// Labels sort as time does, so the children of a period are all that lie between the first and the last.
pub(crate) const CHILDREN: &str = concat!(
    include_str!("sql/summary.sql"),
    "WHERE agent_id = ?1 AND grain = ?2 AND period BETWEEN ?3 AND ?4 ORDER BY period"
);

/// Live turns of a day, live summaries of the finer grain otherwise, in order.
pub(crate) fn inputs(connection: &Connection, agent: &Agent, period: Period) -> Result<Vec<Memory>> {
    let agent_id = agents::known(connection, agent)?;
    let children = period.children();
    let (Some(first), Some(last)) = (children.first(), children.last()) else {
        return turns::memories(connection, TURNS, params![agent_id, period.to_string()]);
    };
    let place = params![agent_id, grain_number(first.grain()), first.to_string(), last.to_string()];
    memories::summaries(connection, CHILDREN, place)
}
