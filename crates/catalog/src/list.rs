//! Lists memories of a grain by time.

use annals_core::ports::Select;
use annals_core::{Agent, Grain, Memory};
use rusqlite::{Connection, params};

use crate::columns::{bounds, grain_number, signed};
use crate::failure::Result;
use crate::{agents, memories};

/// Live memories by selection, in order of time, then of conversation and id; or all that backwards.
pub(crate) fn list(connection: &Connection, agent: &Agent, select: &Select) -> Result<Vec<Memory>> {
    if select.within.is_empty() {
        return Ok(Vec::new());
    }
    let agent_id = agents::known(connection, agent)?;
    let ((start, end), most) = (bounds(&select.within), signed(select.limit as u64));
    let sql = statement(select);
    match (select.grain, &select.conversation) {
        (Grain::Working, None) => memories::turns(connection, &sql, params![agent_id, start, end, most]),
        (Grain::Working, Some(conversation)) => {
            memories::turns(connection, &sql, params![agent_id, start, end, most, conversation])
        }
        // A summary is of no one conversation.
        (_, Some(_)) => Ok(Vec::new()),
        (grain, None) => {
            memories::summaries(connection, &sql, params![agent_id, start, end, most, grain_number(grain)])
        }
    }
}

/// One statement for each form of selection, so that each has an index to walk along.
pub(crate) fn statement(select: &Select) -> String {
    let (columns, filter) = match (select.grain, &select.conversation) {
        (Grain::Working, None) => (include_str!("sql/turn.sql"), include_str!("sql/turns_within.sql")),
        (Grain::Working, Some(_)) => (include_str!("sql/turn.sql"), include_str!("sql/turns_of_conversation.sql")),
        _ => (include_str!("sql/summary.sql"), include_str!("sql/summaries_within.sql")),
    };
    let filter = if select.newest_first { filter.replace(" ASC", " DESC") } else { filter.to_owned() };
    format!("{columns}{filter}")
}
