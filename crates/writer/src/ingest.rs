//! Taking in messages: one request, one transaction, all or none.

use std::collections::HashMap;

use annals_core::ports::Turn;
use annals_core::{
    Agent, Error, Fault, Grain, Memory, MemoryId, Message, Operation, Period, Result, Settings, Timestamp, TurnKey,
    Zones, identify,
};

use crate::{Writer, check, mask};

/// Memories per look-up.
const LOOK_UP: usize = 500;

impl Writer {
    /// Stores the messages of one request. When this returns they are committed and fsynced, and will reach every grain.
    /// `revise` replaces what is stored under the same id with other content; without it that is an error.
    pub async fn ingest(
        &self,
        agent: &Agent,
        messages: Vec<Message>,
        revise: bool,
        now: Timestamp,
    ) -> Result<Operation> {
        let settings = self.catalog.settings(agent).await?;
        self.ingest_by(agent, &settings, messages, revise, now).await
    }

    /// The same for who has read the agent's settings already.
    pub async fn ingest_by(
        &self,
        agent: &Agent,
        settings: &Settings,
        messages: Vec<Message>,
        revise: bool,
        now: Timestamp,
    ) -> Result<Operation> {
        let faults: Vec<Fault> = messages.iter().flat_map(|message| check(message, now)).collect();
        if !faults.is_empty() {
            return Err(Error::Faults(faults));
        }
        let (messages, masked): (Vec<Message>, Vec<u64>) = prepare_each(settings, messages).into_iter().unzip();
        let keyed = identify(&messages).into_iter().zip(messages);
        self.store(agent, settings, keyed.zip(masked), revise, now).await
    }

    /// The messages as they are to be stored, and how many credentials were masked in them. Comes before [`identify`], so that
    /// the same request gets the same keys.
    pub async fn prepare(&self, agent: &Agent, messages: Vec<Message>) -> Result<(Vec<Message>, u64)> {
        let settings = self.catalog.settings(agent).await?;
        let (messages, masked): (Vec<Message>, Vec<u64>) = prepare_each(&settings, messages).into_iter().unzip();
        Ok((messages, masked.into_iter().sum()))
    }

    /// The same for a piece of a larger request, whose messages were checked, prepared and given their keys as a whole.
    pub async fn ingest_keyed(
        &self,
        agent: &Agent,
        messages: Vec<(TurnKey, Message)>,
        revise: bool,
        now: Timestamp,
    ) -> Result<Operation> {
        let settings = self.catalog.settings(agent).await?;
        self.store(agent, &settings, messages.into_iter().map(|keyed| (keyed, 0)), revise, now).await
    }

    /// Stores messages, each with its key and the number of credentials that were masked in it.
    async fn store(
        &self,
        agent: &Agent,
        settings: &Settings,
        messages: impl Iterator<Item = ((TurnKey, Message), u64)> + Send,
        revise: bool,
        now: Timestamp,
    ) -> Result<Operation> {
        let zones = settings.zones()?;
        let turns = messages.map(|((key, message), masked)| turn(agent, &zones, key, message, masked)).collect();
        self.catalog.ingest(agent, turns, revise, now).await
    }
}

impl Writer {
    /// Those of the messages whose key is stored with other content, so that a whole file can be refused before any of it is
    /// stored. Compares them as they are given: prepared ones, since those are what is stored.
    pub async fn conflicts<'m>(
        &self,
        agent: &Agent,
        messages: &'m [(TurnKey, Message)],
    ) -> Result<Vec<&'m (TurnKey, Message)>> {
        let mut conflicts = Vec::new();
        for batch in messages.chunks(LOOK_UP) {
            let ids: Vec<MemoryId> = batch.iter().map(|(key, _)| MemoryId::turn(agent, key)).collect();
            let stored = self.catalog.get(agent, &ids).await?;
            let stored: HashMap<&MemoryId, &Memory> = stored.iter().map(|memory| (&memory.id, memory)).collect();
            let differs =
                |id: &MemoryId, message: &Message| stored.get(id).is_some_and(|memory| !says(memory, message));
            conflicts
                .extend(batch.iter().zip(&ids).filter(|((_, message), id)| differs(id, message)).map(|pair| pair.0));
        }
        Ok(conflicts)
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

fn says(memory: &Memory, message: &Message) -> bool {
    memory.text == message.content
        && memory.at() == message.at
        && memory.role == Some(message.role)
        && memory.speaker.as_deref() == Some(message.speaker())
}

fn turn(agent: &Agent, zones: &Zones, key: TurnKey, message: Message, masked: u64) -> Turn {
    let id = MemoryId::turn(agent, &key);
    Turn { id, key, day: Period::of(Grain::Daily, zones.day_of(message.at)), message, masked }
}
