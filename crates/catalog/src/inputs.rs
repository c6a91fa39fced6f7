//! Reads the inputs of a period.

use annals_core::{Agent, Memory, Period};

use crate::columns::grain_number;
use crate::db::{Db, params};
use crate::failure::Result;
use crate::{agents, memories, turns};

pub(crate) const TURNS: &str = concat!(include_str!("sql/turn.sql"), include_str!("sql/turns_of_day.sql"));

/// Labels sort by time, so the children of a period are all labels between the first and the last.
pub(crate) const CHILDREN: &str = concat!(
    include_str!("sql/summary.sql"),
    "WHERE agent_id = ?1 AND grain = ?2 AND period BETWEEN ?3 AND ?4 ORDER BY period"
);

/// Returns the live turns of a day, or the live summaries of the finer grain, in order.
pub(crate) fn inputs(db: &dyn Db, agent: &Agent, period: Period) -> Result<Vec<Memory>> {
    let agent_id = agents::known(db, agent)?;
    let children = period.children();
    let (Some(first), Some(last)) = (children.first(), children.last()) else {
        return turns::memories(db, TURNS, params![agent_id, period.to_string()]);
    };
    let place = params![agent_id, grain_number(first.grain()), first.to_string(), last.to_string()];
    memories::summaries(db, CHILDREN, place)
}
