//! Keys of the service: their metadata, and the hash of the secret.

use annals_core::ports::Key;
use annals_core::{Digest, Error, Timestamp};

use crate::columns::{instant, json, maybe_instant, micros, to_json};
use crate::db::{Db, Row, params};
use crate::failure::Result;

/// Stores a key with the hash of its secret.
pub(crate) fn add(db: &dyn Db, key: &Key, hash: &Digest) -> Result<()> {
    let added = db.execute(
        include_str!("sql/add_key.sql"),
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

/// Revokes a key. One that is already revoked keeps its instant.
pub(crate) fn revoke(db: &dyn Db, id: &str, now: Timestamp) -> Result<()> {
    let sql = "UPDATE access_key SET revoked_at = coalesce(revoked_at, ?2) WHERE id = ?1";
    if db.execute(sql, params![id, micros(now)])? == 0 {
        return Err(Error::NotFound { what: "key", name: id.to_owned() }.into());
    }
    Ok(())
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
    })
}
