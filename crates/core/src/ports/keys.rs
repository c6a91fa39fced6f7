//! Port `Keys`: API keys for access from outside. A key belongs to a workspace, not to an agent, and may be bound to
//! some agents of the workspace.
//!
//! A store receives only the hash of the secret, never the secret. Callers compare hashes in constant time.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use crate::{Agent, Digest, Error, Result, Timestamp};

/// A key's identity and permissions, without its secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// The public part of the key, used to look up its row.
    pub id: String,
    /// A name by which people recognise the key.
    pub name: String,
    /// The workspace that the key gives access to.
    pub workspace: String,
    /// What the key permits.
    pub scopes: BTreeSet<Scope>,
    /// The agents that the key is bound to, each by [`Agent::key`], which stays the same when the agent is renamed. Empty
    /// means all agents of the workspace, including future ones.
    pub agents: Vec<String>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it expires; invalid from this instant on. `None` if it never does.
    pub expires_at: Option<Timestamp>,
    /// When it was revoked; `None` if it was not.
    pub revoked_at: Option<Timestamp>,
    /// Maximum tokens per UTC day of models that work on requests with this key; `None` if only other budgets limit them.
    pub daily_tokens: Option<u64>,
}

impl Key {
    /// Returns whether the key is valid at an instant: neither revoked nor expired.
    pub fn is_good(&self, now: Timestamp) -> bool {
        self.revoked_at.is_none() && self.expires_at.is_none_or(|expires_at| now < expires_at)
    }

    /// Returns whether the key gives access to an agent.
    pub fn opens(&self, agent: &Agent) -> bool {
        let bound = self.agents.is_empty() || self.agents.iter().any(|name| name == agent.key());
        self.workspace == agent.workspace() && bound
    }
}

/// A permission of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// Adding memories.
    Ingest,
    /// Reading memories.
    #[serde(alias = "read")]
    Search,
    /// Everything else, such as settings, forgetting and export. Includes the other scopes.
    #[serde(alias = "forget")]
    Admin,
}

impl Scope {
    /// All scopes.
    pub const ALL: [Scope; 3] = [Scope::Ingest, Scope::Search, Scope::Admin];

    /// Returns the word used in requests, configuration and stores.
    pub fn as_str(self) -> &'static str {
        match self {
            Scope::Ingest => "ingest",
            Scope::Search => "search",
            Scope::Admin => "admin",
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Scope {
    type Err = Error;

    /// Parses a scope. `read` and `forget` are former names of `search` and `admin`.
    fn from_str(word: &str) -> Result<Scope> {
        let word = match word {
            "read" => Scope::Search.as_str(),
            "forget" => Scope::Admin.as_str(),
            word => word,
        };
        let found = Scope::ALL.into_iter().find(|scope| scope.as_str() == word);
        found.ok_or_else(|| Error::invalid("scope", format!("is {word:?}; expected one of ingest, search, admin")))
    }
}

/// Keys of all workspaces. Each method is one transaction.
#[async_trait]
pub trait Keys: Send + Sync {
    /// Stores a key with the hash of its secret. [`Error::Invalid`] if the id is taken, even if by a revoked key.
    async fn add_key(&self, key: &Key, hash: &Digest) -> Result<()>;

    /// Returns all keys, including revoked and expired ones, sorted by creation, then by id.
    async fn keys(&self) -> Result<Vec<Key>>;

    /// Returns the key with that id and the hash of its secret, whether it is valid or not.
    async fn key(&self, id: &str) -> Result<Option<(Key, Digest)>>;

    /// Revokes a key. A key that is already revoked keeps its `revoked_at`. [`Error::NotFound`] if there is no key with
    /// that id.
    async fn revoke_key(&self, id: &str, now: Timestamp) -> Result<()>;

    /// Sets the limit of tokens per UTC day of a key; `None` removes it. Holds for the next call of a model.
    /// [`Error::NotFound`] if there is no key with that id.
    async fn set_daily_tokens(&self, id: &str, daily_tokens: Option<u64>) -> Result<()>;

    /// Returns the tokens that each key has used on the UTC day of `now`, without reservations. Leaves out keys that used none.
    async fn tokens_of_keys(&self, now: Timestamp) -> Result<BTreeMap<String, u64>>;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instant(hour: i64) -> Timestamp {
        Timestamp::from_second(3600 * hour).unwrap()
    }

    fn key() -> Key {
        Key {
            id: "k1".into(),
            name: "the phone".into(),
            workspace: "default".into(),
            scopes: BTreeSet::from(Scope::ALL),
            agents: Vec::new(),
            created_at: instant(0),
            expires_at: None,
            revoked_at: None,
            daily_tokens: None,
        }
    }

    #[test]
    fn key_is_valid_until_it_expires_or_is_revoked() {
        fn check(expires: Option<i64>, revoked: Option<i64>, expect: bool) {
            let key = Key { expires_at: expires.map(instant), revoked_at: revoked.map(instant), ..key() };
            assert_eq!(key.is_good(instant(2)), expect, "{expires:?} {revoked:?}");
        }
        check(None, None, true);
        check(Some(3), None, true);
        check(Some(2), None, false);
        check(Some(1), None, false);
        check(None, Some(1), false);
        // The clock went back after the revocation.
        check(Some(3), Some(3), false);
    }

    #[test]
    fn key_opens_only_bound_agents_of_its_workspace() {
        fn check(agents: &[&str], workspace: &str, name: &str, expect: bool) {
            let key = Key { agents: agents.iter().map(ToString::to_string).collect(), ..key() };
            let agent = Agent::in_workspace(workspace, name).unwrap();
            assert_eq!(key.opens(&agent), expect, "{agents:?} {workspace} {name}");
        }
        check(&[], "default", "ann", true);
        check(&["ann", "bob"], "default", "bob", true);
        check(&["ann"], "default", "bob", false);
        check(&["ann"], "default", "Ann", false);
        check(&[], "other", "ann", false);
        check(&["ann"], "other", "ann", false);
    }

    #[test]
    fn scope_words_round_trip() {
        for scope in Scope::ALL {
            assert_eq!(scope.to_string().parse::<Scope>().unwrap(), scope);
            assert_eq!(serde_json::to_string(&scope).unwrap(), format!("\"{scope}\""));
        }
        for (former, scope) in [("read", Scope::Search), ("forget", Scope::Admin)] {
            assert_eq!(former.parse::<Scope>().unwrap(), scope);
            assert_eq!(serde_json::from_str::<Scope>(&format!("\"{former}\"")).unwrap(), scope);
        }
        let error = "Admin".parse::<Scope>().unwrap_err().to_string();
        assert_eq!(error, "scope is \"Admin\"; expected one of ingest, search, admin");
    }
}
