//! The agents of a workspace, and whether an agent exists.

use annals_core::{Agent, Error, Result};

use crate::Service;

impl Service {
    /// Returns the agents of a workspace, by name.
    pub async fn agents(&self, workspace: &str) -> Result<Vec<Agent>> {
        let mut agents = self.store.agents().await?;
        agents.retain(|agent| agent.workspace() == workspace);
        Ok(agents)
    }

    /// Returns the agent if it exists, or [`Error::NotFound`], so that a misspelt name does not look like an empty memory.
    pub async fn known(&self, agent: Agent) -> Result<Agent> {
        if self.store.agent_state(&agent).await?.known {
            return Ok(agent);
        }
        Err(Error::NotFound { what: "agent", name: agent.name().to_owned() })
    }
}
