//! The one who asks: a key, or whoever sits at the machine.

use std::collections::BTreeSet;

use annals_core::ports::{Key, Scope};
use annals_core::{Agent, Error, Result};

/// Who asks, as far as it matters to what they may do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// Id of the key; none for whoever sits at the machine.
    pub key: Option<String>,
    workspace: String,
    scopes: BTreeSet<Scope>,
    agents: Vec<String>,
}

impl Caller {
    /// Whoever sits at the machine, where no keys were made: the default workspace, and everything in it.
    pub fn local() -> Caller {
        Caller { key: None, workspace: "default".to_owned(), scopes: Scope::ALL.into(), agents: Vec::new() }
    }

    /// The same with no more than these scopes.
    pub fn with_scopes(self, scopes: &[Scope]) -> Caller {
        let scopes = scopes.iter().copied().filter(|scope| self.may(*scope)).collect();
        Caller { scopes, ..self }
    }

    /// Who holds a key.
    pub fn of(key: Key) -> Caller {
        Caller { key: Some(key.id), workspace: key.workspace, scopes: key.scopes, agents: key.agents }
    }

    /// The workspace that everything happens in.
    pub fn workspace(&self) -> &str {
        &self.workspace
    }

    /// Whether the scope is among those of the key. Who may administer may also add and read.
    pub fn may(&self, scope: Scope) -> bool {
        self.scopes.contains(&scope) || self.scopes.contains(&Scope::Admin)
    }

    /// Whether an agent is one that the caller may use.
    pub fn opens(&self, agent: &Agent) -> bool {
        let bound = self.agents.is_empty() || self.agents.iter().any(|name| name == agent.name());
        self.workspace == agent.workspace() && bound
    }

    /// Whether what is told of the whole process may be told to them.
    pub fn sees_all(&self) -> bool {
        self.workspace == Caller::local().workspace && self.agents.is_empty()
    }

    /// The agent of that name, whether it exists or not; one that the caller may not use is as one that does not exist.
    pub fn agent(&self, name: &str) -> Result<Agent> {
        let agent = Agent::in_workspace(&self.workspace, name)?;
        if self.opens(&agent) { Ok(agent) } else { Err(Error::NotFound { what: "agent", name: name.to_owned() }) }
    }
}

#[cfg(test)]
mod tests {
    use annals_core::Timestamp;

    use super::*;

    fn caller(scopes: &[Scope], agents: &[&str]) -> Caller {
        Caller::of(Key {
            id: "k".into(),
            name: "phone".into(),
            workspace: "w".into(),
            scopes: scopes.iter().copied().collect(),
            agents: agents.iter().map(ToString::to_string).collect(),
            created_at: Timestamp::UNIX_EPOCH,
            expires_at: None,
            revoked_at: None,
        })
    }

    #[test]
    fn admin_includes_the_others_and_none_includes_admin() {
        fn check(has: Scope, asks: Scope, expect: bool) {
            assert_eq!(caller(&[has], &[]).may(asks), expect, "{has} {asks}");
        }
        for scope in Scope::ALL {
            check(scope, scope, true);
            check(Scope::Admin, scope, true);
        }
        check(Scope::Ingest, Scope::Search, false);
        check(Scope::Search, Scope::Ingest, false);
        check(Scope::Ingest, Scope::Admin, false);
        check(Scope::Search, Scope::Admin, false);
    }

    #[test]
    fn an_agent_that_is_not_the_keys_does_not_exist() {
        let bound = caller(&[Scope::Search], &["ann"]);
        assert_eq!(bound.agent("ann").unwrap(), Agent::in_workspace("w", "ann").unwrap());
        assert_eq!(bound.agent("bob").unwrap_err().to_string(), "there is no agent \"bob\"");
        assert!(caller(&[Scope::Search], &[]).agent("bob").is_ok());
        assert!(Caller::local().opens(&Agent::new("bob").unwrap()));
        assert!(!Caller::local().opens(&Agent::in_workspace("w", "bob").unwrap()));
    }
}
