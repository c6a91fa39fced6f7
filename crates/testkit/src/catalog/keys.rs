//! Port `Keys`: API keys of the service.

use std::collections::BTreeMap;

use annals_core::ports::{Key, Keys, budget_day};
use annals_core::{Digest, Error, ObjectKind, Result, Timestamp};
use async_trait::async_trait;

use super::MemoryCatalog;

#[async_trait]
impl Keys for MemoryCatalog {
    async fn add_key(&self, key: &Key, hash: &Digest) -> Result<()> {
        let keys = &mut self.state().keys;
        if keys.contains_key(&key.id) {
            return Err(Error::invalid("id", "is taken by another key"));
        }
        keys.insert(key.id.clone(), (key.clone(), *hash));
        Ok(())
    }

    async fn keys(&self) -> Result<Vec<Key>> {
        let mut keys: Vec<Key> = self.state().keys.values().map(|(key, _)| key.clone()).collect();
        keys.sort_by(|a, b| (a.created_at, &a.id).cmp(&(b.created_at, &b.id)));
        Ok(keys)
    }

    async fn key(&self, id: &str) -> Result<Option<(Key, Digest)>> {
        Ok(self.state().keys.get(id).cloned())
    }

    async fn revoke_key(&self, id: &str, now: Timestamp) -> Result<()> {
        match self.state().keys.get_mut(id) {
            Some((key, _)) => {
                key.revoked_at.get_or_insert(now);
                Ok(())
            }
            None => Err(Error::NotFound { what: ObjectKind::Key, name: id.to_owned() }),
        }
    }

    async fn set_daily_tokens(&self, id: &str, daily_tokens: Option<u64>) -> Result<()> {
        match self.state().keys.get_mut(id) {
            Some((key, _)) => {
                key.daily_tokens = daily_tokens;
                Ok(())
            }
            None => Err(Error::NotFound { what: ObjectKind::Key, name: id.to_owned() }),
        }
    }

    async fn tokens_of_keys(&self, now: Timestamp) -> Result<BTreeMap<String, u64>> {
        let (state, today) = (self.state(), budget_day(now));
        let booked = state.key_usage.iter().filter(|((_, day), _)| *day == today);
        Ok(booked.map(|((id, _), tokens)| (id.clone(), *tokens)).collect())
    }
}
