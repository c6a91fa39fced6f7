//! Which agents there are, and whether one is.

use annals_core::{Agent, Error, Result};

use crate::Service;

impl Service {
    /// The agents of a workspace, by name.
    pub async fn agents(&self, workspace: &str) -> Result<Vec<Agent>> {
        let mut agents = self.catalog.agents().await?;
        agents.retain(|agent| agent.workspace() == workspace);
        Ok(agents)
    }

    /// The agent, if it is known; an error if not, so that a misspelt name is not an empty memory.
    pub async fn known(&self, agent: Agent) -> Result<Agent> {
        if self.catalog.standing(&agent).await?.known {
            return Ok(agent);
        }
        Err(Error::NotFound { what: "agent", name: agent.name().to_owned() })
    }
}
