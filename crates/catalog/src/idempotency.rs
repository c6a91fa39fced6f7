//! Requests with a client's idempotency key, and lookup of operations without their agent.

use annals_core::ports::{KeyedReceipt, RequestKey, Turn};
use annals_core::{Agent, Digest, Error, IngestReceipt, Timestamp};
use rusqlite::{Connection, OptionalExtension, params};

use crate::columns::{digest, micros};
use crate::failure::Result;
use crate::{agents, ingest};

pub(crate) const REQUEST: &str = "SELECT request.body, operation.*
    FROM request
    JOIN operation ON operation.agent_id = request.agent_id AND operation.id = request.operation
    WHERE request.agent_id = ?1 AND request.key = ?2";
pub(crate) const FIND: &str = include_str!("sql/find_operation.sql");
pub(crate) const DROP: &str = "DELETE FROM request WHERE kept_at < ?1";

/// Stores turns once per key of the agent.
pub(crate) fn ingest_once(
    connection: &Connection,
    agent: &Agent,
    request: &RequestKey,
    turns: &[Turn],
    revise: bool,
    now: Timestamp,
) -> Result<KeyedReceipt> {
    match find_request(connection, agent, &request.key)? {
        Some((body, receipt)) if body == request.body => Ok(KeyedReceipt { receipt, repeated: true }),
        Some(_) => Err(Error::KeyReused.into()),
        None => {
            let receipt = ingest::ingest(connection, agent, turns, revise, now)?;
            save(connection, agent, request, &receipt.id, now)?;
            Ok(KeyedReceipt { receipt, repeated: false })
        }
    }
}

/// Returns the body digest and the operation of the request with this key.
pub(crate) fn find_request(
    connection: &Connection,
    agent: &Agent,
    key: &Digest,
) -> Result<Option<(Digest, IngestReceipt)>> {
    let place = params![agents::known(connection, agent)?, key.0];
    let mut statement = connection.prepare_cached(REQUEST)?;
    let found =
        statement.query_row(place, |row| Ok((digest(row, "body")?, ingest::read_operation(row)?))).optional()?;
    Ok(found.and_then(|(body, operation)| Some((body?, operation))))
}

/// Records that a request was accepted as that operation.
fn save(
    connection: &Connection,
    agent: &Agent,
    request: &RequestKey,
    operation_id: &str,
    now: Timestamp,
) -> Result<()> {
    let sql = "INSERT INTO request (agent_id, key, body, operation, kept_at) VALUES (?1, ?2, ?3, ?4, ?5)";
    let row = params![agents::known(connection, agent)?, request.key.0, request.body.0, operation_id, micros(now)];
    connection.prepare_cached(sql)?.execute(row)?;
    Ok(())
}

/// Drops requests stored before an instant; returns their number.
pub(crate) fn drop_before(connection: &Connection, before: Timestamp) -> Result<u64> {
    Ok(connection.prepare_cached(DROP)?.execute([micros(before)])? as u64)
}

/// Returns the operation of that id and its agent, among the agents of a workspace.
pub(crate) fn find(connection: &Connection, workspace: &str, id: &str) -> Result<Option<(Agent, IngestReceipt)>> {
    let mut statement = connection.prepare_cached(FIND)?;
    let read = |row: &rusqlite::Row| Ok((row.get::<_, String>("agent")?, ingest::read_operation(row)?));
    let found = statement.query_row([workspace, id], read).optional()?;
    Ok(found
        .map(|(name, operation)| Ok::<_, Error>((Agent::in_workspace(workspace, &name)?, operation)))
        .transpose()?)
}

/// Returns the body digest and the operation of the request with this key, if it is stored.
#[cfg(test)]
pub(crate) async fn stored(
    catalog: &crate::SqliteCatalog,
    agent: &Agent,
    key: Digest,
) -> Option<(Digest, IngestReceipt)> {
    let agent = agent.clone();
    catalog.thread.read("reading a request", move |c| find_request(c, &agent, &key)).await.unwrap()
}
