//! Forgetting: removes what a target selects and everything derived from it, and keeps keyed hashes of the messages.
//!
//! Queries alone make the plan, and the erasure carries it out in the same transaction. A dry run reports the plan: it
//! writes nothing and cannot differ from the erasure. The search for sentences that occur nowhere else runs afterwards,
//! in pieces with other work between, because it reads all texts of the agent.

mod carry_out;
mod leftovers;
mod plan;
mod selection;
mod subject;
mod summaries;
mod wipe;
mod words;

use annals_core::ports::Target;
use annals_core::{Agent, Timestamp};

use crate::db::Db;
use crate::failure::Result;
use crate::{agents, cleaning};
pub(crate) use leftovers::{phrases, tables};
pub(crate) use plan::{Plan, plan};
#[cfg(test)]
pub(crate) use selection::{OF_CONVERSATION, WITHIN};
pub(crate) use wipe::{agent as wipe_agent, tables_of_agents};
pub(crate) use words::{Remaining, STATEMENT_TEXTS, TURN_TEXTS, VERSION_TEXTS};

/// Erases a target and returns the plan that was carried out.
pub(crate) fn erase(db: &dyn Db, agent: &Agent, target: &Target, now: Timestamp) -> Result<Plan> {
    let plan = plan(db, agent, target)?;
    cleaning::owe(db, agent)?;
    agents::note_erasure(db, agent)?;
    plan.carry_out(db, agent, now)?;
    Ok(plan)
}
