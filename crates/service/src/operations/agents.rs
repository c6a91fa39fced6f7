//! The agents of a workspace: lists them, finds one by a present or former name, and renames one.

use annals_core::{Agent, Error, ObjectKind, Result, Timestamp, Zones};

use crate::wire::SettingsView;
use crate::{Caller, Service};

/// Number of agents that one query reads.
const PAGE: usize = 1000;

impl Service {
    /// Returns at most `limit` agents of a workspace for which `may_use` returns true, ordered by key ([`Agent::key`]). `after`
    /// is the name of the last agent of the page before.
    pub async fn agents(
        &self,
        workspace: &str,
        after: Option<&str>,
        limit: usize,
        may_use: impl Fn(&Agent) -> bool,
    ) -> Result<Vec<Agent>> {
        let mut after = match after {
            None | Some("") => None,
            Some(name) => Some(self.parts.store.resolve_agent(workspace, name).await?),
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

    /// Returns the agent with this present or former name, whether it exists or not. Fails with [`Error::NotFound`] if the
    /// caller may not use it, so that the caller does not learn whether it exists.
    pub async fn agent(&self, caller: &Caller, name: &str) -> Result<Agent> {
        let agent = self.parts.store.resolve_agent(caller.workspace(), name).await?;
        if caller.opens(&agent) {
            Ok(agent)
        } else {
            Err(Error::NotFound { what: ObjectKind::Agent, name: name.to_owned() })
        }
    }

    /// Gives an agent another name. Former names keep leading to it. Fails with [`Error::Exists`] if another agent of the
    /// workspace has or had the name.
    pub async fn rename_agent(&self, agent: &Agent, name: &str) -> Result<SettingsView> {
        let renamed = self.parts.store.rename_agent(agent, name).await?;
        tracing::info!(agent.folder = renamed.folder(), "renamed");
        self.settings(&renamed).await
    }

    pub async fn all_agents(&self) -> Result<Vec<Agent>> {
        self.parts.store.all_agents().await
    }

    /// Returns the agent that follows `after` in the order over all workspaces, or the first one. `None` after the last.
    pub async fn next_agent(&self, after: Option<&Agent>) -> Result<Option<Agent>> {
        self.parts.store.next_agent(after).await
    }

    /// Returns the agents that may have work for a roll-up at `now`: due periods, messages to read, or changes to index.
    pub async fn agents_with_work(&self, now: Timestamp) -> Result<Vec<Agent>> {
        self.parts.store.agents_with_work(now).await
    }

    /// Returns the agent of the default workspace with this name; fails if it does not exist. Without a name, returns the
    /// agents of all workspaces.
    pub async fn agents_named(&self, name: Option<&str>) -> Result<Vec<Agent>> {
        match name {
            Some(name) => Ok(vec![self.known(self.agent(&Caller::local(), name).await?).await?]),
            None => self.all_agents().await,
        }
    }

    pub async fn zones(&self, agent: &Agent) -> Result<Zones> {
        self.parts.store.settings(agent).await?.zones()
    }

    /// Returns the agent if it exists. Fails with [`Error::NotFound`] otherwise, so that a misspelt name does not look like an
    /// empty memory.
    pub async fn known(&self, agent: Agent) -> Result<Agent> {
        if self.parts.store.agent_state(&agent).await?.known {
            return Ok(agent);
        }
        Err(Error::NotFound { what: ObjectKind::Agent, name: agent.name().to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use annals_core::ports::{Key, Scope};
    use annals_testkit::{agent, at};

    use super::*;
    use crate::fixture::{NOW, service};
    use crate::wire::{NewKey, SettingsChange};

    #[tokio::test]
    async fn key_opens_a_renamed_agent_under_both_names() {
        let service = service(Arc::new(|| at(NOW)));
        for name in ["ann", "bob"] {
            service.create_agent(&agent(name), SettingsChange::default(), at(NOW)).await.unwrap();
        }
        let request = |agents: &[&str]| NewKey {
            name: "phone".into(),
            workspace: "default".into(),
            scopes: [Scope::Search].into(),
            agents: agents.iter().map(ToString::to_string).collect(),
            expires_at: None,
            daily_tokens: None,
        };
        let before = service.add_key(request(&["ann"]), at(NOW), getrandom::fill).await.unwrap().1;
        assert_eq!(service.rename_agent(&agent("ann"), "anna").await.unwrap().agent, "anna");
        let after = service.add_key(request(&["anna"]), at(NOW), getrandom::fill).await.unwrap().1;
        let former = service.add_key(request(&["ann"]), at(NOW), getrandom::fill).await.unwrap().1;
        for view in service.keys(at(NOW)).await.unwrap() {
            assert_eq!(view.agents, ["anna"]);
        }
        for id in [before.id, after.id, former.id] {
            let key: Key = service.valid_key(&id, at(NOW)).await.unwrap().unwrap();
            let caller = Caller::of(key);
            for name in ["ann", "anna"] {
                assert_eq!(service.agent(&caller, name).await.unwrap().name(), "anna");
            }
            let error = service.agent(&caller, "bob").await.unwrap_err().to_string();
            assert_eq!(error, "there is no agent \"bob\"");
        }
    }

    #[tokio::test]
    async fn key_for_a_name_that_another_agent_gets_later_does_not_open_it() {
        let service = service(Arc::new(|| at(NOW)));
        service.create_agent(&agent("ann"), SettingsChange::default(), at(NOW)).await.unwrap();
        let early = NewKey {
            name: "early".into(),
            workspace: "default".into(),
            scopes: [Scope::Search].into(),
            agents: vec!["anna".into()],
            expires_at: None,
            daily_tokens: None,
        };
        let view = service.add_key(early, at(NOW), getrandom::fill).await.unwrap().1;
        service.rename_agent(&agent("ann"), "anna").await.unwrap();
        let caller = Caller::of(service.valid_key(&view.id, at(NOW)).await.unwrap().unwrap());
        assert!(service.agent(&caller, "anna").await.is_err());
    }
}
