//! Port `Batches`: requests that were handed to a provider as a batch, to be answered within a day at a lower price.
//!
//! A batch is recorded before it is sent. So after a crash it is looked up at the provider, instead of being sent and paid for
//! again. Its answers are saved as replies, which the next roll-up reads. The text of a request is not stored.

use async_trait::async_trait;

use crate::{Agent, CacheTokens, Digest, Error, Grain, Period, Purpose, Reply, Result, Timestamp};

/// How long the record of an ended batch is kept, counted from [`ModelBatch::at`]. While it is kept, the input of its periods
/// is split as in the batch, so that the saved replies are found.
pub const BATCH_MEMORY: crate::SignedDuration = crate::SignedDuration::from_hours(30 * 24);

/// How far a batch has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BatchState {
    /// The batch is recorded, and its file may have been uploaded. The provider has not created the batch yet.
    Prepared,
    /// The provider has been asked to create the batch, and may have done so.
    Sending,
    /// The provider has created the batch.
    Sent,
    /// The batch has ended, and no more answers are read.
    Ended,
}

impl BatchState {
    /// All states.
    pub const ALL: [BatchState; 4] = [BatchState::Prepared, BatchState::Sending, BatchState::Sent, BatchState::Ended];

    /// Returns the word that is stored and shown.
    pub fn as_str(self) -> &'static str {
        match self {
            BatchState::Prepared => "prepared",
            BatchState::Sending => "sending",
            BatchState::Sent => "sent",
            BatchState::Ended => "ended",
        }
    }
}

impl std::str::FromStr for BatchState {
    type Err = Error;

    fn from_str(word: &str) -> Result<BatchState> {
        let found = BatchState::ALL.into_iter().find(|state| state.as_str() == word);
        found.ok_or_else(|| Error::invalid("state", format!("is {word:?}")))
    }
}

/// A batch of requests to one model, as it is recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelBatch {
    /// Our own id, which the provider gets with the batch: lower-case letters and digits.
    pub id: String,
    /// URL of the provider's server.
    pub base_url: String,
    /// Name of the model that answers the requests.
    pub model: String,
    /// The provider's id of the batch; before the batch is sent, the provider's id of its uploaded file. `None` if there is
    /// neither.
    pub remote: Option<String>,
    /// How far the batch has come.
    pub state: BatchState,
    /// When the batch was recorded.
    pub at: Timestamp,
    /// Number of its requests.
    pub requests: u64,
    /// Number of requests that the provider had processed at the last poll.
    pub done: u64,
    /// How often its results were incomplete or missing when they were read.
    pub reads: u64,
    /// Why its last step failed, or why it ended without results. Never contains text of a request or an answer.
    pub failure: Option<String>,
}

/// A request of a batch. Requests are numbered in the order of the batch, from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchedRequest {
    /// The agent that owns the memories in the request.
    pub agent: Agent,
    /// The period to summarise.
    pub period: Period,
    /// The key under which the reply is saved.
    pub key: Digest,
    /// What the answer is for.
    pub purpose: Purpose,
    /// A sequence number of the agent's memory, taken before the input was read.
    pub read_seq: u64,
    /// Tokens of the request and of its longest answer. They count as used until the cost of the answer is recorded.
    pub tokens: u64,
    /// Number of the reservation that held these tokens until now; `None` if there was none.
    pub reservation: Option<u64>,
    /// Id of the API key of the request that caused it, which pays too; `None` for scheduled work.
    pub access_key: Option<String>,
}

/// Whether an answer to a request is awaited, or how the wait ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestState {
    /// The answer is awaited, and the period waits for it.
    Open,
    /// The answer is collected only to record the cost. It is not saved, because text that the request may contain was erased
    /// after the request was sent.
    Void,
    /// It was answered.
    Answered,
    /// The provider refused the request, or the answer could not be used.
    Failed,
    /// The batch ended without an answer to the request.
    Lost,
    /// The provider never created the batch. The request counts as not sent.
    Unsent,
}

impl RequestState {
    /// All states.
    pub const ALL: [RequestState; 6] = [
        RequestState::Open,
        RequestState::Void,
        RequestState::Answered,
        RequestState::Failed,
        RequestState::Lost,
        RequestState::Unsent,
    ];

    /// Returns the word that is stored.
    pub fn as_str(self) -> &'static str {
        match self {
            RequestState::Open => "open",
            RequestState::Void => "void",
            RequestState::Answered => "answered",
            RequestState::Failed => "failed",
            RequestState::Lost => "lost",
            RequestState::Unsent => "unsent",
        }
    }

    /// Returns whether the provider may still answer.
    pub fn is_outstanding(self) -> bool {
        matches!(self, RequestState::Open | RequestState::Void)
    }
}

impl std::str::FromStr for RequestState {
    type Err = Error;

    fn from_str(word: &str) -> Result<RequestState> {
        let found = RequestState::ALL.into_iter().find(|state| state.as_str() == word);
        found.ok_or_else(|| Error::invalid("state", format!("is {word:?}")))
    }
}

/// The provider's result for one request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Settlement {
    /// A usable answer. Its cost is recorded and the answer is saved.
    Answered(BatchAnswer),
    /// An answer that cannot be used. Its cost is recorded, but the answer is not saved.
    Useless(BatchAnswer),
    /// No answer, and no cost.
    Failed,
    /// The batch ended before the request was processed.
    Expired,
}

/// A provider's answer to one request of a batch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BatchAnswer {
    /// The text as received.
    pub text: String,
    /// Number of tokens of the request, including those in `cache`.
    pub tokens_in: u64,
    /// Tokens of the request that were read from the prompt cache or written to it.
    pub cache: CacheTokens,
    /// Number of tokens of the answer.
    pub tokens_out: u64,
}

impl Settlement {
    /// Returns the state of a request that has this result.
    pub fn state(&self) -> RequestState {
        match self {
            Settlement::Answered(_) => RequestState::Answered,
            Settlement::Useless(_) | Settlement::Failed => RequestState::Failed,
            Settlement::Expired => RequestState::Lost,
        }
    }

    /// Returns the answer that has to be paid, if there is one.
    pub fn answer(&self) -> Option<&BatchAnswer> {
        match self {
            Settlement::Answered(answer) | Settlement::Useless(answer) => Some(answer),
            Settlement::Failed | Settlement::Expired => None,
        }
    }
}

impl BatchedRequest {
    /// Returns the reply to save for an answer of this model. The reply has no reservation.
    pub fn reply(&self, model: &str, answer: &BatchAnswer) -> Reply {
        Reply {
            key: self.key,
            purpose: self.purpose,
            model: model.to_owned(),
            text: answer.text.clone(),
            tokens_in: answer.tokens_in,
            cache: answer.cache,
            tokens_out: answer.tokens_out,
            read_seq: self.read_seq,
            reservation: None,
            access_key: self.access_key.clone(),
        }
    }
}

/// Returns whether a request to summarise `question` may contain text of the period `erased`. It may if both are the same
/// period, or if `question` is a coarser period that overlaps `erased`. The days before and after an erased day count as
/// erased too, because a change of the time zone may have moved its messages.
pub fn may_contain(question: Period, erased: Period) -> bool {
    let is_made_of = |near: Period| {
        let ((first, last), (from, until)) = (question.cover_days(), near.cover_days());
        let overlaps = first <= until && from <= last;
        near.grain() <= question.grain() && (overlaps || near.ancestor(question.grain()) == question)
    };
    let beside = [erased.previous(), Some(erased.next())].into_iter().flatten();
    beside.filter(|_| erased.grain() == Grain::Daily).chain([erased]).any(is_made_of)
}

/// Batches and their requests. Each method is one transaction.
#[async_trait]
pub trait Batches: Send + Sync {
    /// Records a batch that is about to be sent, and its requests in order. Ends their reservations, because the tokens of
    /// outstanding requests count as used on every day. A request is void at once if something of its agent was erased since
    /// its input was read. Removes ended batches that were recorded more than [`BATCH_MEMORY`] before this one.
    async fn begin_batch(&self, batch: ModelBatch, requests: Vec<BatchedRequest>) -> Result<()>;

    /// Saves the provider's id, state, time, counts and failure of a batch. Does nothing if the batch is unknown.
    async fn save_batch(&self, batch: &ModelBatch) -> Result<()>;

    /// Returns the batches that have not ended, oldest first.
    async fn open_batches(&self) -> Result<Vec<ModelBatch>>;

    /// Returns the batches that were recorded at this time or later and ended with a failure, oldest first.
    async fn failed_batches(&self, since: Timestamp) -> Result<Vec<ModelBatch>>;

    /// Records the provider's results for requests of a batch, by number. Records the cost of each answer as that of a batch.
    /// Saves each usable answer as a reply, unless something that its request may contain was erased meanwhile. Ignores
    /// requests that are not outstanding, so the same results can be read again. Returns the number of results recorded.
    async fn settle(&self, batch: &str, settlements: Vec<(u64, Settlement)>, now: Timestamp) -> Result<u64>;

    /// Ends a batch. Outstanding requests of the batch get the state `rest`. Returns the number of these requests.
    async fn end_batch(&self, batch: &str, rest: RequestState) -> Result<u64>;

    /// Returns the key and state of each request that was made for a period.
    async fn batched(&self, agent: &Agent, period: Period) -> Result<Vec<(Digest, RequestState)>>;

    /// Returns the periods of the agent that wait for an answer, sorted.
    async fn in_batch(&self, agent: &Agent) -> Result<Vec<Period>>;
}
