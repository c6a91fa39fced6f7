//! The agents of a workspace, and whether an agent exists.

use annals_core::{Agent, Error, ObjectKind, Result, Timestamp, Zones};

use crate::Service;

/// Number of agents that one query reads.
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
            let page = self.parts.store.agents(Some(workspace), after.as_ref(), PAGE).await?;
            let Some(last) = page.last() else { break };
            after = Some(last.clone());
            found.extend(page.into_iter().filter(&may_use));
        }
        found.truncate(limit);
        Ok(found)
    }

    /// Returns the agents of all workspaces.
    pub async fn all_agents(&self) -> Result<Vec<Agent>> {
        self.parts.store.all_agents().await
    }

    /// Returns the agent that follows this one, over all workspaces, or the first agent. `None` after the last.
    pub async fn next_agent(&self, after: Option<&Agent>) -> Result<Option<Agent>> {
        self.parts.store.next_agent(after).await
    }

    /// Returns the agents that may have work for a roll-up.
    pub async fn agents_with_work(&self, now: Timestamp) -> Result<Vec<Agent>> {
        self.parts.store.agents_with_work(now).await
    }

    /// Returns the agent of this name, of the default workspace, which must exist; without a name, returns the agents of all
    /// workspaces.
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
        Err(Error::NotFound { what: ObjectKind::Agent, name: agent.name().to_owned() })
    }
}
