//! The caller of a request: the holder of a key, or a local caller without one.

use std::collections::BTreeSet;

use annals_core::ports::{Key, Scope};
use annals_core::{Agent, Error, ObjectKind, Result};

/// The caller of a request, with its permissions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// Id of the key. None for a local caller.
    pub key: Option<String>,
    workspace: String,
    scopes: BTreeSet<Scope>,
    agents: Vec<String>,
}

impl Caller {
    /// Returns the local caller, who has no key: the default workspace with all scopes.
    pub fn local() -> Caller {
        Caller { key: None, workspace: "default".to_owned(), scopes: Scope::ALL.into(), agents: Vec::new() }
    }

    /// Restricts the caller to these scopes.
    pub fn with_scopes(self, scopes: &[Scope]) -> Caller {
        let scopes = scopes.iter().copied().filter(|scope| self.may(*scope)).collect();
        Caller { scopes, ..self }
    }

    /// Creates the caller who holds this key.
    pub fn of(key: Key) -> Caller {
        Caller { key: Some(key.id), workspace: key.workspace, scopes: key.scopes, agents: key.agents }
    }

    /// Returns the workspace to which all operations of the caller are confined.
    pub fn workspace(&self) -> &str {
        &self.workspace
    }

    /// Returns whether the caller has the scope. `admin` includes all others.
    pub fn may(&self, scope: Scope) -> bool {
        self.scopes.contains(&scope) || self.scopes.contains(&Scope::Admin)
    }

    /// Returns whether the caller may use an agent.
    pub fn opens(&self, agent: &Agent) -> bool {
        let bound = self.agents.is_empty() || self.agents.iter().any(|name| name == agent.name());
        self.workspace == agent.workspace() && bound
    }

    /// Returns whether the caller may see data of the whole process, such as metrics.
    pub fn sees_all(&self) -> bool {
        self.workspace == Caller::local().workspace && self.agents.is_empty()
    }

    /// Returns the agent with that name, whether it exists or not. For an agent that the caller may not use, the error is the
    /// same as for one that does not exist.
    pub fn agent(&self, name: &str) -> Result<Agent> {
        let agent = Agent::in_workspace(&self.workspace, name)?;
        if self.opens(&agent) {
            Ok(agent)
        } else {
            Err(Error::NotFound { what: ObjectKind::Agent, name: name.to_owned() })
        }
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
    fn admin_includes_other_scopes_and_no_scope_includes_admin() {
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
    fn agent_outside_the_key_is_not_found() {
        let bound = caller(&[Scope::Search], &["ann"]);
        assert_eq!(bound.agent("ann").unwrap(), Agent::in_workspace("w", "ann").unwrap());
        assert_eq!(bound.agent("bob").unwrap_err().to_string(), "there is no agent \"bob\"");
        assert!(caller(&[Scope::Search], &[]).agent("bob").is_ok());
        assert!(Caller::local().opens(&Agent::new("bob").unwrap()));
        assert!(!Caller::local().opens(&Agent::in_workspace("w", "bob").unwrap()));
    }
}
