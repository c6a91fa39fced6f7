//! The catalog in memory: the model that every other implementation of the port is compared with.

mod archive;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

use annals_core::ports::{Catalog, Change, Counts, Lane, Select, Turn};
use annals_core::{
    Agent, DeadLetter, Grain, Kind, LedgerRow, Memory, MemoryId, Operation, Period, Result, Settings, Summary,
    Timestamp,
};
use async_trait::async_trait;

use archive::{Archive, request_id};

pub(crate) use archive::remember;

/// Port `Catalog` over plain maps. Clones share what they hold.
#[derive(Clone, Debug, Default)]
pub struct MemoryCatalog {
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    seq: u64,
    archives: BTreeMap<Agent, Archive>,
}

impl MemoryCatalog {
    /// An empty catalog.
    pub fn new() -> MemoryCatalog {
        MemoryCatalog::default()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no holder of the lock panics")
    }

    /// Reads of an agent; one that is not known reads as empty.
    fn read<T>(&self, agent: &Agent, read: impl FnOnce(&Archive) -> T) -> Result<T> {
        Ok(read(self.state().archives.get(agent).unwrap_or(&Archive::default())))
    }

    fn write<T>(&self, agent: &Agent, write: impl FnOnce(&mut Archive, &mut u64) -> T) -> Result<T> {
        let state = &mut *self.state();
        Ok(write(state.archives.entry(agent.clone()).or_default(), &mut state.seq))
    }
}

#[async_trait]
impl Catalog for MemoryCatalog {
    async fn agents(&self) -> Result<Vec<Agent>> {
        let state = self.state();
        let known = state.archives.iter().filter(|(_, archive)| archive.settings.is_some() || archive.has_messages());
        let mut agents: Vec<Agent> = known.map(|(agent, _)| agent.clone()).collect();
        agents.sort_by(|a, b| (a.name(), a.workspace()).cmp(&(b.name(), b.workspace())));
        Ok(agents)
    }

    async fn settings(&self, agent: &Agent) -> Result<Settings> {
        self.read(agent, |archive| archive.settings.clone().unwrap_or_default())
    }

    async fn save_settings(&self, agent: &Agent, settings: &Settings) -> Result<()> {
        self.write(agent, |archive, _| archive.settings = Some(settings.clone()))
    }

    async fn ingest(&self, agent: &Agent, turns: Vec<Turn>, revise: bool, now: Timestamp) -> Result<Operation> {
        self.write(agent, |archive, seq| {
            // Looked for first, so that all or none are stored.
            if let Some(conflict) = archive.conflict(&turns).filter(|_| !revise) {
                return Err(conflict);
            }
            let mut operation = Operation { id: request_id(&turns, revise), ..Operation::default() };
            for turn in turns {
                archive.store(turn, seq, now, &mut operation);
            }
            archive.operations.insert(operation.id.clone(), operation.clone());
            Ok(operation)
        })?
    }

    async fn changes(&self, agent: &Agent, grain: Grain, after: u64, limit: usize) -> Result<Vec<Change>> {
        let mut changes = self.read(agent, |archive| archive.changes(grain, after))?;
        changes.truncate(limit);
        Ok(changes)
    }

    async fn backlog(&self, agent: &Agent, grain: Grain, after: u64) -> Result<u64> {
        self.read(agent, |archive| archive.changes(grain, after).len() as u64)
    }

    async fn lane(&self, agent: &Agent, grain: Grain) -> Result<Lane> {
        let unknown = Lane { generation: 0, applied: 0, building: None };
        self.read(agent, |archive| archive.lanes.get(&grain).copied().unwrap_or(unknown))
    }

    async fn save_lane(&self, agent: &Agent, grain: Grain, lane: Lane) -> Result<()> {
        self.write(agent, |archive, _| {
            archive.lanes.insert(grain, lane);
        })
    }

    async fn ledger(&self, agent: &Agent) -> Result<Vec<LedgerRow>> {
        self.read(agent, |archive| archive.ledger.values().cloned().collect())
    }

    async fn inputs(&self, agent: &Agent, period: Period) -> Result<Vec<Memory>> {
        self.read(agent, |archive| {
            archive.select(|memory| match memory.kind {
                Kind::Turn => memory.period == period,
                Kind::Fact => false,
                Kind::Summary => memory.period.parent() == Some(period),
            })
        })
    }

    async fn save_summaries(&self, agent: &Agent, summaries: Vec<Summary>, now: Timestamp) -> Result<()> {
        self.write(agent, |archive, seq| {
            for summary in summaries {
                archive.save(agent, summary, seq, now);
            }
        })
    }

    async fn note_failure(&self, agent: &Agent, period: Period, error: &str, not_before: Timestamp) -> Result<()> {
        self.write(agent, |archive, _| {
            if let Some(row) = archive.ledger.get_mut(&period) {
                row.attempts += 1;
                row.last_error = Some(error.to_owned());
                row.not_before = Some(not_before);
            }
        })
    }

    async fn list(&self, agent: &Agent, select: &Select) -> Result<Vec<Memory>> {
        let Select { grain, within, conversation, newest_first, limit } = select;
        let mut memories = self.read(agent, |archive| {
            archive.select(|memory| {
                memory.grain == *grain
                    && memory.cover.overlaps(within)
                    && (conversation.is_none() || memory.conversation == *conversation)
            })
        })?;
        if *newest_first {
            memories.reverse();
        }
        memories.truncate(*limit);
        Ok(memories)
    }

    async fn get(&self, agent: &Agent, ids: &[MemoryId]) -> Result<Vec<Memory>> {
        self.read(agent, |archive| ids.iter().filter_map(|id| archive.memories.get(id).cloned()).collect())
    }

    async fn counts(&self, agent: &Agent) -> Result<Counts> {
        self.read(agent, |archive| {
            let mut counts = Counts::default();
            for memory in archive.memories.values() {
                counts.memories[memory.grain as usize] += 1;
            }
            let turns = archive.select(|memory| memory.kind == Kind::Turn);
            counts.extent = turns.first().zip(turns.last()).map(|(first, last)| (first.at(), last.at()));
            counts
        })
    }

    async fn operation(&self, agent: &Agent, id: &str) -> Result<Option<Operation>> {
        self.read(agent, |archive| archive.operations.get(id).cloned())
    }

    async fn bury(&self, letters: Vec<DeadLetter>) -> Result<()> {
        for letter in letters {
            self.write(&letter.agent.clone(), |archive, _| archive.letters.insert(letter.memory.clone(), letter))?;
        }
        Ok(())
    }

    async fn dead_letters(&self, agent: &Agent) -> Result<Vec<DeadLetter>> {
        let mut letters: Vec<_> = self.read(agent, |archive| archive.letters.values().cloned().collect())?;
        letters.sort_by_key(|letter| letter.at);
        Ok(letters)
    }

    async fn exhume(&self, agent: &Agent, memories: &[MemoryId]) -> Result<()> {
        self.write(agent, |archive, _| archive.letters.retain(|id, _| !memories.contains(id)))
    }

    async fn check(&self) -> Result<Vec<String>> {
        Ok(Vec::new())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn keeps_the_promises_of_the_port() {
        crate::catalog_suite(async || MemoryCatalog::new()).await;
    }
}
