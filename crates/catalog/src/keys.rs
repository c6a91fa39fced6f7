//! Keys of the service: their metadata, and the hash of the secret.

use annals_core::ports::Key;
use annals_core::{Digest, Error, Timestamp};
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::columns::{instant, json, maybe_instant, micros, to_json};
use crate::failure::Result;

/// Stores a key with the hash of its secret.
pub(crate) fn add(connection: &Connection, key: &Key, hash: &Digest) -> Result<()> {
    let added = connection.prepare_cached(include_str!("sql/add_key.sql"))?.execute(params![
        key.id,
        key.name,
        key.workspace,
        to_json(&key.scopes),
        to_json(&key.agents),
        hash.0,
        micros(key.created_at),
        key.expires_at.map(micros),
        key.revoked_at.map(micros),
    ])?;
    if added == 0 { Err(Error::invalid("id", "is taken by another key").into()) } else { Ok(()) }
}

/// Returns all keys, in order of creation.
pub(crate) fn all(connection: &Connection) -> Result<Vec<Key>> {
    let mut statement = connection.prepare_cached("SELECT * FROM access_key ORDER BY created_at, id")?;
    let rows = statement.query_map([], read)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Returns the key of that id with the hash of its secret.
pub(crate) fn key(connection: &Connection, id: &str) -> Result<Option<(Key, Digest)>> {
    let mut statement = connection.prepare_cached("SELECT * FROM access_key WHERE id = ?1")?;
    Ok(statement.query_row([id], |row| Ok((read(row)?, Digest(row.get("hash")?)))).optional()?)
}

/// Revokes a key. One that is already revoked keeps its instant.
pub(crate) fn revoke(connection: &Connection, id: &str, now: Timestamp) -> Result<()> {
    let sql = "UPDATE access_key SET revoked_at = coalesce(revoked_at, ?2) WHERE id = ?1";
    if connection.prepare_cached(sql)?.execute(params![id, micros(now)])? == 0 {
        return Err(Error::NotFound { what: "key", name: id.to_owned() }.into());
    }
    Ok(())
}

fn read(row: &Row) -> rusqlite::Result<Key> {
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
