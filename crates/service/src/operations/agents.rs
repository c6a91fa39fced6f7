//! The agents of a workspace, and whether an agent exists.

use annals_core::{Agent, Error, Result, Zones};

use crate::Service;

impl Service {
    /// Returns the agents of a workspace, by name.
    pub async fn agents(&self, workspace: &str) -> Result<Vec<Agent>> {
        let mut agents = self.parts.store.agents().await?;
        agents.retain(|agent| agent.workspace() == workspace);
        Ok(agents)
    }

    /// Returns the agents of all workspaces.
    pub async fn all_agents(&self) -> Result<Vec<Agent>> {
        self.parts.store.agents().await
    }

    /// Returns the agent of this name, which must exist, or without a name all agents.
    pub async fn agents_named(&self, name: Option<&str>) -> Result<Vec<Agent>> {
        match name {
            Some(name) => Ok(vec![self.known(Agent::new(name)?).await?]),
            None => self.all_agents().await,
        }
    }

    /// Returns the time zones of an agent.
    pub async fn zones(&self, agent: &Agent) -> Result<Zones> {
        self.parts.store.settings(agent).await?.zones()
    }

    /// Returns the agent if it exists, or [`Error::NotFound`], so that a misspelt name does not look like an empty memory.
    pub async fn known(&self, agent: Agent) -> Result<Agent> {
        if self.parts.store.agent_state(&agent).await?.known {
            return Ok(agent);
        }
        Err(Error::NotFound { what: "agent", name: agent.name().to_owned() })
    }
}
