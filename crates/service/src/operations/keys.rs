//! Keys for access from outside: creates, lists, revokes and checks them. The secret of a key is returned once and never stored.

use annals_core::ports::Key;
use annals_core::{Agent, Error, Result, Timestamp};

use crate::Service;
use crate::secret::{Issued, Presented, issue};
use crate::wire::{KeyView, NewKey};

impl Service {
    /// Creates a key. `fill` provides random bytes. Returns the key as it is shown to its owner once, and its view.
    pub async fn add_key(
        &self,
        request: NewKey,
        now: Timestamp,
        fill: impl Fn(&mut [u8]) -> std::result::Result<(), getrandom::Error>,
    ) -> Result<(Issued, KeyView)> {
        // Names are checked now; otherwise only the holder of the key would notice that it opens nothing.
        Agent::in_workspace(&request.workspace, "a")?;
        for agent in &request.agents {
            Agent::in_workspace(&request.workspace, agent)?;
        }
        if request.expires_at.is_some_and(|expires| expires <= now) {
            return Err(Error::invalid("--expires", "is in the past"));
        }
        let issued = issue(fill)?;
        let NewKey { name, workspace, scopes, agents, expires_at } = request;
        let id = issued.id.clone();
        let key = Key { id, name, workspace, scopes, agents, created_at: now, expires_at, revoked_at: None };
        self.parts.store.add_key(&key, &issued.hash).await?;
        Ok((issued, KeyView::new(&key, now)))
    }

    /// Returns all keys, without their secrets.
    pub async fn keys(&self, now: Timestamp) -> Result<Vec<KeyView>> {
        Ok(self.parts.store.keys().await?.iter().map(|key| KeyView::new(key, now)).collect())
    }

    /// Revokes a key.
    pub async fn revoke_key(&self, id: &str, now: Timestamp) -> Result<()> {
        self.parts.store.revoke_key(id, now).await
    }

    /// Returns the key that a client presents. `None` for an unknown id, a wrong secret, and a key that was revoked or has
    /// expired.
    pub async fn authenticate(&self, presented: &Presented, now: Timestamp) -> Result<Option<Key>> {
        let found = self.parts.store.key(&presented.id).await?;
        Ok(found.and_then(|(key, hash)| (presented.is(&hash) && key.is_good(now)).then_some(key)))
    }

    /// Returns whether any key is not revoked. If so, every request needs a key. An expired key counts, so that the passing of
    /// time alone never opens access.
    pub async fn has_unrevoked_key(&self) -> Result<bool> {
        Ok(self.parts.store.keys().await?.iter().any(|key| key.revoked_at.is_none()))
    }

    /// Returns whether any key is valid now. Without one nobody could call a service that requires keys.
    pub async fn has_valid_key(&self, now: Timestamp) -> Result<bool> {
        Ok(self.parts.store.keys().await?.iter().any(|key| key.is_good(now)))
    }
}
