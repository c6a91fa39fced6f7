//! Handles one request: looks up a saved answer, and otherwise collects the request for a batch or sends it. To send it, it
//! reserves tokens of the budget, parses the answer, sends the request once more if the answer is unusable, and saves a usable
//! one.

use annals_core::{Agent, Digest, Error, Period, Purpose, Reply, Result, Settings, SignedDuration, Timestamp};
use backon::Retryable;
use serde_json::Value;

use super::batch::Way;
use super::budget::Payers;
use super::channel::Channel;
use super::completion::Completion;
use super::failure::EndpointError;
use super::form::Form;
use super::learned_limits::Sizes;
use super::repetition::repeats_itself;
use super::request::ChatMessage;
use super::stream::Spent;
use super::{Endpoint, VERSION, answer, tokens};
use crate::prompts::Rendered;

/// Work on sources older than this has a share of its own of the daily budget, so that an import leaves enough for today's
/// work. In the mode `OldInBatches`, summaries of periods that ended earlier are sent in batches.
const RECENT: SignedDuration = SignedDuration::from_hours(7 * 24);

/// A request is compared with the count of the server only if it must have more than this many tokens. For a shorter one, the
/// difference says too little.
const WORTH_COMPARING: u64 = 1_000;

/// Maximum tokens of an unusable answer that are shown to the model again, in the request that corrects it.
const SHOWN_AGAIN: u64 = 400;

/// What a request is made for, and how it is sent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Job<'a> {
    pub(super) agent: &'a Agent,
    pub(super) settings: &'a Settings,
    pub(super) purpose: Purpose,
    /// Sequence number of the agent when the sources were read, or an earlier one. Stored with the reply.
    pub(super) read_seq: u64,
    pub(super) period: Option<Period>,
    /// End of the period that the request is about; for turns, the time of the last one.
    pub(super) about: Timestamp,
    pub(super) now: Timestamp,
    /// How the request is handled: sent at once, sent in a batch, or only counted.
    pub(super) way: &'a Way,
    /// Id of the API key of the request that needs the answer, if there is one.
    pub(super) access_key: Option<&'a str>,
}

/// Result of a request, and the tokens that were paid now for its complete answers; zero if the answer was saved already.
/// Attempts that broke off are booked, but not counted here.
#[derive(Debug)]
pub(super) struct Paid<T> {
    pub(super) value: T,
    pub(super) tokens: u64,
}

/// Function that parses an answer. Its error says what is wrong without quoting the answer, because it is shown to the model
/// and to users.
pub(super) type Read<'a, T> = &'a (dyn Fn(&Value) -> std::result::Result<T, String> + Sync);

impl Endpoint {
    /// Returns the parsed answer to a request: a saved one, or that of the server. Saves an answer that `read` accepts, so the
    /// same request costs nothing the next time. Fails with [`Error::InBatch`] if the request is collected or counted instead
    /// of sent. Leaves out parameters that the server refused before, and stores new refusals.
    pub(super) async fn ask<T>(
        &self,
        job: &Job<'_>,
        form: Form,
        prompt: Rendered,
        read: Read<'_, T>,
    ) -> Result<Paid<T>> {
        let shape = &self.channel(job.purpose)?.learned.shape;
        shape.recall(self.replies.as_ref(), job.now).await?;
        let paid = self.ask_in_learned_shape(job, form, prompt, read).await;
        shape.save(self.replies.as_ref(), job.now).await?;
        paid
    }

    async fn ask_in_learned_shape<T>(
        &self,
        job: &Job<'_>,
        form: Form,
        prompt: Rendered,
        read: Read<'_, T>,
    ) -> Result<Paid<T>> {
        let channel = self.channel(job.purpose)?;
        let key = key(channel, form, &prompt);
        if let Some(text) = self.replies.reply(job.agent, &key).await?
            && let Some(value) = answer::json(&text).and_then(|answer| read(&answer).ok())
        {
            return Ok(Paid { value, tokens: 0 });
        }
        let messages = [ChatMessage::System(prompt.system), ChatMessage::User(prompt.user)];
        if job.way.is_for_batch(&key) {
            return Err(self.collect(job, (key, form), &messages).await?);
        }
        let purchase = Purchase { endpoint: self, job, channel, key };
        let (value, first) = purchase.buy(&messages, form, read).await?;
        let problem = match value {
            Ok(value) => return Ok(Paid { value, tokens: first.tokens }),
            Err(problem) => problem,
        };
        let again = if first.lacked_room && channel.allow_more_reasoning(first.count).await {
            messages.to_vec()
        } else {
            corrective(messages, &first.text, &problem)
        };
        let (value, second) = purchase.buy(&again, form, read).await?;
        match value {
            Ok(value) => Ok(Paid { value, tokens: first.tokens + second.tokens }),
            Err(problem) => Err(Error::model(channel.what(), problem)),
        }
    }
}

impl<'a> Job<'a> {
    /// Returns who pays for the calls.
    pub(super) fn payers(&self) -> Payers<'a> {
        Payers { agent: self.agent, access_key: self.access_key }
    }

    /// Returns whether the sources are at most [`RECENT`] old.
    pub(super) fn is_recent(&self) -> bool {
        is_recent(self.about, self.now)
    }
}

/// Returns whether sources of the time `about` are at most [`RECENT`] old at `now`. Sources of the future count as recent.
pub(super) fn is_recent(about: Timestamp, now: Timestamp) -> bool {
    about.saturating_add(RECENT).is_ok_and(|until| until >= now)
}

impl Endpoint {
    /// Returns how many tokens the agent may use per UTC day for all purposes but reranking together. A purpose may use its
    /// share of them.
    pub(super) fn limit(&self, job: &Job<'_>) -> u64 {
        job.settings.daily_tokens.unwrap_or(self.daily_tokens)
    }
}

/// Returns the request followed by the beginning of the unusable answer and what is wrong with it. Does not show an answer that
/// is empty or repeats itself.
fn corrective([system, user]: [ChatMessage; 2], text: &str, problem: &str) -> Vec<ChatMessage> {
    let complaint = format!(
        "This answer cannot be used: {problem}. Answer the messages again, with one JSON object of the form that was \
         described and nothing else."
    );
    // Some servers reject an empty message. A model that is shown its own repetitions continues them.
    let is_shown = !text.trim().is_empty() && !repeats_itself(text);
    let shown = if is_shown { tokens::beginning(text, SHOWN_AGAIN) } else { "(nothing)" };
    vec![system, user, ChatMessage::Assistant(shown.to_owned()), ChatMessage::User(complaint)]
}

/// Returns the key of a saved answer. Requests of one agent with the same key have the same answer.
fn key(channel: &Channel, form: Form, prompt: &Rendered) -> Digest {
    let model = &channel.model;
    Digest::of([VERSION, &model.base_url, &model.name, form.name(), &prompt.system, &prompt.user])
}

/// An answer, usable or not, with its cost.
struct Bought {
    text: String,
    tokens: u64,
    /// Estimated tokens of the request.
    count: u64,
    /// Whether reasoning left too few tokens for the answer.
    lacked_room: bool,
}

/// Why an attempt gave no answer.
enum Failed {
    Endpoint(EndpointError),
    /// The budget is spent, or the store failed.
    Other(Error),
}

impl Failed {
    fn error(self, channel: &Channel) -> Error {
        match self {
            Failed::Endpoint(failure) => channel.error(failure),
            Failed::Other(error) => error,
        }
    }
}

/// A request to a model, for which tokens are reserved and costs are booked.
struct Purchase<'a> {
    endpoint: &'a Endpoint,
    job: &'a Job<'a>,
    channel: &'a Channel,
    key: Digest,
}

impl Purchase<'_> {
    /// Sends the request if window and budget allow it; sends it again if the answer breaks off. Returns the parsed answer, or
    /// what is wrong with it. Saves a usable answer; books the cost of any answer. Fails if the server has not read the whole
    /// request.
    async fn buy<T>(
        &self,
        messages: &[ChatMessage],
        form: Form,
        read: Read<'_, T>,
    ) -> Result<(std::result::Result<T, String>, Bought)> {
        let Sizes { window, max_output_tokens } = self.channel.sizes().await;
        let count = tokens::of_messages(messages.iter().map(ChatMessage::text));
        let need = count + max_output_tokens;
        if need > window {
            let problem =
                format!("prompt and answer need about {need} tokens, but the context window has only {window}");
            return Err(Error::model(self.channel.what(), problem));
        }
        let attempt = || self.attempt(messages, form, (count, need));
        let broke_off = |failed: &Failed| matches!(failed, Failed::Endpoint(EndpointError::BrokeOff));
        let bought = attempt.retry(self.channel.backoff()).when(broke_off).await;
        let (completion, reservation) = bought.map_err(|failed| failed.error(self.channel))?;
        let reply = self.reply(&completion, count, reservation);
        let tokens = reply.tokens_in + reply.tokens_out;
        if let Err(error) = self.was_read_whole(messages, &completion) {
            self.endpoint.replies.charge(self.job.agent, reply, self.job.now).await?;
            return Err(error);
        }
        let value = usable(&completion, read);
        match &value {
            Ok(_) => self.endpoint.replies.save_reply(self.job.agent, reply, self.job.now).await?,
            Err(_) => self.endpoint.replies.charge(self.job.agent, reply, self.job.now).await?,
        }
        let lacked_room = completion.is_cut_off && completion.has_reasoned;
        Ok((value, Bought { text: completion.text, tokens, count, lacked_room }))
    }

    /// Reserves `need` tokens for a request of `count` tokens, and sends it. Returns the answer and the number of the
    /// reservation. If there is no answer, ends the reservation.
    async fn attempt(
        &self,
        messages: &[ChatMessage],
        form: Form,
        (count, need): (u64, u64),
    ) -> std::result::Result<(Completion, u64), Failed> {
        let reservation = self.reserve(need).await.map_err(Failed::Other)?;
        let mut spent = Spent::default();
        match self.channel.ask(messages, form, need - count, &mut spent).await {
            Ok(completion) => Ok((completion, reservation)),
            Err(failure) => {
                self.settle(&failure, count, spent, reservation).await.map_err(Failed::Other)?;
                Err(Failed::Endpoint(failure))
            }
        }
    }

    /// Ends the reservation of a request without an answer. Books the tokens that were received before the failure, and for the
    /// request at least its estimated tokens. If neither a token nor a count of tokens was received, books nothing. The
    /// exceptions are an unusable answer, which has an unknown cost, and a late one of a distant server, which may bill it.
    async fn settle(&self, failure: &EndpointError, count: u64, spent: Spent, reservation: u64) -> Result<()> {
        let is_billed = failure.was_answered() || (failure.is_late() && !self.channel.is_near);
        if spent == Spent::default() && !is_billed {
            return self.endpoint.replies.release(self.job.agent, reservation).await;
        }
        let tokens_in = Some(spent.tokens_in.max(count));
        let partial = Completion { tokens_in, tokens_out: Some(spent.tokens_out), ..Completion::default() };
        self.endpoint.replies.charge(self.job.agent, self.reply(&partial, count, reservation), self.job.now).await
    }

    /// Fails if the server counted fewer tokens than the request must have. Judges neither short requests nor servers that
    /// report no count. Some local servers silently drop the part of a request that exceeds their window; the answer then
    /// covers only the rest.
    fn was_read_whole(&self, messages: &[ChatMessage], completion: &Completion) -> Result<()> {
        let least: u64 = messages.iter().map(|messages| tokens::at_least(messages.text())).sum();
        let Some(read) = completion.tokens_in else { return Ok(()) };
        if least <= WORTH_COMPARING || read >= least {
            return Ok(());
        }
        let problem = format!(
            "the server read only {read} of at least {least} prompt tokens: raise the context window of the server, or lower `window`, \
             which is {}",
            self.channel.model.window
        );
        Err(Error::model(self.channel.what(), problem))
    }

    /// Reserves tokens of the daily budget; fails if a limit leaves fewer to the purpose.
    async fn reserve(&self, tokens: u64) -> Result<u64> {
        let Job { purpose, now, .. } = *self.job;
        let (whole, is_recent) = (self.endpoint.limit(self.job), self.job.is_recent());
        let replies = self.endpoint.replies.as_ref();
        self.endpoint.caps.reserve(replies, self.job.payers(), purpose, (tokens, whole), is_recent, now).await
    }

    fn reply(&self, completion: &Completion, count: u64, reservation: u64) -> Reply {
        Reply {
            key: self.key,
            purpose: self.job.purpose,
            model: self.channel.model.name.clone(),
            text: completion.text.clone(),
            tokens_in: completion.tokens_in.unwrap_or(count),
            cache: completion.cache,
            tokens_out: completion.out(),
            read_seq: self.job.read_seq,
            reservation: Some(reservation),
            access_key: self.job.access_key.map(str::to_owned),
        }
    }
}

fn usable<T>(completion: &Completion, read: Read<'_, T>) -> std::result::Result<T, String> {
    if completion.is_repetitive {
        return Err("it says the same again and again".into());
    }
    if completion.is_cut_off && completion.has_reasoned {
        return Err(
            "its reasoning used up the tokens of the answer; raise `max_output_tokens` or lower `reasoning`".into()
        );
    }
    if completion.is_cut_off {
        return Err("it was cut off at the limit of tokens; it must be shorter".into());
    }
    let answer = answer::json(&completion.text).ok_or("it holds no JSON object")?;
    read(&answer)
}
