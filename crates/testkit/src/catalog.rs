//! The in-memory catalog with all its ports: the reference that every other implementation is compared with.

mod accesses;
mod agent_data;
mod archive;
mod batches;
mod blocks;
mod documents;
mod erasure;
mod idempotency;
mod journal;
mod keys;
mod ledger;
mod names;
mod replies;
mod seals;

use std::collections::BTreeMap;
use std::sync::Arc;

use annals_core::ports::{
    AgentState, Agents, BatchedRequest, Catalog, Change, ClockNote, Comparison, Counts, DeadLetters, Key, Memories,
    ModelBatch, OnConflict, Outline, Refusals, RequestState, RetentionLimits, Select, StoredConversation, Totals, Turn,
    Turns, VectorModel, Watermark, Watermarks,
};
use annals_core::{
    Agent, Date, DeadLetter, Digest, Error, Grain, IngestReceipt, Kind, Memory, MemoryId, Message, Price, Result,
    Settings, Stage, Timestamp, TurnKey,
};
use async_trait::async_trait;
use parking_lot::{Mutex, MutexGuard};

use crate::totals::totals_of_each;
use agent_data::AgentData;

pub(crate) use agent_data::remember;

/// Ports `Catalog`, `Journal`, `Seals`, `Replies`, `Batches`, `Erasure`, `Archive`, `Blocks`, `Documents`, `Requests`, `Keys`
/// and `Accesses` of one store, implemented with plain maps. Clones share their content.
#[derive(Clone, Debug, Default)]
pub struct MemoryCatalog {
    state: Arc<Mutex<State>>,
}

/// Requests of a batch by number.
type Requests = BTreeMap<u64, (BatchedRequest, RequestState)>;

type KeyUsage = BTreeMap<(String, Date), u64>;

#[derive(Debug, Default)]
struct State {
    /// The highest sequence number of the agents that were erased as a whole. The sequence of a new agent begins above it.
    floor: u64,
    agents_data: BTreeMap<Agent, AgentData>,
    clock: Option<ClockNote>,
    /// Agents with a restore in progress, each with the records restored so far.
    restoring: BTreeMap<Agent, AgentData>,
    /// Keys of the service, by id.
    keys: BTreeMap<String, (Key, Digest)>,
    /// Tokens that were booked to keys, by id and UTC day.
    key_usage: KeyUsage,
    /// Number of reservations of tokens so far, over all agents.
    reservations: u64,
    /// Number of memories that were listed so far, over all agents.
    listed: u64,
    /// Batches by id, each with its requests and their states.
    batches: BTreeMap<String, (ModelBatch, Requests)>,
    /// Prices of models, by name.
    prices: BTreeMap<String, Price>,
    refusals: BTreeMap<Digest, Refusals>,
    /// Number of erasures so far, over all agents.
    erasures: u64,
    /// Agents that still have to be cleaned, each with its last erasure.
    cleaning: BTreeMap<Agent, u64>,
}

impl MemoryCatalog {
    pub fn new() -> MemoryCatalog {
        MemoryCatalog::default()
    }

    /// Returns the number of memories that [`Memories::list`] returned so far.
    pub fn listed(&self) -> u64 {
        self.state().listed
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    /// Runs `read` on the state of an agent. An unknown agent reads as empty.
    fn read<T>(&self, agent: &Agent, read: impl FnOnce(&AgentData) -> T) -> Result<T> {
        Ok(read(self.state().agents_data.get(agent).unwrap_or(&AgentData::default())))
    }

    /// Runs `write` on the state of an agent and on the last sequence number of the agent.
    fn write<T>(&self, agent: &Agent, write: impl FnOnce(&mut AgentData, &mut u64) -> T) -> Result<T> {
        let state = &mut *self.state();
        state.check_free(agent, agent.key())?;
        let data = state.agents_data.entry(agent.clone()).or_default();
        let before = data.last_seq(state.floor);
        let mut seq = before;
        let done = write(data, &mut seq);
        if seq > before {
            data.seq = seq;
        }
        Ok(done)
    }
}

#[async_trait]
impl Agents for MemoryCatalog {
    async fn agents(&self, workspace: Option<&str>, after: Option<&Agent>, limit: usize) -> Result<Vec<Agent>> {
        let state = self.state();
        let known = state.agents_data.iter().filter(|(_, data)| data.is_known()).map(|(agent, _)| agent);
        let listed = known.filter(|agent| workspace.is_none_or(|workspace| agent.workspace() == workspace));
        Ok(listed.filter(|agent| after.is_none_or(|after| *agent > after)).take(limit).cloned().collect())
    }

    async fn resolve_agent(&self, workspace: &str, name: &str) -> Result<Agent> {
        let owner = self.state().owner(workspace, name).cloned();
        owner.map_or_else(|| Agent::in_workspace(workspace, name), Ok)
    }

    async fn rename_agent(&self, agent: &Agent, name: &str) -> Result<Agent> {
        self.state().rename(agent, name)
    }

    async fn agents_with_work(&self, now: Timestamp) -> Result<Vec<Agent>> {
        let state = self.state();
        let busy = state.agents_data.iter().filter(|(_, data)| data.has_work(now));
        Ok(busy.map(|(agent, _)| agent.clone()).collect())
    }

    async fn agents_to_reembed(&self, model: &VectorModel) -> Result<Vec<Agent>> {
        let state = self.state();
        let is_due = |data: &AgentData| data.watermarks.values().any(|table| table.needs_reembedding(model));
        let due = state.agents_data.iter().filter(|(_, data)| data.is_known() && is_due(data));
        Ok(due.map(|(agent, _)| agent.clone()).collect())
    }

    async fn agents_to_retain(&self, limits: &RetentionLimits) -> Result<Vec<Agent>> {
        let state = self.state();
        let due = state.agents_data.iter().filter(|(_, data)| data.is_known() && data.reaches(limits));
        Ok(due.map(|(agent, _)| agent.clone()).collect())
    }

    async fn totals(&self, now: Timestamp) -> Result<Totals> {
        totals_of_each(self, now).await
    }

    async fn agent_state(&self, agent: &Agent) -> Result<AgentState> {
        let applied = self.watermark(agent, Grain::Working).await?.applied;
        self.read(agent, |data| AgentState {
            known: data.is_known(),
            settings: data.settings.clone().unwrap_or_default(),
            waiting: data.changes(Grain::Working, applied).len() as u64,
        })
    }

    async fn last_change(&self, agent: &Agent) -> Result<u64> {
        self.read(agent, |data| data.seq)
    }

    async fn settings(&self, agent: &Agent) -> Result<Settings> {
        self.read(agent, |data| data.settings.clone().unwrap_or_default())
    }

    async fn save_settings(&self, agent: &Agent, settings: &Settings) -> Result<()> {
        self.write(agent, |data, _| data.settings = Some(settings.clone()))
    }

    async fn counts(&self, agent: &Agent) -> Result<Counts> {
        self.read(agent, |data| {
            let mut counts = Counts::default();
            for memory in data.memories.values() {
                counts.memories[memory.grain as usize] += 1;
            }
            let turns = data.select(|memory| memory.kind() == Kind::Turn);
            counts.last_ingest = data.last_ingest;
            counts.extent = turns.first().zip(turns.last()).map(|(first, last)| (first.at(), last.at()));
            counts
        })
    }
}

#[async_trait]
impl Turns for MemoryCatalog {
    async fn ingest(
        &self,
        agent: &Agent,
        turns: Vec<Turn>,
        on_conflict: OnConflict,
        now: Timestamp,
    ) -> Result<IngestReceipt> {
        self.write(agent, |data, seq| data.ingest(agent, turns, on_conflict, seq, now))?
    }

    async fn compare(&self, agent: &Agent, messages: &[(TurnKey, Message)]) -> Result<Vec<Comparison>> {
        self.read(agent, |data| {
            let compare = |(key, message): &(TurnKey, Message)| data.compare(&MemoryId::turn(agent, key), message);
            messages.iter().map(compare).collect()
        })
    }

    async fn operation(&self, agent: &Agent, id: &str) -> Result<Option<IngestReceipt>> {
        self.read(agent, |data| data.requests.get(id).cloned())
    }

    async fn attachments(&self, agent: &Agent, ids: &[MemoryId]) -> Result<Vec<Option<String>>> {
        self.read(agent, |data| ids.iter().map(|id| data.attachments.get(id).cloned()).collect())
    }

    async fn attach(&self, agent: &Agent, id: &MemoryId, attachment: &str) -> Result<bool> {
        self.write(agent, |data, _| {
            let is_known = data.has_turn(id);
            if is_known {
                data.attachments.insert(id.clone(), attachment.to_owned());
            }
            is_known
        })
    }
}

#[async_trait]
impl Memories for MemoryCatalog {
    async fn list(&self, agent: &Agent, select: &Select) -> Result<Vec<Memory>> {
        let Select { grain, within, conversation, newest_first, limit, .. } = select;
        let mut memories = self.read(agent, |data| {
            data.select(|memory| {
                memory.grain == *grain
                    && memory.cover.overlaps(within)
                    && select.asks_for(memory.kind())
                    && (conversation.is_none() || memory.conversation() == conversation.as_deref())
            })
        })?;
        if *newest_first {
            memories.reverse();
        }
        memories.truncate(*limit);
        self.state().listed += memories.len() as u64;
        Ok(memories)
    }

    async fn get(&self, agent: &Agent, ids: &[MemoryId]) -> Result<Vec<Memory>> {
        self.read(agent, |data| ids.iter().filter_map(|id| data.memories.get(id).cloned()).collect())
    }

    async fn agent_of(&self, id: &MemoryId) -> Result<Option<Agent>> {
        let state = self.state();
        let mut known = state.agents_data.iter().filter(|(_, data)| data.is_known());
        Ok(known.find(|(_, data)| data.memories.contains_key(id)).map(|(agent, _)| agent.clone()))
    }

    async fn find_by_prefix(&self, agent: &Agent, prefix: &str, limit: usize) -> Result<Vec<Memory>> {
        self.read(agent, |data| {
            let working = data.memories.values().filter(|memory| memory.kind() != Kind::Summary);
            working.filter(|memory| memory.id.as_str().starts_with(prefix)).take(limit).cloned().collect()
        })
    }

    async fn conversations(&self, agent: &Agent, after: Option<&str>, limit: usize) -> Result<Vec<StoredConversation>> {
        self.read(agent, |data| {
            let mut found: BTreeMap<String, StoredConversation> = BTreeMap::new();
            for turn in data.select(|memory| memory.kind() == Kind::Turn) {
                let (name, at) = (turn.conversation().unwrap_or_default().to_owned(), turn.at());
                let new = StoredConversation { name: name.clone(), turns: 0, first: at, last: at };
                let conversation = found.entry(name).or_insert(new);
                conversation.turns += 1;
                conversation.last = at;
            }
            let later = found.into_values().filter(|one| after.is_none_or(|after| one.name.as_str() > after));
            later.take(limit).collect()
        })
    }

    async fn outline(&self, agent: &Agent) -> Result<Outline> {
        self.read(agent, |data| {
            let mut outline = Outline::default();
            for memory in data.memories.values() {
                match memory.kind() {
                    Kind::Turn => *outline.turns.entry(memory.period.first_day()).or_default() += 1,
                    Kind::Summary => drop(outline.summaries.insert(memory.period)),
                    Kind::Statement | Kind::Passage => {}
                }
            }
            outline
        })
    }
}

#[async_trait]
impl Watermarks for MemoryCatalog {
    async fn changes(&self, agent: &Agent, grain: Grain, after: u64, limit: usize) -> Result<Vec<Change>> {
        let mut changes = self.read(agent, |data| data.changes(grain, after))?;
        changes.truncate(limit);
        Ok(changes)
    }

    async fn backlog(&self, agent: &Agent, grain: Grain, after: u64) -> Result<u64> {
        self.read(agent, |data| data.changes(grain, after).len() as u64)
    }

    async fn watermark(&self, agent: &Agent, grain: Grain) -> Result<Watermark> {
        self.read(agent, |data| data.watermarks.get(&grain).cloned().unwrap_or_default())
    }

    async fn save_watermark(&self, agent: &Agent, grain: Grain, read: Watermark, watermark: Watermark) -> Result<()> {
        self.write(agent, |data, _| {
            if !data.watermarks.get(&grain).cloned().unwrap_or_default().admits(&read, &watermark) {
                return Err(Error::Stale { what: format!("the watermark of the {grain} table") });
            }
            // Deletions that every generation of the table has applied are no longer needed.
            let applied = watermark.applied_by_all();
            data.gone.retain(|_, (of, seq)| *of != grain || *seq > applied);
            data.watermarks.insert(grain, watermark);
            Ok(())
        })?
    }
}

#[async_trait]
impl DeadLetters for MemoryCatalog {
    async fn add_dead_letters(&self, letters: Vec<DeadLetter>) -> Result<()> {
        for letter in letters {
            self.write(&letter.agent.clone(), |data, _| data.add_dead_letter(letter))?;
        }
        Ok(())
    }

    async fn dead_letters(&self, agent: &Agent) -> Result<Vec<DeadLetter>> {
        let mut letters: Vec<_> = self.read(agent, |data| data.letters.values().cloned().collect())?;
        letters.sort_by_key(|letter| letter.at);
        Ok(letters)
    }

    async fn remove_dead_letters(&self, agent: &Agent, memories: &[MemoryId]) -> Result<()> {
        self.write(agent, |data, _| {
            data.letters.retain(|(id, stage), _| *stage != Stage::Table || !memories.contains(id));
        })
    }
}

#[async_trait]
impl Catalog for MemoryCatalog {
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

    #[tokio::test]
    async fn passes_the_suites_of_the_other_ports() {
        crate::journal_suite(async || MemoryCatalog::new()).await;
        crate::replies_suite(async || MemoryCatalog::new()).await;
        crate::batches_suite(async || MemoryCatalog::new()).await;
        crate::seals_suite(async || MemoryCatalog::new()).await;
        crate::erasure_suite(async || MemoryCatalog::new()).await;
        crate::archive_suite(async || MemoryCatalog::new()).await;
        crate::blocks_suite(async || MemoryCatalog::new()).await;
        crate::documents_suite(async || MemoryCatalog::new()).await;
        crate::requests_suite(async || MemoryCatalog::new()).await;
        crate::keys_suite(async || MemoryCatalog::new()).await;
        crate::accesses_suite(async || MemoryCatalog::new()).await;
    }
}
