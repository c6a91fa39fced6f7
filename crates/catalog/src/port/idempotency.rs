//! Implements port `Requests`.

use annals_core::ports::Requests;
use annals_core::{Agent, Digest, IngestReceipt, Result, Timestamp};
use async_trait::async_trait;

use crate::{SqliteCatalog, idempotency};

#[async_trait]
impl Requests for SqliteCatalog {
    async fn request(&self, agent: &Agent, key: &Digest) -> Result<Option<(Digest, IngestReceipt)>> {
        let (agent, key) = (agent.clone(), *key);
        self.thread.read("reading a request", move |c| idempotency::request(c, &agent, &key)).await
    }

    async fn save_request(
        &self,
        agent: &Agent,
        key: &Digest,
        body: &Digest,
        operation_id: &str,
        now: Timestamp,
    ) -> Result<()> {
        let (agent, key, body, id) = (agent.clone(), *key, *body, operation_id.to_owned());
        self.thread.write("saving a request", move |c| idempotency::save(c, &agent, &key, &body, &id, now)).await
    }

    async fn drop_requests(&self, before: Timestamp) -> Result<u64> {
        self.thread.write("deleting old requests", move |c| idempotency::drop_before(c, before)).await
    }

    async fn find_operation(&self, workspace: &str, id: &str) -> Result<Option<(Agent, IngestReceipt)>> {
        let (workspace, id) = (workspace.to_owned(), id.to_owned());
        self.thread.read("finding an operation", move |c| idempotency::find(c, &workspace, &id)).await
    }
}
