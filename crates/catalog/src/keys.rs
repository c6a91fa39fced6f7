//! Keys of the service: their metadata, the hash of the secret, and the limit of tokens.

use std::collections::BTreeMap;

use annals_core::ports::{Key, Keys};
use annals_core::{Digest, Error, ObjectKind, Timestamp};
use async_trait::async_trait;

use crate::columns::{instant, json, maybe_instant, micros, signed, to_json};
use crate::db::{Db, Result, Row, params};
use crate::{Backend, SqlCatalog, key_tokens};

#[async_trait]
impl<B: Backend> Keys for SqlCatalog<B> {
    async fn add_key(&self, key: &Key, hash: &Digest) -> annals_core::Result<()> {
        let (key, hash) = (key.clone(), *hash);
        self.thread.write("adding a key", move |c| add(c, &key, &hash)).await
    }

    async fn keys(&self) -> annals_core::Result<Vec<Key>> {
        self.thread.read("listing keys", all).await
    }

    async fn key(&self, id: &str) -> annals_core::Result<Option<(Key, Digest)>> {
        let id = id.to_owned();
        self.thread.read("reading a key", move |c| key(c, &id)).await
    }

    async fn revoke_key(&self, id: &str, now: Timestamp) -> annals_core::Result<()> {
        let id = id.to_owned();
        self.thread.write("revoking a key", move |c| revoke(c, &id, now)).await
    }

    async fn set_daily_tokens(&self, id: &str, daily_tokens: Option<u64>) -> annals_core::Result<()> {
        let id = id.to_owned();
        self.thread.write("limiting a key", move |c| limit(c, &id, daily_tokens)).await
    }

    async fn tokens_of_keys(&self, now: Timestamp) -> annals_core::Result<BTreeMap<String, u64>> {
        self.thread.read("reading tokens of keys", move |c| key_tokens::of_day(c, now)).await
    }
}

/// Stores a key with the hash of its secret. Fails with `Invalid` if another key has the id.
pub(crate) fn add(db: &dyn Db, key: &Key, hash: &Digest) -> Result<()> {
    let sql = "INSERT INTO access_key (id, name, workspace, scopes, agents, hash, created_at, expires_at, revoked_at,
            daily_tokens)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
        ON CONFLICT (id) DO NOTHING";
    let added = db.execute(
        sql,
        params![
            key.id,
            key.name,
            key.workspace,
            to_json(&key.scopes),
            to_json(&key.agents),
            hash.0,
            micros(key.created_at),
            key.expires_at.map(micros),
            key.revoked_at.map(micros),
            key.daily_tokens.map(signed),
        ],
    )?;
    if added == 0 { Err(Error::invalid("id", "is taken by another key").into()) } else { Ok(()) }
}

/// Returns all keys, in order of creation.
pub(crate) fn all(db: &dyn Db) -> Result<Vec<Key>> {
    db.query("SELECT * FROM access_key ORDER BY created_at, id", &[], read)
}

/// Returns the key of that id with the hash of its secret.
pub(crate) fn key(db: &dyn Db, id: &str) -> Result<Option<(Key, Digest)>> {
    db.query_optional("SELECT * FROM access_key WHERE id = ?1", params![id], |row| {
        Ok((read(row)?, Digest(row.get("hash")?)))
    })
}

/// Revokes a key. A key that is already revoked keeps the instant of its revocation. Fails with `NotFound` if there is no key
/// with this id.
pub(crate) fn revoke(db: &dyn Db, id: &str, now: Timestamp) -> Result<()> {
    let sql = "UPDATE access_key SET revoked_at = coalesce(revoked_at, ?2) WHERE id = ?1";
    found(id, db.execute(sql, params![id, micros(now)])?)
}

fn limit(db: &dyn Db, id: &str, daily_tokens: Option<u64>) -> Result<()> {
    let sql = "UPDATE access_key SET daily_tokens = ?2 WHERE id = ?1";
    found(id, db.execute(sql, params![id, daily_tokens.map(signed)])?)
}

/// Fails with `NotFound` if a change found no key with this id.
fn found(id: &str, changed: u64) -> Result<()> {
    if changed == 0 { Err(Error::NotFound { what: ObjectKind::Key, name: id.to_owned() }.into()) } else { Ok(()) }
}

fn read(row: &Row) -> Result<Key> {
    Ok(Key {
        id: row.get("id")?,
        name: row.get("name")?,
        workspace: row.get("workspace")?,
        scopes: json(row, "scopes")?,
        agents: json(row, "agents")?,
        created_at: instant(row, "created_at")?,
        expires_at: maybe_instant(row, "expires_at")?,
        revoked_at: maybe_instant(row, "revoked_at")?,
        daily_tokens: row.get::<Option<i64>>("daily_tokens")?.map(i64::unsigned_abs),
    })
}
