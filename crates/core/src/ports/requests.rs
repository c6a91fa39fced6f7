//! Port `Requests`: answers to requests that may come again, and operations found without their agent.
//!
//! A client that did not hear the answer sends the same key once more and is answered as before. Keys and bodies are kept as
//! digests. What is lost here costs nothing but that: messages that come again are recognised by themselves.

use async_trait::async_trait;

use crate::{Agent, Digest, Operation, Result, Timestamp};

/// Requests with keys of their clients. Each method is one transaction.
#[async_trait]
pub trait Requests: Send + Sync {
    /// What a request with this key was: the digest of its body, and the operation it was accepted as.
    async fn request(&self, agent: &Agent, key: &Digest) -> Result<Option<(Digest, Operation)>>;

    /// Keeps that a request with this key and body was accepted as that operation, in place of an earlier one with the key.
    /// [`crate::Error::NotFound`] if the agent has no such operation.
    async fn save_request(
        &self,
        agent: &Agent,
        key: &Digest,
        body: &Digest,
        operation_id: &str,
        now: Timestamp,
    ) -> Result<()>;

    /// Drops what was kept before an instant, of all agents; operations stay. How many.
    async fn drop_requests(&self, before: Timestamp) -> Result<u64>;

    /// The operation of that id, and whose it is, among the agents of a workspace.
    async fn find_operation(&self, workspace: &str, id: &str) -> Result<Option<(Agent, Operation)>>;
}
