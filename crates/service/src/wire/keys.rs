//! Keys for access from outside. The secret of a key is in one answer only: the one to the request that creates it.

use std::collections::BTreeSet;

use annals_core::Timestamp;
use annals_core::ports::{Key, Scope};
use serde::{Deserialize, Serialize};

/// A request for a new key.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct NewKey {
    /// A name for the key.
    pub name: String,
    /// The workspace that the key opens.
    pub workspace: String,
    /// Allowed scopes.
    pub scopes: BTreeSet<Scope>,
    /// Only these agents; empty for all agents of the workspace.
    pub agents: Vec<String>,
    /// The time from which the key is no longer valid.
    pub expires_at: Option<Timestamp>,
}

/// A new key, with its secret. Has no `Debug`, so that the secret is not logged.
#[derive(Clone, Serialize, Deserialize)]
pub struct NewKeyAnswer {
    /// The key without its secret.
    #[serde(flatten)]
    pub view: KeyView,
    /// The key as its owner presents it.
    pub key: String,
}

/// A key without its secret.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct KeyView {
    /// Public id of the key.
    pub id: String,
    /// Its name.
    pub name: String,
    /// The workspace that it opens.
    pub workspace: String,
    /// Allowed scopes.
    pub scopes: BTreeSet<Scope>,
    /// Only these agents; empty for all agents of the workspace.
    pub agents: Vec<String>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it expires.
    pub expires_at: Option<Timestamp>,
    /// When it was revoked.
    pub revoked_at: Option<Timestamp>,
    /// Whether it is valid now.
    pub good: bool,
}

impl KeyView {
    /// Builds the view of a key at this time. `agents` holds the names of its agents.
    pub fn new(key: &Key, agents: Vec<String>, now: Timestamp) -> KeyView {
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
        }
    }
}
