//! Names that agents got by renaming.

use annals_core::{Agent, Error, ObjectKind, Result};

use super::State;
use super::agent_data::AgentData;

impl State {
    /// Returns the agent that has or had a name; `None` if there is none.
    pub(super) fn owner(&self, workspace: &str, name: &str) -> Option<&Agent> {
        let mut agents = self.agents_data.iter().filter(|(agent, _)| agent.workspace() == workspace);
        let has = |agent: &Agent, data: &AgentData| data.is_known() && agent.key() == name || data.names.contains(name);
        agents.find(|(agent, data)| has(agent, data)).map(|(agent, _)| agent)
    }

    /// Fails with [`Error::Exists`] if another agent than `agent` has or had the name.
    pub(super) fn check_free(&self, agent: &Agent, name: &str) -> Result<()> {
        match self.owner(agent.workspace(), name) {
            Some(owner) if owner != agent => Err(Error::Exists { what: ObjectKind::Agent, name: name.to_owned() }),
            _ => Ok(()),
        }
    }

    pub(super) fn rename(&mut self, agent: &Agent, name: &str) -> Result<Agent> {
        if !self.agents_data.get(agent).is_some_and(AgentData::is_known) {
            return Err(Error::NotFound { what: ObjectKind::Agent, name: agent.name().to_owned() });
        }
        let renamed = agent.clone().renamed(name)?;
        self.check_free(agent, name)?;
        self.show(renamed.clone());
        Ok(renamed)
    }

    /// Stores the agent's data under its new shown name, and adds that name to the agent's names.
    pub(super) fn show(&mut self, agent: Agent) {
        let mut data = self.agents_data.remove(&agent).unwrap_or_default();
        data.names.extend(agent.shown_name().map(str::to_owned));
        self.agents_data.insert(agent, data);
    }
}
