//! Requests with a client's idempotency key, and lookup of operations without their agent. `RequestKey::LIFETIME` in core says
//! how long a key holds.

use annals_core::ports::{KeyedReceipt, OnConflict, RequestKey, Requests, Turn};
use annals_core::{Agent, Digest, Error, IngestReceipt, Timestamp};
use async_trait::async_trait;

use crate::columns::{digest, micros};
use crate::db::{Db, Result, params};
use crate::forgotten::KeyedHashes;
use crate::{Backend, SqlCatalog};
use crate::{agents, ingest};

#[async_trait]
impl<B: Backend> Requests for SqlCatalog<B> {
    async fn ingest_once(
        &self,
        agent: &Agent,
        request: &RequestKey,
        turns: Vec<Turn>,
        on_conflict: OnConflict,
        now: Timestamp,
    ) -> annals_core::Result<KeyedReceipt> {
        let (agent, request) = (agent.clone(), *request);
        let ingest = move |c: &dyn Db| ingest_once(c, &agent, &request, &turns, on_conflict, now);
        self.thread.write("storing messages", ingest).await
    }

    async fn drop_requests(&self, before: Timestamp) -> annals_core::Result<u64> {
        self.thread.write("deleting old requests", move |c| drop_before(c, before)).await
    }

    async fn save_operation(&self, agent: &Agent, operation: IngestReceipt) -> annals_core::Result<()> {
        let agent = agent.clone();
        let save = move |db: &dyn Db| ingest::save_operation(db, agents::enrolled(db, &agent)?, &operation);
        self.thread.write("saving an operation", save).await
    }

    async fn find_operation(&self, workspace: &str, id: &str) -> annals_core::Result<Option<(Agent, IngestReceipt)>> {
        let (workspace, id) = (workspace.to_owned(), id.to_owned());
        self.thread.read("finding an operation", move |c| find(c, &workspace, &id)).await
    }
}

pub(crate) const REQUEST: &str = "SELECT request.body, operation.*
    FROM request
    JOIN operation ON operation.agent_id = request.agent_id AND operation.id = request.operation
    WHERE request.agent_id = ?1 AND request.key = ?2";
/// Selects an operation by its id in a workspace. Agents may share ids of older operations; then the operation of the first
/// agent is selected.
pub(crate) const FIND: &str = "SELECT workspace, name, shown_name, operation.*
    FROM operation INDEXED BY operation_by_id
    JOIN agent USING (agent_id)
    WHERE operation.id = ?2 AND agent.workspace = ?1
    ORDER BY operation.agent_id
    LIMIT 1";
pub(crate) const DROP: &str = "DELETE FROM request WHERE kept_at < ?1";

/// Stores the turns. If a request with this key was accepted before, stores nothing and returns the receipt of that request;
/// fails with `KeyReused` if that request had another body. An erasure removes receipts: a request from before it gets a
/// receipt that counts all turns as duplicates, because turns without an id and a time cannot be recognised otherwise.
pub(crate) fn ingest_once(
    db: &dyn Db,
    agent: &Agent,
    request: &RequestKey,
    turns: &[Turn],
    on_conflict: OnConflict,
    now: Timestamp,
) -> Result<KeyedReceipt> {
    match find_request(db, agent, &request.key)? {
        Some((body, receipt)) if body == request.body => Ok(KeyedReceipt { receipt, repeated: true }),
        Some(_) => Err(Error::KeyReused.into()),
        None if turns.is_empty() => Err(Error::invalid("messages", "are none").into()),
        None if is_from_before_a_forgetting(db, agent, request)? => {
            Ok(KeyedReceipt { receipt: ingest::repeat(db, agent, turns)?, repeated: true })
        }
        None => {
            let receipt = ingest::ingest(db, agent, turns, on_conflict, now)?;
            save(db, agent, request, &receipt.id, now)?;
            Ok(KeyedReceipt { receipt, repeated: false })
        }
    }
}

/// Returns the body digest and the operation of the request with this key.
pub(crate) fn find_request(db: &dyn Db, agent: &Agent, key: &Digest) -> Result<Option<(Digest, IngestReceipt)>> {
    let values = params![agents::known(db, agent)?, key.0];
    let found = db.query_optional(REQUEST, values, |row| Ok((digest(row, "body")?, ingest::read_operation(row)?)))?;
    Ok(found.and_then(|(body, operation)| Some((body?, operation))))
}

fn is_from_before_a_forgetting(db: &dyn Db, agent: &Agent, request: &RequestKey) -> Result<bool> {
    KeyedHashes::known(db, agent)?.map_or(Ok(false), |hashes| hashes.knows_request(request))
}

/// Returns the keys and bodies of all stored requests of an agent.
pub(crate) fn all(db: &dyn Db, agent_id: i64) -> Result<Vec<RequestKey>> {
    let sql = "SELECT key, body FROM request WHERE agent_id = ?1";
    let keys = db.query(sql, params![agent_id], |row| Ok((digest(row, "key")?, digest(row, "body")?)))?;
    Ok(keys.into_iter().filter_map(|(key, body)| Some(RequestKey { key: key?, body: body? })).collect())
}

/// Records that a request was accepted as the given operation.
fn save(db: &dyn Db, agent: &Agent, request: &RequestKey, operation_id: &str, now: Timestamp) -> Result<()> {
    let sql = "INSERT INTO request (agent_id, key, body, operation, kept_at) VALUES (?1, ?2, ?3, ?4, ?5)";
    let row = params![agents::known(db, agent)?, request.key.0, request.body.0, operation_id, micros(now)];
    db.execute(sql, row)?;
    Ok(())
}

/// Drops requests stored before an instant; returns their number.
pub(crate) fn drop_before(db: &dyn Db, before: Timestamp) -> Result<u64> {
    db.execute(DROP, params![micros(before)])
}

/// Returns the operation with this id and its agent, searched among the agents of a workspace.
pub(crate) fn find(db: &dyn Db, workspace: &str, id: &str) -> Result<Option<(Agent, IngestReceipt)>> {
    db.query_optional(FIND, params![workspace, id], |row| Ok((agents::read(row)?, ingest::read_operation(row)?)))
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
