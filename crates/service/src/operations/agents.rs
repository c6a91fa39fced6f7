//! The agents of a workspace, and whether an agent exists.

use annals_core::{Agent, Error, Result};

use crate::Service;

/// Agents that are read at once.
const PAGE: usize = 1000;

impl Service {
    /// Returns the agents of a workspace that the caller may use, by name, after the given name; at most `limit`.
    pub async fn agents(
        &self,
        workspace: &str,
        after: Option<&str>,
        limit: usize,
        may_use: impl Fn(&Agent) -> bool,
    ) -> Result<Vec<Agent>> {
        let mut after = match after {
            None | Some("") => None,
            Some(name) => Some(Agent::in_workspace(workspace, name)?),
        };
        let mut found = Vec::new();
        while found.len() < limit {
            let page = self.store.agents(Some(workspace), after.as_ref(), PAGE).await?;
            let Some(last) = page.last() else { break };
            after = Some(last.clone());
            found.extend(page.into_iter().filter(&may_use));
        }
        found.truncate(limit);
        Ok(found)
    }

    /// Returns the agent if it exists, or [`Error::NotFound`], so that a misspelt name does not look like an empty memory.
    pub async fn known(&self, agent: Agent) -> Result<Agent> {
        if self.store.agent_state(&agent).await?.known {
            return Ok(agent);
        }
        Err(Error::NotFound { what: "agent", name: agent.name().to_owned() })
    }
}
