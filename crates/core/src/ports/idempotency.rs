//! Port `Requests`: idempotency keys of requests, and look-up of operations without an agent.
//!
//! A client that did not receive the response sends the same key again and gets the same answer. Keys and bodies are
//! stored as digests. If they are lost, only this is lost: repeated messages are recognised by themselves.

use async_trait::async_trait;

use crate::{Agent, Digest, IngestReceipt, Result, Timestamp};

/// Requests with idempotency keys. Each method is one transaction.
#[async_trait]
pub trait Requests: Send + Sync {
    /// Returns the request with this key: the digest of its body, and the operation it was accepted as.
    async fn request(&self, agent: &Agent, key: &Digest) -> Result<Option<(Digest, IngestReceipt)>>;

    /// Records that a request with this key and body was accepted as that operation. Replaces an earlier request with
    /// the key. [`crate::Error::NotFound`] if the agent has no such operation.
    async fn save_request(
        &self,
        agent: &Agent,
        key: &Digest,
        body: &Digest,
        operation_id: &str,
        now: Timestamp,
    ) -> Result<()>;

    /// Removes requests recorded before an instant, of all agents; operations stay. Returns how many.
    async fn drop_requests(&self, before: Timestamp) -> Result<u64>;

    /// Returns the operation with that id and its agent, among the agents of a workspace.
    async fn find_operation(&self, workspace: &str, id: &str) -> Result<Option<(Agent, IngestReceipt)>>;
}
