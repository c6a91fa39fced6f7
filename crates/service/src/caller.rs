//! The caller of a request: the holder of a key, or a local caller without one.

use std::collections::BTreeSet;

use annals_core::Agent;
use annals_core::ports::{Key, Scope};

/// The caller of a request, with its permissions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// Id of the key; `None` for a local caller.
    pub key: Option<String>,
    workspace: String,
    scopes: BTreeSet<Scope>,
    /// Keys ([`Agent::key`]) of the agents that the caller may use; empty if it may use all of its workspace.
    agents: Vec<String>,
}

impl Caller {
    /// Returns the local caller, who has no key: the default workspace with all scopes.
    pub fn local() -> Caller {
        Caller { key: None, workspace: "default".to_owned(), scopes: Scope::ALL.into(), agents: Vec::new() }
    }

    /// Restricts the caller to those of the scopes that it has.
    pub fn with_scopes(self, scopes: &[Scope]) -> Caller {
        let scopes = scopes.iter().copied().filter(|scope| self.may(*scope)).collect();
        Caller { scopes, ..self }
    }

    /// Creates a caller with the permissions of a key.
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

    /// Returns whether the agent is in the caller's workspace and is one of the caller's agents, if these are restricted.
    pub fn opens(&self, agent: &Agent) -> bool {
        let bound = self.agents.is_empty() || self.agents.iter().any(|name| name == agent.key());
        self.workspace == agent.workspace() && bound
    }

    /// Returns whether the caller may see data of the whole process, such as metrics: in the default workspace, without a
    /// restriction to some agents.
    pub fn sees_all(&self) -> bool {
        self.workspace == Caller::local().workspace && self.agents.is_empty()
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
            daily_tokens: None,
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
    fn caller_opens_the_agents_of_its_key_whatever_their_names_are_now() {
        let agent = |name: &str| Agent::in_workspace("w", name).unwrap();
        let bound = caller(&[Scope::Search], &["ann"]);
        assert!(bound.opens(&agent("ann")) && bound.opens(&agent("ann").renamed("bob").unwrap()));
        assert!(!bound.opens(&agent("bob")) && !bound.opens(&agent("bob").renamed("ann").unwrap()));
        assert!(caller(&[Scope::Search], &[]).opens(&agent("bob")));
        assert!(Caller::local().opens(&Agent::new("bob").unwrap()));
        assert!(!Caller::local().opens(&agent("bob")));
    }
}
