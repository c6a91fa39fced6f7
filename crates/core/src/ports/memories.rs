//! Port `Memories`: reads the memories of all grains.

use std::collections::{BTreeMap, BTreeSet};

use async_trait::async_trait;

use crate::{Agent, Date, Grain, Interval, Kind, Memory, MemoryId, Period, Result, Timestamp};

/// A selection of memories to list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Select {
    /// Only memories of this grain.
    pub grain: Grain,
    /// Only memories with a cover that shares an instant with this interval.
    pub within: Interval,
    /// Only these kinds; empty means all but passages, because documents are listed by themselves.
    pub kinds: Vec<Kind>,
    /// Only turns of this conversation.
    pub conversation: Option<String>,
    /// Whether to list from newest to oldest.
    pub newest_first: bool,
    /// Maximum number of memories.
    pub limit: usize,
}

impl Select {
    /// Selects all memories of a grain except passages of documents, from oldest to newest.
    pub fn all(grain: Grain) -> Select {
        let (within, limit) = (Interval::ALWAYS, usize::MAX);
        Select { grain, within, kinds: Vec::new(), conversation: None, newest_first: false, limit }
    }

    /// Selects all rows of a grain's table: its memories and the passages of documents.
    pub fn rows(grain: Grain) -> Select {
        Select { kinds: vec![Kind::Turn, Kind::Statement, Kind::Summary, Kind::Passage], ..Select::all(grain) }
    }

    /// Returns whether the selection includes memories of this kind.
    pub fn asks_for(&self, kind: Kind) -> bool {
        if self.kinds.is_empty() { kind != Kind::Passage } else { self.kinds.contains(&kind) }
    }
}

/// A conversation that has stored turns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredConversation {
    /// The name, unique within the agent.
    pub name: String,
    /// Number of its turns.
    pub turns: u64,
    /// When its first turn was said.
    pub first: Timestamp,
    /// When its last turn was said.
    pub last: Timestamp,
}

/// The days and periods with memories of an agent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outline {
    /// Number of live turns per local day. Days without turns are absent.
    pub turns: BTreeMap<Date, u64>,
    /// Periods with a live summary.
    pub summaries: BTreeSet<Period>,
}

/// The live memories of agents.
#[async_trait]
pub trait Memories: Send + Sync {
    /// Returns the live memories that the selection includes, in the order of time that it asks for.
    async fn list(&self, agent: &Agent, select: &Select) -> Result<Vec<Memory>>;

    /// Returns live memories by id, in input order. Omits ids that do not exist.
    async fn get(&self, agent: &Agent, ids: &[MemoryId]) -> Result<Vec<Memory>>;

    /// Returns the agent of the live memory with this id. `None` if no live memory has it. An id is a hash that includes the
    /// agent, so at most one agent has it.
    async fn agent_of(&self, id: &MemoryId) -> Result<Option<Agent>>;

    /// Returns live turns and statements with an id that begins with `prefix`, sorted by id; at most `limit`.
    async fn find_by_prefix(&self, agent: &Agent, prefix: &str, limit: usize) -> Result<Vec<Memory>>;

    /// Returns conversations with live turns that come after the given name, sorted by name; at most `limit`.
    async fn conversations(&self, agent: &Agent, after: Option<&str>, limit: usize) -> Result<Vec<StoredConversation>>;

    /// Returns the days with live turns and the periods with live summaries.
    async fn outline(&self, agent: &Agent) -> Result<Outline>;
}
