//! Keys for access from outside: creates, lists, revokes and checks them. The secret of a key is returned once and never
//! stored.

use annals_core::ports::Key;
use annals_core::{Agent, Error, Result, Timestamp};

use crate::Service;
use crate::secret::{IssuedKey, PresentedKey, issue};
use crate::wire::{KeyView, NewKey};

impl Service {
    /// Creates a key. `fill` provides random bytes. Returns the key as it is shown to its owner once, and its view.
    pub async fn add_key(
        &self,
        request: NewKey,
        now: Timestamp,
        fill: impl Fn(&mut [u8]) -> std::result::Result<(), getrandom::Error>,
    ) -> Result<(IssuedKey, KeyView)> {
        if request.name.trim().is_empty() {
            return Err(Error::invalid("name", "is empty; it tells the keys in the list apart"));
        }
        // Names are checked now; otherwise only the holder of the key would notice that it gives access to nothing.
        Agent::in_workspace(&request.workspace, "a")?;
        let mut agents = Vec::new();
        for name in &request.agents {
            agents.push(self.parts.store.resolve_agent(&request.workspace, name).await?.key().to_owned());
        }
        if request.expires_at.is_some_and(|expires| expires <= now) {
            return Err(Error::invalid("expires_at", "is in the past"));
        }
        let issued = issue(fill)?;
        let NewKey { name, workspace, scopes, expires_at, .. } = request;
        let id = issued.id.clone();
        let key = Key { id, name, workspace, scopes, agents, created_at: now, expires_at, revoked_at: None };
        self.parts.store.add_key(&key, &issued.hash).await?;
        let view = self.key_view(&key, now).await?;
        Ok((issued, view))
    }

    /// Returns all keys, without their secrets.
    pub async fn keys(&self, now: Timestamp) -> Result<Vec<KeyView>> {
        let mut views = Vec::new();
        for key in self.parts.store.keys().await? {
            views.push(self.key_view(&key, now).await?);
        }
        Ok(views)
    }

    async fn key_view(&self, key: &Key, now: Timestamp) -> Result<KeyView> {
        let mut names = Vec::new();
        for agent in &key.agents {
            let found = self.parts.store.resolve_agent(&key.workspace, agent).await?;
            // Another agent may have got this name since. The key does not open it.
            names.push(if found.key() == agent { found.name().to_owned() } else { agent.clone() });
        }
        Ok(KeyView::new(key, names, now))
    }

    /// Revokes a key. Returns [`Error::NotFound`] if no key has the id.
    pub async fn revoke_key(&self, id: &str, now: Timestamp) -> Result<()> {
        self.parts.store.revoke_key(id, now).await
    }

    /// Returns the key that a client presents. `None` for an unknown id, a wrong secret, and a key that was revoked or has
    /// expired.
    pub async fn authenticate(&self, presented: &PresentedKey, now: Timestamp) -> Result<Option<Key>> {
        let found = self.parts.store.key(&presented.id).await?;
        Ok(found.and_then(|(key, hash)| (presented.is(&hash) && key.is_good(now)).then_some(key)))
    }

    /// Returns the key with this id if it is valid now. For sessions that a key has opened.
    pub async fn valid_key(&self, id: &str, now: Timestamp) -> Result<Option<Key>> {
        Ok(self.parts.store.key(id).await?.map(|(key, _)| key).filter(|key| key.is_good(now)))
    }

    /// Returns whether any key is not revoked. If so, every request over the network that is authenticated needs a key. An
    /// expired key counts, so that the passing of time alone never opens access.
    pub async fn has_unrevoked_key(&self) -> Result<bool> {
        Ok(self.parts.store.keys().await?.iter().any(|key| key.revoked_at.is_none()))
    }

    /// Returns whether any key is valid now. Without one nobody could call a service that requires keys.
    pub async fn has_valid_key(&self, now: Timestamp) -> Result<bool> {
        Ok(self.parts.store.keys().await?.iter().any(|key| key.is_good(now)))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use annals_core::ports::Scope;
    use annals_testkit::at;
    use secrecy::ExposeSecret;

    use super::*;
    use crate::fixture::{NOW, service};

    fn request(expires_at: Option<&str>) -> NewKey {
        NewKey {
            name: "phone".into(),
            workspace: "default".into(),
            scopes: [Scope::Search].into(),
            agents: vec!["ann".into()],
            expires_at: expires_at.map(at),
        }
    }

    #[tokio::test]
    async fn key_is_valid_until_it_expires_or_is_revoked() {
        let service = service(Arc::new(|| at(NOW)));
        assert!(!service.has_valid_key(at(NOW)).await.unwrap());
        let (issued, view) =
            service.add_key(request(Some("2026-03-11T00:00:00Z")), at(NOW), getrandom::fill).await.unwrap();
        assert!(view.good && view.id == issued.id);
        let presented = PresentedKey::parse(issued.text.expose_secret()).unwrap();
        assert_eq!(service.authenticate(&presented, at(NOW)).await.unwrap().map(|key| key.id), Some(view.id));
        let later = at("2026-03-12T00:00:00Z");
        assert!(service.authenticate(&presented, later).await.unwrap().is_none());
        assert!(!service.has_valid_key(later).await.unwrap() && service.has_unrevoked_key().await.unwrap());
        service.revoke_key(&issued.id, at(NOW)).await.unwrap();
        assert!(service.authenticate(&presented, at(NOW)).await.unwrap().is_none());
        assert!(!service.has_unrevoked_key().await.unwrap());
    }

    #[tokio::test]
    async fn key_with_a_wrong_name_or_a_past_end_is_refused_and_not_stored() {
        let service = service(Arc::new(|| at(NOW)));
        let wrong = NewKey { agents: vec![String::new()], ..request(None) };
        for request in [wrong, request(Some("2026-03-10T12:00:00Z"))] {
            assert!(service.add_key(request, at(NOW), getrandom::fill).await.is_err());
        }
        assert!(service.keys(at(NOW)).await.unwrap().is_empty());
    }
}
