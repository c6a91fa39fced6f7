//! Names that agents got by renaming. A former name still resolves to its agent after the agent is renamed again.

use annals_core::{Agent, Error, ObjectKind};

use crate::agents;
use crate::db::{Db, Result, params};

/// Selects the agent that has or had a name.
pub(crate) const OWNER: &str = "SELECT workspace, name, shown_name FROM agent
    WHERE workspace = ?1
        AND (name = ?2 OR agent_id = (SELECT agent_id FROM agent_name WHERE workspace = ?1 AND name = ?2))";

/// Returns the agent that has or had a name.
pub(crate) fn owner(db: &dyn Db, workspace: &str, name: &str) -> Result<Option<Agent>> {
    db.query_optional(OWNER, params![workspace, name], agents::read)
}

/// Gives an agent a new name, and returns the renamed agent. Former names still resolve to it. Fails with `NotFound` if the
/// agent is not known, and with `Exists` if another agent has or had the name.
pub(crate) fn rename(db: &dyn Db, agent: &Agent, name: &str) -> Result<Agent> {
    if !agents::agent_state(db, agent)?.known {
        return Err(Error::NotFound { what: ObjectKind::Agent, name: agent.name().to_owned() }.into());
    }
    let renamed = agent.clone().renamed(name)?;
    check_free(db, agent, name)?;
    save(db, agents::known(db, agent)?, &renamed)?;
    Ok(renamed)
}

/// Fails with [`Error::Exists`] if an agent other than `agent` has or had the name.
pub(crate) fn check_free(db: &dyn Db, agent: &Agent, name: &str) -> Result<()> {
    match owner(db, agent.workspace(), name)? {
        Some(owner) if owner != *agent => Err(Error::Exists { what: ObjectKind::Agent, name: name.to_owned() }.into()),
        _ => Ok(()),
    }
}

/// Saves the name of the agent with this number, and adds it to the names that resolve to the agent.
pub(crate) fn save(db: &dyn Db, agent_id: i64, agent: &Agent) -> Result<()> {
    let sql = "UPDATE agent SET shown_name = ?2 WHERE agent_id = ?1";
    db.execute(sql, params![agent_id, agent.shown_name()])?;
    if let Some(name) = agent.shown_name() {
        let sql = "INSERT INTO agent_name (workspace, name, agent_id) VALUES (?1, ?2, ?3)
            ON CONFLICT (workspace, name) DO NOTHING";
        db.execute(sql, params![agent.workspace(), name, agent_id])?;
    }
    Ok(())
}
