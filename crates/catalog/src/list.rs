//! Lists memories of a grain by time.

use std::cmp::Ordering;

use annals_core::ports::Select;
use annals_core::{Agent, Grain, Kind, Memory};

use crate::columns::{bounds, grain_number, signed};
use crate::db::{Db, params};
use crate::failure::Result;
use crate::{agents, memories, statements, turns};

/// Returns live memories by selection, in order of time, then of conversation and id; or in the reverse order.
pub(crate) fn list(db: &dyn Db, agent: &Agent, select: &Select) -> Result<Vec<Memory>> {
    if select.within.is_empty() {
        return Ok(Vec::new());
    }
    let agent_id = agents::known(db, agent)?;
    let ((start, end), most) = (bounds(&select.within), signed(select.limit as u64));
    let sql = statement(select);
    match (select.grain, &select.conversation) {
        (Grain::Working, None) => {
            let place = params![agent_id, start, end, most];
            let turns = asked(select, Kind::Turn, || turns::memories(db, &sql, place))?;
            let stated = statements_within(select);
            let statements = asked(select, Kind::Statement, || statements::memories(db, &stated, place))?;
            Ok(merge(turns, statements, select))
        }
        (Grain::Working, Some(conversation)) => {
            asked(select, Kind::Turn, || turns::memories(db, &sql, params![agent_id, start, end, most, conversation]))
        }
        // Summaries belong to no conversation.
        (_, Some(_)) => Ok(Vec::new()),
        (grain, None) => asked(select, Kind::Summary, || {
            memories::summaries(db, &sql, params![agent_id, start, end, most, grain_number(grain)])
        }),
    }
}

/// Reads a kind only if it is selected: each kind has its own table.
fn asked(select: &Select, kind: Kind, read: impl FnOnce() -> Result<Vec<Memory>>) -> Result<Vec<Memory>> {
    if select.asks_for(kind) { read() } else { Ok(Vec::new()) }
}

/// Builds the SQL for a selection. Each form of selection has its own statement, so that each can use an index.
pub(crate) fn statement(select: &Select) -> String {
    let (columns, filter) = match (select.grain, &select.conversation) {
        (Grain::Working, None) => (include_str!("sql/turn.sql"), include_str!("sql/turns_within.sql")),
        (Grain::Working, Some(_)) => (include_str!("sql/turn.sql"), include_str!("sql/turns_of_conversation.sql")),
        _ => (include_str!("sql/summary.sql"), include_str!("sql/summaries_within.sql")),
    };
    directed(columns, filter, select)
}

/// Builds the SQL for memories of kind statement, which are listed with the turns.
pub(crate) fn statements_within(select: &Select) -> String {
    directed(include_str!("sql/statement.sql"), include_str!("sql/statements_within.sql"), select)
}

fn directed(columns: &str, filter: &str, select: &Select) -> String {
    let filter = if select.newest_first { filter.replace(" ASC", " DESC") } else { filter.to_owned() };
    format!("{columns}{filter}")
}

fn merge(turns: Vec<Memory>, statements: Vec<Memory>, select: &Select) -> Vec<Memory> {
    let mut all = turns;
    all.extend(statements);
    let directed = |order: Ordering| if select.newest_first { order.reverse() } else { order };
    all.sort_by(|a, b| directed(memories::in_order(a, b)));
    all.truncate(select.limit);
    all
}
