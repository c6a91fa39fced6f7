//! Port `Catalog`: the truth. Messages, summaries with lineage, ledger, lanes, settings, dead letters.
//!
//! Every change takes the next number of one sequence; projections remember the number up to which they have applied. Each
//! method is one transaction: durable when it returns, or without effect. Methods ask for the agent, so an unscoped question
//! cannot be put.

use async_trait::async_trait;

use crate::{
    Agent, Date, DeadLetter, Grain, Interval, Kind, LedgerRow, Memory, MemoryId, Message, Operation, Period, Result,
    Settings, Summary, Timestamp, TurnKey,
};

/// A message with its place: what `ingest` stores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// The memory's id.
    pub id: MemoryId,
    /// Conversation and id within it.
    pub key: TurnKey,
    /// The local day it belongs to.
    pub day: Period,
    /// What was said.
    pub message: Message,
    /// Credentials that were masked in it before it came here: counted in the operation that stores it, and not kept with it.
    pub masked: u64,
    /// Where its words and its moment come from. Not kept with it.
    pub origin: Origin,
}

/// Where the words and the moment of a turn come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Origin {
    /// The client sent both.
    #[default]
    Client,
    /// The client sent the words and no moment: `at` is when they arrived, and is no part of what the client sent.
    Untimed,
    /// A person corrects the words of a stored turn. What the client sent is still recognised when it comes again.
    Correction,
}

/// How a message compares with the turn that is stored under its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// No turn is stored under the key.
    New,
    /// Its client sent the same before, whether the turn was corrected since or not.
    Same,
    /// Its client sent something else before.
    Different,
    /// The same, and a person has corrected the turn since.
    DifferentFromCorrected,
}

/// A change of one grain, for projections.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "most changes are upserts; a box each would cost more than it saves")]
pub enum Change {
    /// The memory is new or different; its `seq` is the change's.
    Upsert(Memory),
    /// The memory is gone.
    Delete {
        /// Which.
        id: MemoryId,
        /// The change's sequence.
        seq: u64,
    },
}

impl Change {
    /// The catalog sequence of the change.
    pub fn seq(&self) -> u64 {
        match self {
            Change::Upsert(memory) => memory.seq,
            Change::Delete { seq, .. } => *seq,
        }
    }
}

/// How far the table of a grain has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lane {
    /// The generation that searches read.
    pub generation: u32,
    /// The catalog sequence up to which that generation has applied all changes.
    pub applied: u64,
    /// A generation being built beside it, and how far that one has come.
    pub building: Option<(u32, u64)>,
}

/// Which memories to list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Select {
    /// The grain.
    pub grain: Grain,
    /// Those whose cover shares an instant with this.
    pub within: Interval,
    /// Only these; all if none.
    pub kinds: Vec<Kind>,
    /// Only turns of this conversation.
    pub conversation: Option<String>,
    /// From the newest backwards rather than from the oldest on.
    pub newest_first: bool,
    /// The most memories.
    pub limit: usize,
}

impl Select {
    /// All of a grain, from the oldest on.
    pub fn all(grain: Grain) -> Select {
        let (within, limit) = (Interval::ALWAYS, usize::MAX);
        Select { grain, within, kinds: Vec::new(), conversation: None, newest_first: false, limit }
    }

    /// Whether it asks for memories of this kind.
    pub fn asks_for(&self, kind: Kind) -> bool {
        self.kinds.is_empty() || self.kinds.contains(&kind)
    }
}

/// How much an agent holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Live memories per grain, in the order of [`Grain::ALL`].
    pub memories: [u64; 6],
    /// The first and last instants of its turns.
    pub extent: Option<(Timestamp, Timestamp)>,
}

impl Counts {
    /// Whether it holds a memory of any grain. Those of working memory alone do not tell: a summary outlives its turns.
    pub fn has_memories(&self) -> bool {
        self.memories.iter().any(|number| *number > 0)
    }
}

/// A conversation of which turns are stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredConversation {
    /// Its name.
    pub name: String,
    /// Its turns.
    pub turns: u64,
    /// When the first of them was said.
    pub first: Timestamp,
    /// When the last of them was said.
    pub last: Timestamp,
}

/// What a request must know of an agent before it begins.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Standing {
    /// Whether [`Catalog::agents`] lists it.
    pub known: bool,
    /// Its settings.
    pub settings: Settings,
    /// Changes of the working grain that its table has not applied yet.
    pub waiting: u64,
}

/// The truth. See the module for what holds for all methods.
#[async_trait]
pub trait Catalog: Send + Sync {
    /// Every agent that has settings, messages or blocks, by name.
    async fn agents(&self) -> Result<Vec<Agent>>;

    /// The agents for which a roll-up may have something to do: changes that a table or the extraction has not applied, a table
    /// that is being built, and periods that were not written yet, or by the spare engine, and may be closed by now. One question
    /// for all agents, so that idle ones cost nothing. May name more, never fewer.
    async fn agents_with_work(&self, now: Timestamp) -> Result<Vec<Agent>>;

    /// How an agent stands: one question for what every request asks. Nothing is known or waits of one that does not exist.
    async fn standing(&self, agent: &Agent) -> Result<Standing>;

    /// The agent's settings; the defaults for one that is not known yet.
    async fn settings(&self, agent: &Agent) -> Result<Settings>;

    /// Replaces the settings.
    async fn save_settings(&self, agent: &Agent, settings: &Settings) -> Result<()>;

    /// Stores turns, all or none. What is there already, or was pruned, is counted as duplicate; what was forgotten stays so and
    /// is counted; the same key with other content is
    /// [`crate::Error::Conflict`], or with `revise` a replacement. Each new or revised turn makes its day dirty as of `now`,
    /// and a revised one that moved makes the day it left dirty too.
    ///
    /// Turns of one conversation never share a moment: one that arrives for a moment that is taken, and every one that came
    /// without a moment, is put right behind what is there, by microseconds. So the order of arrival decides between equal
    /// moments, in every order by time. What counts as content is what the client sent ([`Origin`]).
    async fn ingest(&self, agent: &Agent, turns: Vec<Turn>, revise: bool, now: Timestamp) -> Result<Operation>;

    /// How messages compare with what is stored under their keys, in their order.
    async fn compare(&self, agent: &Agent, messages: &[(TurnKey, Message)]) -> Result<Vec<Comparison>>;

    /// Changes of a grain with a sequence above `after`, ascending, at most `limit`. Only the last change of a memory shows.
    async fn changes(&self, agent: &Agent, grain: Grain, after: u64, limit: usize) -> Result<Vec<Change>>;

    /// How many changes of a grain lie above `after`.
    async fn backlog(&self, agent: &Agent, grain: Grain, after: u64) -> Result<u64>;

    /// How far the grain's table has come; generation 0 and nothing applied at first.
    async fn lane(&self, agent: &Agent, grain: Grain) -> Result<Lane>;

    /// Records how far the grain's table has come, after it is durable there.
    async fn save_lane(&self, agent: &Agent, grain: Grain, lane: Lane) -> Result<()>;

    /// Every period that ever had input, by grain and time.
    async fn ledger(&self, agent: &Agent) -> Result<Vec<LedgerRow>>;

    /// The last day of which memories of a grain were pruned; none if none was, and of years, which prune by themselves. Older
    /// ones may be there still: a pin keeps its whole set.
    async fn pruned_until(&self, agent: &Agent, grain: Grain) -> Result<Option<Date>>;

    /// What a period is made of: live turns of a day, live summaries of the finer grain otherwise; in order of time, then of
    /// conversation and id, so that the order of arrival does not matter.
    async fn inputs(&self, agent: &Agent, period: Period) -> Result<Vec<Memory>>;

    /// Saves roll-ups, all or none. The ledger row becomes clean up to `read_seq`. A text that
    /// differs from the stored one, a sentence that comes from other turns, and a summary that goes are changes: they make
    /// the parent period dirty as of `now`.
    async fn save_summaries(&self, agent: &Agent, summaries: Vec<Summary>, now: Timestamp) -> Result<()>;

    /// Notes that rolling up a period failed and when to try again.
    async fn note_failure(
        &self,
        agent: &Agent,
        period: Period,
        error: &str,
        not_before: Timestamp,
        now: Timestamp,
    ) -> Result<()>;

    /// Notes that rolling up these periods has to wait, for what writes them is away or its budget spent, and when to try
    /// again. As [`Catalog::note_failure`] does, but all or none, and `attempts` stay as they are: the periods are not at fault.
    /// Those that have no row (any more) are left out.
    async fn note_outage(
        &self,
        agent: &Agent,
        periods: &[Period],
        error: &str,
        not_before: Timestamp,
        now: Timestamp,
    ) -> Result<()>;

    /// Live memories by selection, in order.
    async fn list(&self, agent: &Agent, select: &Select) -> Result<Vec<Memory>>;

    /// Live memories by id, in the order asked for; those that do not exist are left out.
    async fn get(&self, agent: &Agent, ids: &[MemoryId]) -> Result<Vec<Memory>>;

    /// Conversations with live turns, by name, after the one of that name; at most `limit`.
    async fn conversations(&self, agent: &Agent, after: Option<&str>, limit: usize) -> Result<Vec<StoredConversation>>;

    /// How much the agent holds.
    async fn counts(&self, agent: &Agent) -> Result<Counts>;

    /// The accepted request of that id.
    async fn operation(&self, agent: &Agent, id: &str) -> Result<Option<Operation>>;

    /// Notes memories that could not be brought into their table, replacing earlier notes of the same.
    async fn bury(&self, letters: Vec<DeadLetter>) -> Result<()>;

    /// The dead letters of an agent, by time.
    async fn dead_letters(&self, agent: &Agent) -> Result<Vec<DeadLetter>>;

    /// Forgets the dead letters of stage table of these memories, once they have been brought in.
    async fn exhume(&self, agent: &Agent, memories: &[MemoryId]) -> Result<()>;

    /// Checks the store's own structure; the faults it found, none if it is sound.
    async fn check(&self) -> Result<Vec<String>>;
}
