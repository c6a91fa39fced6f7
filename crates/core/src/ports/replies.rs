//! Port `Replies`: model replies, kept so that a retry does not pay again, and their cost.

use async_trait::async_trait;

use super::TokenRequest;
use crate::{Agent, Digest, Price, Reply, Result, Timestamp, Usage};

/// Replies and their cost. Each method is one transaction.
#[async_trait]
pub trait Replies: Send + Sync {
    /// Returns the saved reply to a request with this key.
    async fn reply(&self, agent: &Agent, key: &Digest) -> Result<Option<String>>;

    /// Reserves tokens of today's budget for a call; returns the number of the reservation. [`crate::Error::Budget`], and
    /// nothing is reserved, if too little is left after what was used and reserved today and what outstanding batches may
    /// use. The reservation ends when the cost of a reply with its number is recorded, when it is released, or after
    /// [`super::RESERVATION_LIFETIME`].
    async fn reserve(&self, agent: &Agent, request: &TokenRequest, now: Timestamp) -> Result<u64>;

    /// Ends a reservation whose call has no cost. Does nothing if it has ended.
    async fn release(&self, agent: &Agent, reservation: u64) -> Result<()>;

    /// Records the cost of a reply and saves it. The reply is not saved if something of the agent was erased after
    /// `read_seq`, because it may repeat erased text.
    async fn save_reply(&self, agent: &Agent, reply: Reply, now: Timestamp) -> Result<()>;

    /// Records the cost of an unusable reply, without saving the reply.
    async fn charge(&self, agent: &Agent, reply: Reply, now: Timestamp) -> Result<()>;

    /// Removes replies saved before an instant. Their cost stays recorded. Returns how many.
    async fn drop_replies(&self, agent: &Agent, before: Timestamp) -> Result<u64>;

    /// Returns the agent's cost since the UTC day of an instant, by day, purpose and model, single calls before batches.
    async fn usage(&self, agent: &Agent, since: Timestamp) -> Result<Vec<Usage>>;

    /// Returns the prices that people entered, by name of the model. They belong to the whole store.
    async fn prices(&self) -> Result<Vec<Price>>;

    /// Replaces all prices.
    async fn save_prices(&self, prices: Vec<Price>) -> Result<()>;
}
