//! Port `Batches`: requests that were handed to a provider as a batch, to be answered within a day at a lower price.
//!
//! A batch is recorded before it is sent, so that after a crash it is looked for instead of being sent and paid again. Its
//! answers are saved as replies; the roll-up finds them there. The text of a request is not stored.

use async_trait::async_trait;

use crate::{Agent, Digest, Error, Grain, Period, Purpose, Reply, Result, Timestamp};

/// How long a batch is remembered after it was recorded, so that its periods are finished in the way in which they were begun.
pub const BATCH_MEMORY: crate::SignedDuration = crate::SignedDuration::from_hours(30 * 24);

/// How far a batch has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BatchState {
    /// It is recorded, and its file may be uploaded. The provider has no batch yet.
    Prepared,
    /// It is being created: the provider may have it.
    Sending,
    /// The provider has it.
    Sent,
    /// Nothing more is expected of it.
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

/// A batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelBatch {
    /// Our own id, which the provider gets with the batch: lower-case letters and digits.
    pub id: String,
    /// URL of the provider's server.
    pub base_url: String,
    /// Name of the model.
    pub model: String,
    /// The provider's id: of the batch once it is sent, before of its uploaded file, if there is one.
    pub remote: Option<String>,
    /// How far it has come.
    pub state: BatchState,
    /// When it was recorded, or begun to be sent.
    pub at: Timestamp,
    /// Number of its requests.
    pub requests: u64,
    /// Number of requests that the provider had processed at the last poll.
    pub done: u64,
    /// How often its results were read and were not complete.
    pub reads: u64,
    /// Why the last step of it failed, or why it ended without results. Never contains text of a question or an answer.
    pub failure: Option<String>,
}

/// A request of a batch. Its number is its place in the batch, from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchedRequest {
    /// Whose memories it is about.
    pub agent: Agent,
    /// The period that it is about.
    pub period: Period,
    /// Key of the reply.
    pub key: Digest,
    /// What the answer is for.
    pub purpose: Purpose,
    /// A sequence number that is no later than the read of the input.
    pub read_seq: u64,
    /// Tokens of the request and of its longest answer: they count as used until the answer is booked.
    pub tokens: u64,
    /// The reservation that held these tokens until now.
    pub reservation: Option<u64>,
}

/// What became of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestState {
    /// Its answer is awaited; its period waits for it.
    Open,
    /// Its answer is awaited only to book the cost: something that its question may contain was erased since, so it
    /// will not be kept.
    Void,
    /// It was answered.
    Answered,
    /// The provider refused it, or its answer could not be used.
    Failed,
    /// The batch ended without an answer to it.
    Lost,
    /// The batch was never created. The request counts as not asked.
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
    /// An answer: it is booked and saved. Text and tokens are the provider's; the rest is taken from the request.
    Answered(BatchAnswer),
    /// An answer that cannot be used: it is booked, not saved.
    Useless(BatchAnswer),
    /// No answer, and no cost.
    Failed,
    /// The batch ended before it was processed.
    Expired,
}

/// An answer of a batch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BatchAnswer {
    /// The text.
    pub text: String,
    /// Tokens of the request.
    pub tokens_in: u64,
    /// Tokens of the answer.
    pub tokens_out: u64,
}

impl Settlement {
    /// Returns the state of the request after it.
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
    /// Returns the reply that an answer of a model makes.
    pub fn reply(&self, model: &str, answer: &BatchAnswer) -> Reply {
        Reply {
            key: self.key,
            purpose: self.purpose,
            model: model.to_owned(),
            text: answer.text.clone(),
            tokens_in: answer.tokens_in,
            tokens_out: answer.tokens_out,
            read_seq: self.read_seq,
            reservation: None,
        }
    }
}

/// Returns whether the question about a period may contain text of `erased`: it is the same period, or it is made of it. Days
/// beside an erased day count as well, because a change of the time zone may have moved its messages.
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
    /// Records a batch that is about to be sent, and its requests in order. Ends their reservations: an outstanding request
    /// counts as used on every day. A request is void at once if something of its agent was erased since its input was read.
    /// Forgets batches that ended more than [`BATCH_MEMORY`] before.
    async fn begin_batch(&self, batch: ModelBatch, requests: Vec<BatchedRequest>) -> Result<()>;

    /// Saves provider's id, state, time, counts and failure of a batch. Does nothing to one that is unknown.
    async fn save_batch(&self, batch: &ModelBatch) -> Result<()>;

    /// Returns the batches that have not ended, oldest first.
    async fn open_batches(&self) -> Result<Vec<ModelBatch>>;

    /// Returns the batches that were recorded at this time or later and ended with a failure, oldest first.
    async fn failed_batches(&self, since: Timestamp) -> Result<Vec<ModelBatch>>;

    /// Records the provider's results for requests of a batch, by number. Books the cost of each answer at the price of a
    /// batch and saves it as a reply, unless something that its question may contain was erased since. A request that is not
    /// outstanding is left alone, so the same results can be read again. Returns how many were recorded.
    async fn settle(&self, batch: &str, settlements: Vec<(u64, Settlement)>, now: Timestamp) -> Result<u64>;

    /// Ends a batch. Its outstanding requests get this state. Returns how many these are.
    async fn end_batch(&self, batch: &str, rest: RequestState) -> Result<u64>;

    /// Returns key and state of the requests that were made for a period.
    async fn batched(&self, agent: &Agent, period: Period) -> Result<Vec<(Digest, RequestState)>>;

    /// Returns the periods that wait for an answer, in order.
    async fn in_batch(&self, agent: &Agent) -> Result<Vec<Period>>;
}
