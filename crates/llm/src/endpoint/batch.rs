//! Requests that are sent in batches: collected (`outbox`), sent and looked for after a crash (`send`), and answered
//! (`results`), over the interfaces of OpenAI and Anthropic (`provider`).
//!
//! A batch is a way to fill the saved replies. A request without a saved reply is not sent but collected, and its period waits.
//! When the batch has ended, its answers are saved as replies, and an ordinary roll-up finds them. A request that got no usable
//! answer from a batch is sent in one more batch, and after that at once. Only requests for summaries are sent in batches,
//! never those for facts. Relies on port `Batches` for the outstanding requests. Never stores text of a request.

mod outbox;
mod provider;
mod results;
mod send;

use std::collections::HashMap;
use std::sync::Arc;

use annals_core::ports::{BatchedRequest, Batches, Estimate, RequestState, SummaryTask};
use annals_core::{Agent, Digest, Error, Period, Purpose, Result, Timestamp};
use parking_lot::Mutex;

use super::ask::{Job, is_recent};
use super::budget::Caps;
use super::channel::Channel;
use super::form::Form;
use super::learned_limits::Sizes;
use super::request::ChatMessage;
use super::{Endpoint, tokens};
use crate::config::Shares;
use outbox::Outbox;

/// How often a request is sent in batches before it is sent at once. A batch that was not created does not count, nor does one
/// in which the request became void.
const BATCHES_EACH: u64 = 2;

/// Maximum tokens of an answer that are reserved when a request is collected: those of the longest summary with its citations.
/// For a model with reasoning, the configured maximum is reserved instead.
const ANSWER: u64 = 1_200;

/// How the requests of an endpoint are sent. In every mode, requests for facts are sent at once or counted.
#[derive(Clone, Debug, Default)]
pub(crate) enum Mode {
    /// Every request is sent at once.
    #[default]
    Direct,
    /// Requests about periods that ended in the last seven days are sent at once, older ones in batches. If the server refuses
    /// batches, all are sent at once for a day.
    OldInBatches,
    /// Requests are sent in batches. A number replaces every limit of tokens: it is what one agent may use on this day, with
    /// all that it has used already.
    InBatches(Option<u64>),
    /// Requests are counted and not sent.
    Counting(Arc<Tally>),
}

/// Counts of requests without a saved answer and their estimated tokens, by purpose.
#[derive(Debug, Default)]
pub(crate) struct Tally(Mutex<HashMap<Purpose, Estimate>>);

impl Tally {
    /// Returns the counts: extraction first, then summaries from daily to yearly.
    pub(crate) fn counted(&self) -> Vec<Estimate> {
        let mut all: Vec<Estimate> = locked(&self.0).values().cloned().collect();
        all.sort_by_key(|estimate| estimate.purpose as usize);
        all
    }

    fn add(&self, purpose: Purpose, model: &str, tokens_in: u64) {
        let mut all = locked(&self.0);
        let none = Estimate { purpose, model: model.to_owned(), calls: 0, tokens_in: 0 };
        let estimate = all.entry(purpose).or_insert(none);
        estimate.calls += 1;
        estimate.tokens_in += tokens_in;
    }
}

/// How the requests about one period are handled, unless their answers are saved already.
#[derive(Debug)]
pub(super) enum Way {
    /// The requests are sent at once.
    Direct,
    /// The requests are sent at once, in the sizes that a batch uses: requests about the period were already recorded for a
    /// batch, and only the same requests find their answers.
    Begun,
    /// The requests are sent in a batch. The map contains the number of batches in which each request was sent; after
    /// [`BATCHES_EACH`] of them it is sent at once.
    Batch(HashMap<Digest, u64>),
    /// The requests are counted and not sent.
    Counting,
}

impl Way {
    /// Returns whether the sizes of requests do not depend on the speed of the server.
    pub(super) fn has_no_hurry(&self) -> bool {
        !matches!(self, Way::Direct)
    }

    pub(super) fn is_counting(&self) -> bool {
        matches!(self, Way::Counting)
    }

    /// Returns whether a request without a saved answer is collected or counted instead of sent at once.
    pub(super) fn is_for_batch(&self, key: &Digest) -> bool {
        match self {
            Way::Direct | Way::Begun => false,
            Way::Batch(tried) => tried.get(key).is_none_or(|times| *times < BATCHES_EACH),
            Way::Counting => true,
        }
    }
}

/// Collects requests for batches, and tracks those that are outstanding.
pub(super) struct BatchCollector {
    batches: Arc<dyn Batches>,
    state: Mutex<State>,
    /// Held while batches are sent or polled, so that a batch that is being sent is not mistaken for one that a crash left
    /// behind.
    at_work: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct State {
    outboxes: Vec<Outbox>,
    /// Number of requests that the budget did not allow since the last sending, in the mode `InBatches`.
    over_budget: u64,
    /// By base URL: the time until which the server gets no batch, and whether the server refused a batch permanently.
    pauses: HashMap<String, (Timestamp, bool)>,
}

impl BatchCollector {
    pub(super) fn new(batches: Arc<dyn Batches>) -> BatchCollector {
        BatchCollector { batches, state: Mutex::default(), at_work: tokio::sync::Mutex::default() }
    }

    /// Returns the periods of the agent with an open request in a batch, sorted. Void requests do not count: their answers are
    /// not saved, so their periods do not wait.
    pub(super) async fn awaited(&self, agent: &Agent) -> Result<Vec<Period>> {
        self.batches.in_batch(agent).await
    }
}

impl Endpoint {
    /// Enables batches and records them through this port. Without them, requests for summaries are always sent at once.
    #[must_use]
    pub fn with_batches(self, batches: Arc<dyn Batches>) -> Endpoint {
        Endpoint { collector: Some(Arc::new(BatchCollector::new(batches))), ..self }
    }

    /// Makes batches the default for summaries of periods that ended more than a week ago.
    #[must_use]
    pub fn old_in_batches(self) -> Endpoint {
        Endpoint { mode: Mode::OldInBatches, ..self }
    }

    pub(crate) fn in_mode(&self, mode: Mode) -> Endpoint {
        Endpoint { mode, ..self.clone() }
    }

    /// Returns how requests for facts are handled: counted in the mode `Counting`, otherwise sent at once. They are never sent
    /// in batches.
    pub(super) fn way_of_extraction(&self) -> Way {
        if matches!(self.mode, Mode::Counting(_)) { Way::Counting } else { Way::Direct }
    }

    /// Returns how the requests about a period that ended at `about` are handled: at once if batches are not enabled. Fails
    /// with [`Error::InBatch`] if the period waits for answers.
    pub(super) async fn way(&self, task: &SummaryTask<'_>, about: Timestamp) -> Result<Way> {
        let Some(collector) = &self.collector else { return Ok(Way::Direct) };
        if let Mode::Counting(_) = self.mode {
            return Ok(Way::Counting);
        }
        let asked = collector.batches.batched(task.agent, task.period).await?;
        if asked.iter().any(|(_, state)| *state == RequestState::Open) {
            return Err(Error::InBatch);
        }
        let in_batches = match self.mode {
            Mode::Direct | Mode::Counting(_) => false,
            // A server that refuses batches is asked at once: otherwise old periods would wait for ever.
            Mode::OldInBatches => !is_recent(about, task.now) && !self.refuses_batches(collector, task),
            Mode::InBatches(_) => true,
        };
        if !in_batches {
            return Ok(if asked.is_empty() { Way::Direct } else { Way::Begun });
        }
        let mut tried = HashMap::new();
        for (key, _) in asked.iter().filter(|(_, state)| !matches!(state, RequestState::Unsent | RequestState::Void)) {
            *tried.entry(*key).or_default() += 1;
        }
        Ok(Way::Batch(tried))
    }

    fn refuses_batches(&self, collector: &BatchCollector, task: &SummaryTask<'_>) -> bool {
        let Some(channel) = self.channels.get(&Purpose::of(task.period.grain())) else { return false };
        let state = locked(&collector.state);
        let pause = state.pauses.get(&channel.model.base_url);
        pause.is_some_and(|(until, is_refusal)| *is_refusal && *until > task.now)
    }

    /// Collects or counts a request. Returns as `Ok` the error that the caller has to report: [`Error::InBatch`] if the request
    /// was collected or counted, or if a later pass has to collect it, otherwise the reason why it cannot be sent. A later pass
    /// has to collect it if the batch is full, if the server gets no batch for a while, or if the mode `InBatches` leaves no
    /// budget. Fails if the store fails.
    pub(super) async fn collect(
        &self,
        job: &Job<'_>,
        (key, form): (Digest, Form),
        messages: &[ChatMessage],
    ) -> Result<Error> {
        let (Some(collector), Some(channel)) = (&self.collector, self.channels.get(&job.purpose)) else {
            return Ok(Error::InBatch);
        };
        let Sizes { window, max_output_tokens } = channel.sizes().await;
        let count = tokens::of_messages(messages.iter().map(ChatMessage::text));
        if count + max_output_tokens > window {
            let need = count + max_output_tokens;
            let problem =
                format!("prompt and answer need about {need} tokens, but the context window has only {window}");
            return Ok(Error::model(channel.what(), problem));
        }
        if let Mode::Counting(tally) = &self.mode {
            tally.add(job.purpose, &channel.model.name, count);
            return Ok(Error::InBatch);
        }
        let Some(period) = job.period else { return Ok(Error::InBatch) };
        // The id of a batch depends on this number, so that two batches of the same moment get different ids.
        let before = collector.batches.batched(job.agent, period).await?.len();
        if !locked(&collector.state).takes(channel, job.now) {
            return Ok(Error::InBatch);
        }
        // The limit of a key holds whatever the answers are.
        let may_be_long = channel.model.reasoning.is_some() || job.access_key.is_some();
        let tokens = count + if may_be_long { max_output_tokens } else { ANSWER.min(max_output_tokens) };
        let reservation = match self.reserve_in_batch(job, tokens).await {
            Ok(reservation) => reservation,
            Err(Error::Budget { .. }) if matches!(self.mode, Mode::InBatches(_)) => {
                locked(&collector.state).over_budget += 1;
                return Ok(Error::InBatch);
            }
            Err(error) => return Ok(error),
        };
        let request = BatchedRequest {
            agent: job.agent.clone(),
            period,
            key,
            purpose: job.purpose,
            read_seq: job.read_seq,
            tokens,
            reservation: Some(reservation),
            access_key: job.access_key.map(str::to_owned),
        };
        let body = channel.body_in_batch(messages, form, max_output_tokens);
        if !locked(&collector.state).add(channel, request, &body, (job.now, before)) {
            self.replies.release(job.agent, reservation).await?;
        }
        Ok(Error::InBatch)
    }

    /// Reserves tokens of the day's budget. The operator may give another budget for batches, which replaces every limit.
    /// Tokens that the agent has already used on this day count against either. Fails with [`Error::Budget`] if too few are
    /// left.
    async fn reserve_in_batch(&self, job: &Job<'_>, tokens: u64) -> Result<u64> {
        let unlimited = Caps { workspace: u64::MAX, process: u64::MAX, shares: Shares::default() };
        let (limit, caps) = match self.mode {
            Mode::InBatches(Some(budget)) => (budget, unlimited),
            _ => (self.limit(job), self.caps),
        };
        // The share for old messages keeps unattended work from using up the day's budget; these batches were explicitly
        // requested.
        let is_recent = matches!(self.mode, Mode::InBatches(_)) || job.is_recent();
        caps.reserve(self.replies.as_ref(), job.payers(), job.purpose, (tokens, limit), is_recent, job.now).await
    }
}

impl State {
    /// Returns whether a further request to this model can be collected now.
    fn takes(&self, channel: &Channel, now: Timestamp) -> bool {
        let is_paused = self.pauses.get(&channel.model.base_url).is_some_and(|(until, _)| *until > now);
        !is_paused && self.outboxes.iter().find(|outbox| outbox.is_of(channel)).is_none_or(|outbox| !outbox.is_full())
    }

    /// Collects a request. Returns false if it is collected already.
    fn add(
        &mut self,
        channel: &Arc<Channel>,
        request: BatchedRequest,
        body: &serde_json::Value,
        (now, before): (Timestamp, usize),
    ) -> bool {
        let index = self.outboxes.iter().position(|outbox| outbox.is_of(channel)).unwrap_or_else(|| {
            self.outboxes.push(Outbox::new(Arc::clone(channel), &request, now, before));
            self.outboxes.len() - 1
        });
        self.outboxes[index].add(request, body)
    }
}

fn locked<T>(mutex: &Mutex<T>) -> parking_lot::MutexGuard<'_, T> {
    mutex.lock()
}
