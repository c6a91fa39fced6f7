//! Tokens that models used for requests with an API key: bookings by UTC day, and the sum that a key's limit applies to.
//!
//! Bookings of keys name no agent, so an erasure leaves them as they are. Keys are never deleted, and neither are their bookings.

use std::collections::BTreeMap;

use annals_core::ports::{KeyTokens, budget_day};
use annals_core::{Error, ObjectKind, Timestamp};

use crate::columns::{number, signed};
use crate::db::{Db, Result, params};

/// Returns the tokens of a key that count against its limit on this day; `None` if it has no limit. Requests of batches that
/// wait for an answer count on every day. Fails with `NotFound` if there is no key with this id.
pub(crate) fn of_key(db: &dyn Db, id: &str, now: Timestamp) -> Result<Option<KeyTokens>> {
    let sql = "SELECT daily_tokens FROM access_key WHERE id = ?1";
    let found = db.query_optional(sql, params![id], |row| row.get::<Option<i64>>("daily_tokens"))?;
    let missing = || Error::NotFound { what: ObjectKind::Key, name: id.to_owned() };
    let Some(limit) = found.ok_or_else(missing)? else { return Ok(None) };
    let sql = "SELECT CAST(coalesce(sum(tokens), 0) AS BIGINT) AS used FROM (
            SELECT tokens FROM key_usage WHERE key_id = ?1 AND day = ?2
            UNION ALL
            SELECT tokens FROM reservation WHERE key_id = ?1 AND day = ?2
            UNION ALL
            SELECT tokens FROM batch_request WHERE key_id = ?1 AND state IN ('open', 'void')
        ) AS spent";
    let used = db.query_one(sql, params![id, budget_day(now).to_string()], |row| number(row, "used"))?;
    Ok(Some(KeyTokens { used, limit: limit.unsigned_abs() }))
}

/// Books tokens to a key.
pub(crate) fn book(db: &dyn Db, id: &str, tokens: u64, now: Timestamp) -> Result<()> {
    let sql = "INSERT INTO key_usage (key_id, day, tokens) VALUES (?1, ?2, ?3)
        ON CONFLICT (key_id, day) DO UPDATE SET tokens = key_usage.tokens + excluded.tokens";
    db.execute(sql, params![id, budget_day(now).to_string(), signed(tokens)])?;
    Ok(())
}

/// Returns the tokens that were booked to each key on this day.
pub(crate) fn of_day(db: &dyn Db, now: Timestamp) -> Result<BTreeMap<String, u64>> {
    let sql = "SELECT key_id, tokens FROM key_usage WHERE day = ?1";
    let booked = db.query(sql, params![budget_day(now).to_string()], |row| {
        Ok((row.get::<String>("key_id")?, number(row, "tokens")?))
    })?;
    Ok(booked.into_iter().collect())
}
