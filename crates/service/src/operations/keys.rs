//! Keys for access from outside: creates, lists, limits, revokes and checks them. The secret of a key is returned once and never
//! stored.

use annals_core::ports::Key;
use annals_core::{Agent, Error, Result, Timestamp};

use super::settings::MAX_TOKENS;
use crate::Service;
use crate::secret::{IssuedKey, PresentedKey, issue};
use crate::wire::{KeyView, NewKey};

impl Service {
    /// Creates a key. `fill` provides random bytes. Returns the key with its secret, to be shown once, and the view without it.
    /// Fails if the name is empty, the expiry is in the past, the limit is too large, or a name of an agent or workspace is not
    /// allowed.
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
        check_limit(request.daily_tokens)?;
        let issued = issue(fill)?;
        let NewKey { name, workspace, scopes, expires_at, daily_tokens, .. } = request;
        let id = issued.id.clone();
        let key =
            Key { id, name, workspace, scopes, agents, created_at: now, expires_at, revoked_at: None, daily_tokens };
        self.parts.store.add_key(&key, &issued.hash).await?;
        let view = self.key_view(&key, 0, now).await?;
        Ok((issued, view))
    }

    /// Returns all keys, without their secrets.
    pub async fn keys(&self, now: Timestamp) -> Result<Vec<KeyView>> {
        let used = self.parts.store.tokens_of_keys(now).await?;
        let mut views = Vec::new();
        for key in self.parts.store.keys().await? {
            views.push(self.key_view(&key, used.get(&key.id).copied().unwrap_or_default(), now).await?);
        }
        Ok(views)
    }

    async fn key_view(&self, key: &Key, tokens_today: u64, now: Timestamp) -> Result<KeyView> {
        let mut names = Vec::new();
        for agent in &key.agents {
            let found = self.parts.store.resolve_agent(&key.workspace, agent).await?;
            // The name may belong to another agent since, which the key may not use. Then the key of the agent is shown.
            names.push(if found.key() == agent { found.name().to_owned() } else { agent.clone() });
        }
        Ok(KeyView::new(key, names, tokens_today, now))
    }

    /// Revokes a key. Fails with [`Error::NotFound`] if no key has the id.
    pub async fn revoke_key(&self, id: &str, now: Timestamp) -> Result<()> {
        self.parts.store.revoke_key(id, now).await
    }

    /// Sets how many tokens of models requests with a key may use per UTC day; `None` removes the limit. Fails with
    /// [`Error::NotFound`] if no key has the id.
    pub async fn limit_key(&self, id: &str, daily_tokens: Option<u64>) -> Result<()> {
        check_limit(daily_tokens)?;
        self.parts.store.set_daily_tokens(id, daily_tokens).await
    }

    /// Returns the permissions of the key that a client sent. `None` if the id is unknown, the secret is wrong, or the key is
    /// revoked or expired.
    pub async fn authenticate(&self, presented: &PresentedKey, now: Timestamp) -> Result<Option<Key>> {
        let found = self.parts.store.key(&presented.id).await?;
        Ok(found.and_then(|(key, hash)| (presented.is(&hash) && key.is_good(now)).then_some(key)))
    }

    /// Returns the key with this id if it is valid now. Checks no secret: a session that was opened with the key calls this.
    pub async fn valid_key(&self, id: &str, now: Timestamp) -> Result<Option<Key>> {
        Ok(self.parts.store.key(id).await?.map(|(key, _)| key).filter(|key| key.is_good(now)))
    }

    /// Returns whether a key exists that was not revoked. Requests over the network then need a key. An expired key counts too,
    /// so that the passing of time alone never opens access.
    pub async fn has_unrevoked_key(&self) -> Result<bool> {
        Ok(self.parts.store.keys().await?.iter().any(|key| key.revoked_at.is_none()))
    }

    /// Returns whether a key is valid now. Without one, nobody could call a service that requires keys.
    pub async fn has_valid_key(&self, now: Timestamp) -> Result<bool> {
        Ok(self.parts.store.keys().await?.iter().any(|key| key.is_good(now)))
    }
}

fn check_limit(daily_tokens: Option<u64>) -> Result<()> {
    match daily_tokens {
        Some(tokens) if tokens > MAX_TOKENS => Err(Error::invalid("daily_tokens", format!("is above {MAX_TOKENS}"))),
        _ => Ok(()),
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
            daily_tokens: None,
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
        let unlimited = NewKey { daily_tokens: Some(MAX_TOKENS + 1), ..request(None) };
        for request in [wrong, unlimited, request(Some("2026-03-10T12:00:00Z"))] {
            assert!(service.add_key(request, at(NOW), getrandom::fill).await.is_err());
        }
        assert!(service.keys(at(NOW)).await.unwrap().is_empty());
    }

    #[tokio::test]
    async fn limit_of_a_key_is_set_changed_and_removed() {
        let service = service(Arc::new(|| at(NOW)));
        let limited = NewKey { daily_tokens: Some(10), ..request(None) };
        let (_, view) = service.add_key(limited, at(NOW), getrandom::fill).await.unwrap();
        assert_eq!((view.daily_tokens, view.tokens_today), (Some(10), 0));
        for limit in [Some(0), None, Some(MAX_TOKENS)] {
            service.limit_key(&view.id, limit).await.unwrap();
            assert_eq!(service.keys(at(NOW)).await.unwrap()[0].daily_tokens, limit);
        }
        let error = service.limit_key(&view.id, Some(MAX_TOKENS + 1)).await.unwrap_err();
        assert_eq!(error.to_string(), "daily_tokens is above 1000000000");
        let error = service.limit_key("none", None).await.unwrap_err();
        assert!(matches!(error, Error::NotFound { .. }), "{error}");
    }
}
