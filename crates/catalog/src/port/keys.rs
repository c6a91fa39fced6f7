//! Implements port `Keys`.

use annals_core::ports::{Key, Keys};
use annals_core::{Digest, Result, Timestamp};
use async_trait::async_trait;

use crate::{SqliteCatalog, keys};

#[async_trait]
impl Keys for SqliteCatalog {
    async fn add_key(&self, key: &Key, hash: &Digest) -> Result<()> {
        let (key, hash) = (key.clone(), *hash);
        self.thread.write("adding a key", move |c| keys::add(c, &key, &hash)).await
    }

    async fn keys(&self) -> Result<Vec<Key>> {
        self.thread.read("listing keys", keys::all).await
    }

    async fn key(&self, id: &str) -> Result<Option<(Key, Digest)>> {
        let id = id.to_owned();
        self.thread.read("reading a key", move |c| keys::key(c, &id)).await
    }

    async fn revoke_key(&self, id: &str, now: Timestamp) -> Result<()> {
        let id = id.to_owned();
        self.thread.write("revoking a key", move |c| keys::revoke(c, &id, now)).await
    }
}
