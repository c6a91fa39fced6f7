//! Keys for access from outside. The secret of a key is in one answer only: the one to the request that creates it.

use std::collections::BTreeSet;

use annals_core::Timestamp;
use annals_core::ports::{Key, Scope};
use serde::{Deserialize, Serialize};

/// A request for a new key.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct NewKey {
    /// A name that tells people what the key is for. It need not be unique.
    pub name: String,
    /// The workspace of the key. The key can be used only for agents in it.
    pub workspace: String,
    /// Groups of operations that the key allows.
    pub scopes: BTreeSet<Scope>,
    /// Names of the agents that the key may use; empty for all agents of the workspace.
    pub agents: Vec<String>,
    /// Time from which the key is no longer valid; `None` if it stays valid until it is revoked.
    pub expires_at: Option<Timestamp>,
    /// Maximum tokens of models per UTC day for requests with the key; `None` if only other budgets limit them.
    #[serde(default)]
    pub daily_tokens: Option<u64>,
}

/// A new key, with its secret. Has no `Debug`, so that the secret is not logged.
#[derive(Clone, Serialize, Deserialize)]
pub struct NewKeyAnswer {
    /// The key without its secret.
    #[serde(flatten)]
    pub view: KeyView,
    /// The whole key, as its owner sends it with requests. It cannot be shown again.
    pub key: String,
}

/// A key without its secret.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct KeyView {
    /// Public id, which is also a part of the key.
    pub id: String,
    /// Name that was given when the key was created.
    pub name: String,
    /// The workspace of the key. The key can be used only for agents in it.
    pub workspace: String,
    /// Groups of operations that the key allows.
    pub scopes: BTreeSet<Scope>,
    /// Current names of the agents that the key may use; empty for all agents of the workspace.
    pub agents: Vec<String>,
    /// When the key was created.
    pub created_at: Timestamp,
    /// When the key expires; `None` if it never does.
    pub expires_at: Option<Timestamp>,
    /// When the key was revoked; `None` if it was not.
    pub revoked_at: Option<Timestamp>,
    /// Whether the key is valid now: neither expired nor revoked.
    pub good: bool,
    /// Maximum tokens of models per UTC day for requests with the key; `None` if only other budgets limit them.
    #[serde(default)]
    pub daily_tokens: Option<u64>,
    /// Tokens that models have used for requests with the key on the present UTC day.
    #[serde(default)]
    pub tokens_today: u64,
}

impl KeyView {
    /// Builds the view of a key at the time `now`. `agents` are the current names of the agents that the key may use,
    /// `tokens_today` the tokens that it has used on this UTC day.
    pub fn new(key: &Key, agents: Vec<String>, tokens_today: u64, now: Timestamp) -> KeyView {
        KeyView {
            id: key.id.clone(),
            name: key.name.clone(),
            workspace: key.workspace.clone(),
            scopes: key.scopes.clone(),
            agents,
            created_at: key.created_at,
            expires_at: key.expires_at,
            revoked_at: key.revoked_at,
            good: key.is_good(now),
            daily_tokens: key.daily_tokens,
            tokens_today,
        }
    }
}
