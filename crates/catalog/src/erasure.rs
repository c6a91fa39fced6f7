//! Forgetting: what a target reaches goes, with all that was made of it, and keyed hashes of the messages stay.
//!
//! What goes is planned by queries alone, and an erasure carries its plan out in the same transaction. The dry run reports a
//! plan, so it writes nothing and cannot differ from the erasure. Which sentences stand nowhere else is found out
//! afterwards, in pieces between which other work goes on: it reads all that the agent has.

mod aim;
mod carry_out;
mod holds;
mod plan;
mod subject;
mod summaries;
mod wipe;
mod words;

use annals_core::ports::Target;
use annals_core::{Agent, Timestamp};
use rusqlite::Connection;

use crate::failure::Result;
use crate::{agents, cleaning};
#[cfg(test)]
pub(crate) use aim::{OF_CONVERSATION, WITHIN};
pub(crate) use holds::{phrases, tables};
pub(crate) use plan::{Plan, plan};
pub(crate) use wipe::{agent as wipe_agent, tables_of_agents};
pub(crate) use words::{Remaining, STATEMENT_TEXTS, TURN_TEXTS, VERSION_TEXTS};

/// Erases, and returns what was reached.
pub(crate) fn erase(connection: &Connection, agent: &Agent, target: &Target, now: Timestamp) -> Result<Plan> {
    let plan = plan(connection, agent, target)?;
    cleaning::owe(connection, agent)?;
    agents::note_erasure(connection, agent)?;
    plan.carry_out(connection, agent, now)?;
    Ok(plan)
}
