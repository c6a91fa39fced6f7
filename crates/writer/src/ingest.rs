//! Taking in messages: one request, one transaction, all or none.

use std::collections::HashMap;

use annals_core::ports::Turn;
use annals_core::{
    Agent, Error, Fault, Grain, Memory, MemoryId, Message, Operation, Period, Result, Timestamp, TurnKey, Zones,
    identify,
};

use crate::{Writer, check};

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
        let faults: Vec<Fault> = messages.iter().flat_map(|message| check(message, now)).collect();
        if !faults.is_empty() {
            return Err(Error::Faults(faults));
        }
        let keys = identify(&messages);
        self.ingest_keyed(agent, keys.into_iter().zip(messages).collect(), revise, now).await
    }

    /// The same for a piece of a larger request, whose messages were checked and got their keys as a whole.
    pub async fn ingest_keyed(
        &self,
        agent: &Agent,
        messages: Vec<(TurnKey, Message)>,
        revise: bool,
        now: Timestamp,
    ) -> Result<Operation> {
        let zones = self.catalog.settings(agent).await?.zones()?;
        let turns = messages.into_iter().map(|(key, message)| turn(agent, &zones, key, message)).collect();
        self.catalog.ingest(agent, turns, revise, now).await
    }
}

impl Writer {
    /// Those of the messages whose key is stored with other content, so that a whole file can be refused before any of it is
    /// stored.
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

fn says(memory: &Memory, message: &Message) -> bool {
    memory.text == message.content
        && memory.at() == message.at
        && memory.role == Some(message.role)
        && memory.speaker.as_deref() == Some(message.speaker())
}

fn turn(agent: &Agent, zones: &Zones, key: TurnKey, message: Message) -> Turn {
    let id = MemoryId::turn(agent, &key);
    Turn { id, key, day: Period::of(Grain::Daily, zones.day_of(message.at)), message }
}
