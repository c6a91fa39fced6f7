//! Implements port `Requests`.

use annals_core::ports::{KeyedReceipt, RequestKey, Requests, Turn};
use annals_core::{Agent, IngestReceipt, Result, Timestamp};
use async_trait::async_trait;

use crate::db::Db;
use crate::{SqliteCatalog, idempotency};

#[async_trait]
impl Requests for SqliteCatalog {
    async fn ingest_once(
        &self,
        agent: &Agent,
        request: &RequestKey,
        turns: Vec<Turn>,
        revise: bool,
        now: Timestamp,
    ) -> Result<KeyedReceipt> {
        let (agent, request) = (agent.clone(), *request);
        let ingest = move |c: &dyn Db| idempotency::ingest_once(c, &agent, &request, &turns, revise, now);
        self.thread.write("storing messages", ingest).await
    }

    async fn drop_requests(&self, before: Timestamp) -> Result<u64> {
        self.thread.write("deleting old requests", move |c| idempotency::drop_before(c, before)).await
    }

    async fn find_operation(&self, workspace: &str, id: &str) -> Result<Option<(Agent, IngestReceipt)>> {
        let (workspace, id) = (workspace.to_owned(), id.to_owned());
        self.thread.read("finding an operation", move |c| idempotency::find(c, &workspace, &id)).await
    }
}
