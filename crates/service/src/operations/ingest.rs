//! Ingestion of messages. They are committed and fsynced before the answer. Workers make them searchable soon after, and read
//! them for facts if the extractor is local; otherwise the next roll-up reads them.

use std::collections::{BTreeMap, HashMap};
use std::time::{Duration, Instant};

use annals_core::ports::{KeyedReceipt, OnConflict, Origin, RequestKey};
use annals_core::{
    Agent, Error, Fault, IngestReceipt, Message, ObjectKind, Result, Settings, SignedDuration, Timestamp,
};

use annals_writer::NewMessage;

use crate::Service;
use crate::locks::History;
use crate::metrics::Pipeline;
use crate::wire::{IngestRequest, MessageIn, OperationView, Progress};

/// Maximum number of messages in a request. A request is one transaction with one fsync.
pub const MAX_MESSAGES: usize = 1000;

/// Maximum bytes of the attachment of a message. It is larger than a message, because what an adapter attaches contains the
/// text of the message and more.
const MAX_ATTACHMENT_BYTES: usize = 512 * 1024;

/// The result of an accepted request.
#[derive(Clone, Debug)]
pub struct Accepted {
    /// The numbers of stored messages, and an id by which the progress is found. A repeated request has those of the first.
    pub operation: IngestReceipt,
    /// Unknown fields of messages, with the number of messages that contained each.
    pub ignored: BTreeMap<String, u64>,
}

impl Service {
    /// Stores all messages of one request or none. `settings` are those that [`Service::admit`] returned. Fails if a message
    /// has a fault, or if an id is stored with other content and the request does not revise.
    pub async fn ingest(
        &self,
        agent: &Agent,
        settings: &Settings,
        request: IngestRequest,
        now: Timestamp,
    ) -> Result<Accepted> {
        self.accept(agent, settings, None, request, now).await
    }

    /// Does the same as [`Service::ingest`] once per idempotency key. A repeated request with the same key and body returns the
    /// result of the first. One with the same key and another body fails.
    pub async fn ingest_once(
        &self,
        agent: &Agent,
        settings: &Settings,
        key: &RequestKey,
        request: IngestRequest,
        now: Timestamp,
    ) -> Result<Accepted> {
        self.accept(agent, settings, Some(key), request, now).await
    }

    async fn accept(
        &self,
        agent: &Agent,
        settings: &Settings,
        key: Option<&RequestKey>,
        request: IngestRequest,
        now: Timestamp,
    ) -> Result<Accepted> {
        // Replacing a message changes the agent's history.
        let _history = if request.revise { Some(self.locks.lock::<History>(agent).await) } else { None };
        let mut ignored = BTreeMap::new();
        for field in request.messages.iter().flat_map(|message| message.other.keys()) {
            *ignored.entry(field.clone()).or_default() += 1;
        }
        let number = request.messages.len() as u64;
        let stored = self.store(agent, settings, key, request, now).await;
        let KeyedReceipt { receipt, repeated } = stored.inspect_err(|_| self.metrics.messages("refused", number))?;
        if !repeated {
            self.enqueue(agent);
        }
        Ok(Accepted { operation: receipt, ignored })
    }

    async fn store(
        &self,
        agent: &Agent,
        settings: &Settings,
        key: Option<&RequestKey>,
        request: IngestRequest,
        now: Timestamp,
    ) -> Result<KeyedReceipt> {
        let on_conflict = OnConflict::revise_if(request.revise);
        let messages = messages(request, now)?;
        let begun = Instant::now();
        let stored = match key {
            Some(key) => self.parts.writer.ingest_once(agent, settings, key, messages, on_conflict, now).await?,
            None => {
                let receipt = self.parts.writer.ingest_checked(agent, settings, messages, on_conflict, now).await?;
                KeyedReceipt { receipt, repeated: false }
            }
        };
        if !stored.repeated {
            self.count_committed(agent, &stored.receipt, begun.elapsed());
        }
        Ok(stored)
    }

    fn count_committed(&self, agent: &Agent, operation: &IngestReceipt, took: Duration) {
        self.metrics.committed(took);
        let new = operation.accepted + operation.revised;
        tracing::info!(operation.id = operation.id, messages.new = new, "committed");
        self.metrics.messages("accepted", new);
        self.metrics.messages("duplicate", operation.duplicate);
        if new > 0 {
            self.metrics.waits(Pipeline::Working, agent, operation.seq);
            self.metrics.waits(Pipeline::Extract, agent, operation.seq);
        }
    }

    /// Returns how far the messages of an operation are processed now.
    pub async fn progress(&self, agent: &Agent, operation: &IngestReceipt) -> Result<Progress> {
        Ok(progress(self.reached(agent).await?, operation.seq))
    }

    /// Waits until the messages of an operation have reached `goal`, for at most `deadline`. Returns how far they are then.
    pub async fn wait(
        &self,
        agent: &Agent,
        operation: &IngestReceipt,
        goal: Progress,
        deadline: Duration,
    ) -> Result<Progress> {
        let seq = operation.seq;
        let reached = self.wait_until_reached(agent, deadline, |reached| progress(reached, seq) >= goal).await?;
        Ok(progress(reached, seq))
    }

    /// Returns the operation with this id in a workspace, and its agent. Fails with [`Error::NotFound`] if there is none.
    pub async fn operation(&self, workspace: &str, id: &str) -> Result<(Agent, OperationView)> {
        let missing = || Error::NotFound { what: ObjectKind::Operation, name: id.to_owned() };
        let (agent, operation) = self.parts.store.find_operation(workspace, id).await?.ok_or_else(missing)?;
        let status = self.progress(&agent, &operation).await?;
        let IngestReceipt { id, accepted, duplicate, revised, forgotten, masked, .. } = operation;
        let owner = agent.name().to_owned();
        let view =
            OperationView { operation_id: id, agent: owner, status, accepted, duplicate, revised, forgotten, masked };
        Ok((agent, view))
    }
}

fn progress((searchable, extracted): (u64, u64), seq: u64) -> Progress {
    match (searchable >= seq, extracted >= seq) {
        (true, true) => Progress::Extracted,
        (true, false) => Progress::Searchable,
        _ => Progress::Accepted,
    }
}

fn messages(request: IngestRequest, now: Timestamp) -> Result<Vec<NewMessage>> {
    let (count, revise) = (request.messages.len(), request.revise);
    if count == 0 || count > MAX_MESSAGES {
        return Err(Error::invalid("messages", format!("are {count}; 1 to {MAX_MESSAGES} are allowed")));
    }
    let mut faults = Vec::new();
    let mut messages = Vec::with_capacity(count);
    for (index, mut message) in request.messages.into_iter().enumerate() {
        let attachment = message.attachment.take();
        if attachment.as_ref().is_some_and(|json| json.len() > MAX_ATTACHMENT_BYTES) {
            faults.push(at(index, Fault::new("attachment", format!("exceeds {MAX_ATTACHMENT_BYTES} bytes"))));
        }
        let origin = if message.at.is_some() { Origin::Client } else { Origin::Untimed };
        match to_message(message, request.conversation.as_deref(), arrival(now, index)) {
            Ok(message) => {
                let wrong = annals_writer::check(&message, now).into_iter();
                faults.extend(wrong.map(|fault| at(index, fault)));
                messages.push(NewMessage { message, origin, attachment });
            }
            Err(fault) => faults.push(at(index, fault)),
        }
    }
    if faults.is_empty() && !revise {
        faults = ids_used_twice(&messages);
    }
    if faults.is_empty() { Ok(messages) } else { Err(Error::Faults(faults)) }
}

/// Returns a fault for each message with the id of an earlier message of the request that says something else.
fn ids_used_twice(messages: &[NewMessage]) -> Vec<Fault> {
    let mut first = HashMap::new();
    let mut faults = Vec::new();
    for (index, new) in messages.iter().enumerate() {
        let Some(id) = &new.message.client_id else { continue };
        let (earlier, known) = *first.entry((&new.message.conversation, id)).or_insert((index, new));
        if !says_the_same(known, new) {
            let reason = format!("{id:?} is also the id of messages[{earlier}], which says something else");
            faults.push(at(index, Fault::new("id", reason)));
        }
    }
    faults
}

/// Compares two messages as they were sent. The time of one that came without a time does not count.
fn says_the_same(one: &NewMessage, other: &NewMessage) -> bool {
    let has_no_time = [one, other].iter().any(|new| new.origin == Origin::Untimed);
    let at = if has_no_time { one.message.at } else { other.message.at };
    one.message == Message { at, ..other.message.clone() }
}

/// Returns the arrival time of message `index` of a request: a microsecond after the previous one, so that the order is kept.
fn arrival(now: Timestamp, index: usize) -> Timestamp {
    let behind = SignedDuration::from_micros(i64::try_from(index).unwrap_or(i64::MAX));
    now.saturating_add(behind).unwrap_or(now)
}

fn at(index: usize, fault: Fault) -> Fault {
    Fault { field: format!("messages[{index}].{}", fault.field), ..fault }
}

fn to_message(message: MessageIn, conversation: Option<&str>, now: Timestamp) -> std::result::Result<Message, Fault> {
    let conversation = message.conversation.or_else(|| conversation.map(str::to_owned));
    let conversation = conversation
        .ok_or_else(|| Fault::new("conversation", "is missing; set it for the message or for the whole request"))?;
    // Stores keep times in microseconds; a finer time would differ when it is read back.
    let at = message.at.unwrap_or(now).as_microsecond();
    let at = Timestamp::from_microsecond(at).map_err(|_| Fault::new("at", "is out of range"))?;
    Ok(Message {
        conversation,
        client_id: message.id,
        role: message.role,
        name: message.name,
        content: message.content,
        at,
    })
}
