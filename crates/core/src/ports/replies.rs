//! Port `Replies`: model replies, kept so that a retry does not pay again, their cost, and what servers of models refuse.

use async_trait::async_trait;

use super::TokenRequest;
use crate::{Agent, Digest, Price, Reply, Result, SignedDuration, Timestamp, Usage};

/// The parameters that the server of a model refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusals {
    /// Names of the parameters, in the order in which they were refused.
    pub parameters: Vec<String>,
    /// When the last one was refused.
    pub at: Timestamp,
}

impl Refusals {
    /// How long parameters are left out. Then they are tried again, because servers are updated.
    pub const LIFETIME: SignedDuration = SignedDuration::from_hours(7 * 24);

    /// Returns whether the parameters are still to be left out at `now`. Returns false if `at` is in the future, because such
    /// a time comes from a wrong clock.
    pub fn apply_at(&self, now: Timestamp) -> bool {
        self.at <= now && now.duration_since(self.at) < Refusals::LIFETIME
    }
}

/// Replies and their cost. Each method is one transaction.
#[async_trait]
pub trait Replies: Send + Sync {
    /// Returns the saved reply to a request with this key; `None` if there is none.
    async fn reply(&self, agent: &Agent, key: &Digest) -> Result<Option<String>>;

    /// Reserves tokens of today's budget for a call; returns the number of the reservation. [`crate::Error::Budget`], and
    /// nothing is reserved, if too little is left after what was used and reserved today and what outstanding batches may
    /// use. The limit of an API key is the one stored with the key; [`crate::Error::NotFound`] if there is no such key. The
    /// reservation ends when the cost of a reply with its number is recorded, when it is released, or after
    /// [`super::RESERVATION_LIFETIME`].
    async fn reserve(&self, agent: &Agent, request: &TokenRequest, now: Timestamp) -> Result<u64>;

    /// Ends a reservation for a call that had no cost. Does nothing if it has ended.
    async fn release(&self, agent: &Agent, reservation: u64) -> Result<()>;

    /// Records the cost of a reply, as that of its API key too, and saves it. The reply is not saved if something of the agent
    /// was erased after `read_seq`, because it may repeat erased text.
    async fn save_reply(&self, agent: &Agent, reply: Reply, now: Timestamp) -> Result<()>;

    /// Records the cost of an unusable reply, without saving the reply.
    async fn charge(&self, agent: &Agent, reply: Reply, now: Timestamp) -> Result<()>;

    /// Removes replies saved before an instant, and returns their number. The recorded cost stays.
    async fn drop_replies(&self, agent: &Agent, before: Timestamp) -> Result<u64>;

    /// Returns the agent's cost since the UTC day of an instant, sorted by day, purpose and model, single calls before batches.
    async fn usage(&self, agent: &Agent, since: Timestamp) -> Result<Vec<Usage>>;

    /// Returns the prices that people entered, sorted by the name of the model. They belong to the whole store.
    async fn prices(&self) -> Result<Vec<Price>>;

    /// Replaces all prices.
    async fn save_prices(&self, prices: Vec<Price>) -> Result<()>;

    /// Returns what was refused under the key of a model and its settings; `None` if nothing was.
    async fn refusals(&self, key: &Digest) -> Result<Option<Refusals>>;

    /// Replaces what was refused under this key. Drops what was refused a [`Refusals::LIFETIME`] earlier under any key.
    async fn save_refusals(&self, key: Digest, refusals: Refusals) -> Result<()>;
}
