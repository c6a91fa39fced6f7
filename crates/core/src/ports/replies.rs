//! Port `Replies`: models' answers, kept so that a retry does not pay again, and what they cost.

use async_trait::async_trait;

use crate::{Agent, Digest, Reply, Result, Timestamp, Usage};

/// Answers and their cost. Each method is one transaction.
#[async_trait]
pub trait Replies: Send + Sync {
    /// The answer to a question that was asked before.
    async fn reply(&self, agent: &Agent, key: &Digest) -> Result<Option<String>>;

    /// Books the cost of an answer and keeps it, unless something of the agent was erased after `read_seq`: it may repeat that.
    async fn save_reply(&self, agent: &Agent, reply: Reply, now: Timestamp) -> Result<()>;

    /// Books the cost of an answer that is of no use, and keeps nothing of it.
    async fn charge(&self, agent: &Agent, reply: Reply, now: Timestamp) -> Result<()>;

    /// Drops answers kept before an instant; their cost stays booked. How many.
    async fn drop_replies(&self, agent: &Agent, before: Timestamp) -> Result<u64>;

    /// The agent's cost since the UTC day of an instant, by day, purpose and model.
    async fn usage(&self, agent: &Agent, since: Timestamp) -> Result<Vec<Usage>>;

    /// The cost of all agents on the UTC day of an instant, in no order.
    async fn usage_of_all(&self, day: Timestamp) -> Result<Vec<(Agent, Usage)>>;
}
