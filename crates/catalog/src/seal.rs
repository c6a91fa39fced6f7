//! Prunes all that a period is made of and seals the period, if it is still what retention looked at.

use annals_core::ports::Children;
use annals_core::{Agent, Error, Grain, Kind, Memory, MemoryId, Period};
use rusqlite::{Connection, params};

use crate::columns::{grain_number, signed};
use crate::failure::Result;
use crate::{agents, bases, children, dead_letters, inputs, memories, remove, statements, turns};

pub(crate) const IS_CLEAN: &str = include_str!("sql/is_clean.sql");
pub(crate) const STATEMENTS: &str =
    concat!(include_str!("sql/statement.sql"), "INDEXED BY statement_by_day WHERE agent_id = ?1 AND day = ?2");

/// Prunes the children, and makes the present summary the base; of a year the summary itself goes, and nothing is sealed.
pub(crate) fn seal(connection: &Connection, agent: &Agent, looked_at: &Children, clean_seq: u64) -> Result<()> {
    let (agent_id, parent) = (agents::known(connection, agent)?, looked_at.parent);
    let present = bases::present(connection, agent_id, &MemoryId::summary(agent, parent))?;
    let same = children::of(connection, agent_id, parent, looked_at.yearly)?.as_ref() == Some(looked_at);
    let (Some(base), true, true) = (present, same, is_clean(connection, agent_id, parent, clean_seq)?) else {
        return Err(Error::Stale { what: format!("period {parent}") }.into());
    };
    for child in members(connection, agent_id, looked_at)? {
        prune(connection, agent_id, &child)?;
    }
    if looked_at.yearly { Ok(()) } else { bases::set(connection, agent_id, parent, &base) }
}

fn is_clean(connection: &Connection, agent_id: i64, period: Period, clean_seq: u64) -> Result<bool> {
    let place = params![agent_id, grain_number(period.grain()), period.to_string(), signed(clean_seq)];
    Ok(connection.prepare_cached(IS_CLEAN)?.exists(place)?)
}

fn members(connection: &Connection, agent_id: i64, looked_at: &Children) -> Result<Vec<Memory>> {
    let (grain, first, last) = children::extent(looked_at.parent, looked_at.yearly);
    if grain != Grain::Working {
        let place = params![agent_id, grain_number(grain), first.to_string(), last.to_string()];
        return memories::summaries(connection, inputs::CHILDREN, place);
    }
    let place = params![agent_id, first.to_string()];
    let mut members = turns::memories(connection, inputs::TURNS, place)?;
    members.append(&mut statements::memories(connection, STATEMENTS, place)?);
    members.sort_by(memories::in_order);
    Ok(members)
}

/// Lets a memory go with all that is kept of it.
fn prune(connection: &Connection, agent_id: i64, memory: &Memory) -> Result<()> {
    dead_letters::drop_all(connection, agent_id, &memory.id)?;
    match memory.kind {
        Kind::Turn => remove::turn(connection, agent_id, &memory.id)?,
        Kind::Fact => remove::statement(connection, agent_id, &memory.id)?,
        Kind::Summary => {
            bases::lift(connection, agent_id, memory.period)?;
            remove::summary(connection, agent_id, &memory.id, memory.grain)?
        }
    };
    Ok(())
}
