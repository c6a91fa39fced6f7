//! Stores messages: each call is one transaction, all or nothing.

use annals_core::ports::{Comparison, KeyedReceipt, OnConflict, Origin, RequestKey, Turn};
use annals_core::{
    Agent, Error, Fault, Grain, IngestReceipt, MemoryId, Message, Period, Result, Settings, Timestamp, TurnKey, Zones,
    identify,
};

use crate::mask::mask_json;
use crate::{Writer, check, mask};

/// Number of messages compared in one query.
const LOOK_UP: usize = 500;

/// A message to store.
#[derive(Clone, Debug)]
pub struct NewMessage {
    pub message: Message,
    /// Where the message's text and time come from.
    pub origin: Origin,
    /// JSON text that is stored with the message, with credentials masked if the settings ask for it.
    pub attachment: Option<String>,
}

impl From<Message> for NewMessage {
    fn from(message: Message) -> NewMessage {
        NewMessage { message, origin: Origin::Client, attachment: None }
    }
}

impl Writer {
    /// Stores the messages of one request. When this returns they are committed and fsynced, and will reach every grain.
    /// Messages that were forgotten are only counted.
    pub async fn ingest(
        &self,
        agent: &Agent,
        messages: Vec<Message>,
        on_conflict: OnConflict,
        now: Timestamp,
    ) -> Result<IngestReceipt> {
        let faults: Vec<Fault> = messages.iter().flat_map(|message| check(message, now)).collect();
        if !faults.is_empty() {
            return Err(Error::Faults(faults));
        }
        let settings = self.store.settings(agent).await?;
        let messages = messages.into_iter().map(NewMessage::from).collect();
        self.ingest_checked(agent, &settings, messages, on_conflict, now).await
    }

    /// Stores messages like [`Writer::ingest`], but with their origins; some may have arrived without a time. The caller has
    /// passed them through [`check`], because only the caller can report a fault with its position in the input.
    pub async fn ingest_checked(
        &self,
        agent: &Agent,
        settings: &Settings,
        messages: Vec<NewMessage>,
        on_conflict: OnConflict,
        now: Timestamp,
    ) -> Result<IngestReceipt> {
        let turns = turns_of(agent, settings, messages)?;
        self.store.ingest(agent, turns, on_conflict, now).await
    }

    /// Stores messages like [`Writer::ingest_checked`], but once per idempotency key: if the key was accepted with the same
    /// body before, nothing is stored. Returns [`Error::KeyReused`] if it was accepted with another body.
    pub async fn ingest_once(
        &self,
        agent: &Agent,
        settings: &Settings,
        request: &RequestKey,
        messages: Vec<NewMessage>,
        on_conflict: OnConflict,
        now: Timestamp,
    ) -> Result<KeyedReceipt> {
        let turns = turns_of(agent, settings, messages)?;
        self.store.ingest_once(agent, request, turns, on_conflict, now).await
    }

    /// Returns the messages as they are to be stored, and the number of credentials masked in them. Must run before
    /// [`identify`], so that the same request gets the same keys.
    pub async fn prepare(&self, agent: &Agent, messages: Vec<Message>) -> Result<(Vec<Message>, u64)> {
        let settings = self.store.settings(agent).await?;
        let (messages, masked): (Vec<Message>, Vec<u64>) = prepare_each(&settings, messages).into_iter().unzip();
        Ok((messages, masked.into_iter().sum()))
    }

    /// Stores a part of a larger request. The caller has checked and prepared all messages of the request and given them their
    /// keys.
    pub async fn ingest_keyed(
        &self,
        agent: &Agent,
        messages: Vec<(TurnKey, Message)>,
        on_conflict: OnConflict,
        now: Timestamp,
    ) -> Result<IngestReceipt> {
        let settings = self.store.settings(agent).await?;
        let (masked, origin) = (0, Origin::Client);
        let incoming =
            messages.into_iter().map(|(key, message)| Incoming { key, message, masked, origin, attachment: None });
        self.store(agent, &settings, incoming, on_conflict, now).await
    }

    /// Replaces the text of a stored turn by a person's correction. If the client sends its original message again, it is
    /// recognised and changes nothing.
    pub(crate) async fn ingest_correction(
        &self,
        agent: &Agent,
        (key, message): (TurnKey, Message),
        now: Timestamp,
    ) -> Result<IngestReceipt> {
        let settings = self.store.settings(agent).await?;
        let (message, masked) = prepare_each(&settings, vec![message]).remove(0);
        let incoming = Incoming { key, message, masked, origin: Origin::Correction, attachment: None };
        self.store(agent, &settings, std::iter::once(incoming), OnConflict::Revise, now).await
    }

    async fn store(
        &self,
        agent: &Agent,
        settings: &Settings,
        incoming: impl Iterator<Item = Incoming> + Send,
        on_conflict: OnConflict,
        now: Timestamp,
    ) -> Result<IngestReceipt> {
        let zones = settings.zones()?;
        let turns = incoming.map(|incoming| incoming.into_turn(agent, &zones)).collect();
        self.store.ingest(agent, turns, on_conflict, now).await
    }
}

/// Prepares the messages of one request, and gives them their keys.
fn turns_of(agent: &Agent, settings: &Settings, new: Vec<NewMessage>) -> Result<Vec<Turn>> {
    let zones = settings.zones()?;
    let (mut messages, mut rest) = (Vec::with_capacity(new.len()), Vec::with_capacity(new.len()));
    for NewMessage { message, origin, attachment } in new {
        messages.push(message);
        rest.push((origin, attachment.map(|json| if settings.mask { mask_json(&json) } else { json })));
    }
    let (messages, masked): (Vec<Message>, Vec<u64>) = prepare_each(settings, messages).into_iter().unzip();
    let incoming = identify(&messages).into_iter().zip(messages).zip(masked).zip(rest);
    let incoming = incoming.map(|(((key, message), masked), (origin, attachment))| {
        Incoming { key, message, masked, origin, attachment }.into_turn(agent, &zones)
    });
    Ok(incoming.collect())
}

/// A message to be stored, with its key and the number of credentials masked in it.
struct Incoming {
    key: TurnKey,
    message: Message,
    masked: u64,
    origin: Origin,
    attachment: Option<String>,
}

impl Incoming {
    fn into_turn(self, agent: &Agent, zones: &Zones) -> Turn {
        let Incoming { key, message, masked, origin, attachment } = self;
        let day = Period::of(Grain::Daily, zones.day_of(message.at));
        Turn { id: MemoryId::turn(agent, &key), key, day, message, masked, origin, attachment }
    }
}

impl Writer {
    /// Compares messages with what is stored under their keys, so that a whole file can be refused before any of it is stored.
    /// Expects prepared messages, because those are stored.
    pub async fn compare_messages(&self, agent: &Agent, messages: &[(TurnKey, Message)]) -> Result<Vec<Comparison>> {
        let mut compared = Vec::with_capacity(messages.len());
        for batch in messages.chunks(LOOK_UP) {
            compared.extend(self.store.compare(agent, batch).await?);
        }
        Ok(compared)
    }
}

fn prepare_each(settings: &Settings, messages: Vec<Message>) -> Vec<(Message, u64)> {
    if !settings.mask {
        return messages.into_iter().map(|message| (message, 0)).collect();
    }
    let prepare = |message: Message| {
        let (content, masked) = mask(&message.content);
        (Message { content, ..message }, masked)
    };
    messages.into_iter().map(prepare).collect()
}
