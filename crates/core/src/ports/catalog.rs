//! Port `Catalog`: the source of truth. Messages, summaries with lineage, ledger, watermarks, settings, dead letters.
//!
//! Every change takes the next number of one sequence; each projection stores the number up to which it has applied
//! changes. Each method is one transaction: durable when it returns, or without effect. Every method that reads or
//! writes memories takes the agent, so a query without a scope is impossible.

use async_trait::async_trait;

use crate::{
    Agent, Date, DeadLetter, Grain, IngestReceipt, Interval, Kind, LedgerRow, Memory, MemoryId, Message, Period,
    Result, Settings, Summary, Timestamp, TurnKey,
};

/// A message with its place, as `ingest` stores it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// The memory's id.
    pub id: MemoryId,
    /// Its conversation and its id there.
    pub key: TurnKey,
    /// Its local day.
    pub day: Period,
    /// The message.
    pub message: Message,
    /// Number of credentials that the caller masked in it. Counted in the operation that stores it, not stored with it.
    pub masked: u64,
    /// The origin of its text and its instant. Not stored with it.
    pub origin: Origin,
}

/// The origin of a turn's text and instant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Origin {
    /// The client sent both.
    #[default]
    Client,
    /// The client sent the text without an instant. `at` is the time of arrival and not part of the content sent.
    Untimed,
    /// A person corrects the text of a stored turn. If the client sends its original message again, it is still
    /// recognised.
    Correction,
}

/// Result of comparing a message with the turn stored under its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// No turn is stored under the key.
    New,
    /// The client sent the same before, whether or not the turn was corrected since; or a person corrected the turn to
    /// the same content.
    Same,
    /// The client sent something else before.
    Different,
    /// The client sent something else before, and a person has corrected the turn since.
    DifferentFromCorrected,
}

/// A change of one grain, for projections.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// The memory is new or changed; its `seq` is the sequence of the change.
    Upsert(Memory),
    /// The memory was removed.
    Delete {
        /// Its id.
        id: MemoryId,
        /// The sequence of the change.
        seq: u64,
    },
}

impl Change {
    /// Returns the catalog sequence of the change.
    pub fn seq(&self) -> u64 {
        match self {
            Change::Upsert(memory) => memory.seq,
            Change::Delete { seq, .. } => *seq,
        }
    }
}

/// Projection state of the table of one grain: its generations and their watermarks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Watermark {
    /// The generation that searches read.
    pub generation: u32,
    /// The watermark: the catalog sequence up to which that generation has applied all changes.
    pub applied: u64,
    /// The generation that a rebuild is filling beside it, and that generation's watermark.
    pub building: Option<(u32, u64)>,
}

impl Watermark {
    /// Returns whether a writer that read the state `read` may replace this stored state by `next`: nobody else has
    /// changed it since, and it goes back neither to an earlier generation nor within a generation.
    pub fn admits(self, read: Watermark, next: Watermark) -> bool {
        self == read && (next.generation, next.applied) >= (self.generation, self.applied)
    }
}

/// A selection of memories to list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Select {
    /// The grain.
    pub grain: Grain,
    /// Selects memories whose cover shares an instant with this interval.
    pub within: Interval,
    /// Only these kinds; empty means all.
    pub kinds: Vec<Kind>,
    /// Only turns of this conversation.
    pub conversation: Option<String>,
    /// Whether to list from newest to oldest.
    pub newest_first: bool,
    /// Maximum number of memories.
    pub limit: usize,
}

impl Select {
    /// Selects all memories of a grain, from oldest to newest.
    pub fn all(grain: Grain) -> Select {
        let (within, limit) = (Interval::ALWAYS, usize::MAX);
        Select { grain, within, kinds: Vec::new(), conversation: None, newest_first: false, limit }
    }

    /// Returns whether the selection includes memories of this kind.
    pub fn asks_for(&self, kind: Kind) -> bool {
        self.kinds.is_empty() || self.kinds.contains(&kind)
    }
}

/// The number of memories of an agent, and the time they span.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Live memories per grain, in the order of [`Grain::ALL`].
    pub memories: [u64; 6],
    /// The first and last instants of its turns.
    pub extent: Option<(Timestamp, Timestamp)>,
}

impl Counts {
    /// Returns whether the agent has a memory of any grain. Working memory alone does not decide, because a summary
    /// outlives its turns.
    pub fn has_memories(&self) -> bool {
        self.memories.iter().any(|number| *number > 0)
    }
}

/// A conversation that has stored turns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredConversation {
    /// Its name.
    pub name: String,
    /// Number of its turns.
    pub turns: u64,
    /// When its first turn was said.
    pub first: Timestamp,
    /// When its last turn was said.
    pub last: Timestamp,
}

/// The state of an agent that every request needs before it begins.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AgentState {
    /// Whether [`Catalog::agents`] lists the agent.
    pub known: bool,
    /// Its settings.
    pub settings: Settings,
    /// Changes of the working grain that its table has not applied yet.
    pub waiting: u64,
}

/// The catalog. The module documentation lists the properties that hold for all methods.
#[async_trait]
pub trait Catalog: Send + Sync {
    /// Returns the agents after the given one, by workspace, then by name; at most `limit`. Agents are those that have
    /// settings, turns, ledger rows, fact operations or blocks. With a workspace, only its agents.
    async fn agents(&self, workspace: Option<&str>, after: Option<&Agent>, limit: usize) -> Result<Vec<Agent>>;

    /// Returns the agent after the given one, or the first. For work that goes through all agents one by one.
    async fn next_agent(&self, after: Option<&Agent>) -> Result<Option<Agent>> {
        Ok(self.agents(None, after, 1).await?.pop())
    }

    /// Returns all agents. What runs often, or holds much of each, goes through them by pages instead.
    async fn all_agents(&self) -> Result<Vec<Agent>> {
        self.agents(None, None, usize::MAX).await
    }

    /// Returns the agents for which a roll-up pass may have work: changes that a table or the extraction has not
    /// applied, a table that is being rebuilt, and periods that may be closed by now and are dirty or were written by
    /// the fallback engine. One query for all agents, so that idle agents cost nothing. May return too many agents,
    /// never too few.
    async fn agents_with_work(&self, now: Timestamp) -> Result<Vec<Agent>>;

    /// Returns the state of an agent in one query. For an agent that does not exist: not known, default settings,
    /// nothing waiting.
    async fn agent_state(&self, agent: &Agent) -> Result<AgentState>;

    /// Returns the agent's settings, or the defaults for an unknown agent.
    async fn settings(&self, agent: &Agent) -> Result<Settings>;

    /// Replaces the settings.
    async fn save_settings(&self, agent: &Agent, settings: &Settings) -> Result<()>;

    /// Stores turns, all or none. Turns that are stored already, or were pruned, count as duplicates; with `revise`, a
    /// pruned turn is stored again as late input. Forgotten turns are counted and not stored. A stored key with other
    /// content is [`crate::Error::Conflict`], or with `revise` a replacement. Each new or revised turn makes its day
    /// dirty as of `now`; a revised turn that moved to another day also makes the former day dirty.
    ///
    /// Turns of one conversation never share an instant. A turn whose instant is taken, and every turn without an
    /// instant, is placed microseconds after the stored ones. So the order of arrival decides between equal instants in
    /// every order by time. Content means what the client sent ([`Origin`]).
    async fn ingest(&self, agent: &Agent, turns: Vec<Turn>, revise: bool, now: Timestamp) -> Result<IngestReceipt>;

    /// Compares messages with the turns stored under their keys. Results are in input order.
    async fn compare(&self, agent: &Agent, messages: &[(TurnKey, Message)]) -> Result<Vec<Comparison>>;

    /// Returns changes of a grain with a sequence above `after`, ascending, at most `limit`. Includes only the last
    /// change of each memory.
    async fn changes(&self, agent: &Agent, grain: Grain, after: u64, limit: usize) -> Result<Vec<Change>>;

    /// Returns the number of changes of a grain above `after`.
    async fn backlog(&self, agent: &Agent, grain: Grain, after: u64) -> Result<u64>;

    /// Returns the projection state of the grain's table; at first generation 0 with nothing applied.
    async fn watermark(&self, agent: &Agent, grain: Grain) -> Result<Watermark>;

    /// Replaces the projection state `read` of the grain's table, after the table is durable up to that watermark.
    /// [`crate::Error::Stale`] if [`Watermark::admits`] refuses it: the stored state is no longer the one that was read,
    /// or it would go back.
    async fn save_watermark(&self, agent: &Agent, grain: Grain, read: Watermark, watermark: Watermark) -> Result<()>;

    /// Returns the ledger row of every period that ever had input, by grain and time.
    async fn ledger(&self, agent: &Agent) -> Result<Vec<LedgerRow>>;

    /// Returns the last day whose memories of a grain were pruned: the last day of its last sealed parent period.
    /// `None` if nothing was pruned, and for years, which are pruned without sealing a parent. Older memories may still
    /// exist, because a pin keeps its whole set.
    async fn pruned_until(&self, agent: &Agent, grain: Grain) -> Result<Option<Date>>;

    /// Returns the input of a period: live turns for a day, live summaries of the finer grain otherwise. Ordered by
    /// time, then by conversation and id, so that the order of arrival does not matter.
    async fn inputs(&self, agent: &Agent, period: Period) -> Result<Vec<Memory>>;

    /// Saves roll-ups, all or none. [`crate::Error::Stale`] if the ledger row of one of the periods no longer has the
    /// state that its roll-up replaces; a period without a row has the default state. Each ledger row becomes clean up to `read_seq`. A changed text, a sentence with
    /// other source turns, and a removed summary are changes: they make the parent period dirty as of `now`.
    async fn save_summaries(&self, agent: &Agent, summaries: Vec<Summary>, now: Timestamp) -> Result<()>;

    /// Records that rolling up a period failed, and when to retry.
    async fn note_failure(
        &self,
        agent: &Agent,
        period: Period,
        error: &str,
        not_before: Timestamp,
        now: Timestamp,
    ) -> Result<()>;

    /// Records that rolling up these periods has to wait because the model endpoint is unavailable or the budget is
    /// spent, and when to retry. Like [`Catalog::note_failure`], but all or none, and `attempts` stay unchanged because
    /// the periods are not at fault. Ignores periods without a ledger row.
    async fn note_outage(
        &self,
        agent: &Agent,
        periods: &[Period],
        error: &str,
        not_before: Timestamp,
        now: Timestamp,
    ) -> Result<()>;

    /// Returns live memories by selection, in order of time.
    async fn list(&self, agent: &Agent, select: &Select) -> Result<Vec<Memory>>;

    /// Returns live memories by id, in input order. Omits ids that do not exist.
    async fn get(&self, agent: &Agent, ids: &[MemoryId]) -> Result<Vec<Memory>>;

    /// Returns conversations with live turns, by name, after the given name; at most `limit`.
    async fn conversations(&self, agent: &Agent, after: Option<&str>, limit: usize) -> Result<Vec<StoredConversation>>;

    /// Returns the number of memories of an agent, and the time they span.
    async fn counts(&self, agent: &Agent) -> Result<Counts>;

    /// Returns the accepted request with that id.
    async fn operation(&self, agent: &Agent, id: &str) -> Result<Option<IngestReceipt>>;

    /// Records memories that could not be projected into their table. Replaces earlier records of the same memories.
    async fn add_dead_letters(&self, letters: Vec<DeadLetter>) -> Result<()>;

    /// Returns the dead letters of an agent, by time.
    async fn dead_letters(&self, agent: &Agent) -> Result<Vec<DeadLetter>>;

    /// Removes the dead letters of stage `Table` of these memories, after they have been projected.
    async fn remove_dead_letters(&self, agent: &Agent, memories: &[MemoryId]) -> Result<()>;

    /// Checks the store's own structure. Returns the faults found; empty if it is sound.
    async fn check(&self) -> Result<Vec<String>>;
}
