//! Port `Requests`: idempotency keys of requests, and look-up of operations without an agent.
//!
//! A client that did not receive the response sends the same key again and gets the same answer. Keys and bodies are stored as
//! digests. If they are lost, a repeated request is processed again, but its messages are still recognised as duplicates.

use async_trait::async_trait;

use super::{OnConflict, Turn};
use crate::{Agent, Digest, IngestReceipt, Result, SignedDuration, Timestamp};

/// A client's idempotency key, and the body of the request that it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestKey {
    /// Digest of the key.
    pub key: Digest,
    /// Digest of the body.
    pub body: Digest,
}

impl RequestKey {
    /// How long a request is recognised by its key. Later its messages are recognised as duplicates.
    pub const LIFETIME: SignedDuration = SignedDuration::from_hours(48);
}

/// The receipt of a request with an idempotency key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyedReceipt {
    /// The operation that the request was accepted as.
    pub receipt: IngestReceipt,
    /// Whether it was accepted earlier, so that nothing was stored now.
    pub repeated: bool,
}

/// Requests with idempotency keys. Each method is one transaction.
#[async_trait]
pub trait Requests: Send + Sync {
    /// Stores turns as [`super::Turns::ingest`] does, once per key of the agent. A key that was accepted with the same
    /// body stores nothing and returns its operation; with another body it is [`crate::Error::KeyReused`]. A request
    /// that fails leaves its key free. Without turns there is nothing to accept: [`crate::Error::Invalid`]. After an erasure,
    /// which removes the operations, a key with the same body stores nothing and counts its turns as duplicates.
    async fn ingest_once(
        &self,
        agent: &Agent,
        request: &RequestKey,
        turns: Vec<Turn>,
        on_conflict: OnConflict,
        now: Timestamp,
    ) -> Result<KeyedReceipt>;

    /// Removes requests recorded before an instant, of all agents, and returns their number. Operations stay.
    async fn drop_requests(&self, before: Timestamp) -> Result<u64>;

    /// Saves the record of an operation that is not a single request, such as an import; replaces an earlier record. Its `seq`
    /// is 0 until the operation has ended.
    async fn save_operation(&self, agent: &Agent, operation: IngestReceipt) -> Result<()>;

    /// Returns the operation with that id and its agent, among the agents of a workspace.
    async fn find_operation(&self, workspace: &str, id: &str) -> Result<Option<(Agent, IngestReceipt)>>;
}
