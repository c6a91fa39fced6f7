//! Port `Erasure`: forgetting. What is erased leaves a keyed hash, so that it is recognised when it comes again.

use async_trait::async_trait;

use crate::{Agent, Digest, Interval, MemoryId, Period, Result, Timestamp, TurnKey};

/// What is to be forgotten.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// Memories by id: turns, statements, entries by hand. Not summaries, which are made of others.
    Memories(Vec<MemoryId>),
    /// A whole conversation.
    Conversation(String),
    /// Whatever names this entity, in its words or beside them (speaker, conversation, id), or was said by it. Its other names
    /// count where a person entered them, or somebody who bears one of the two names said so and did not take it back.
    Subject(String),
    /// What was said within.
    Range(Interval),
    /// Everything, the agent itself included.
    Agent,
}

/// What forgetting a target reaches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reach {
    /// Turns that go.
    pub turns: Vec<MemoryId>,
    /// Turns that retention pruned before: what was made of them goes, and they are not stored again.
    pub pruned: Vec<MemoryId>,
    /// How many pruned turns may have something left and cannot be told to belong to the target or not: they were pruned by a
    /// version that kept no more than their ids, or in another folder.
    pub unresolved: u64,
    /// Sealed periods that may still hold something of unresolved turns.
    pub unresolved_in: Vec<Period>,
    /// Of a subject: pruned turns that stay, since nothing that is left of them names it. Their own words cannot be read.
    pub unread: u64,
    /// Of a subject: names that the log joins with its own and that were not followed, for only others said so.
    pub unfollowed: Vec<String>,
    /// Statements drawn out of them, or naming the subject.
    pub statements: Vec<MemoryId>,
    /// Operations of the fact log that go, by id.
    pub operations: Vec<String>,
    /// Summaries that are removed and written again from what is left.
    pub rebuilt: Vec<Period>,
    /// Sealed summaries that lose sentences.
    pub cut: Vec<Period>,
    /// Sealed summaries that were made of it and written by a model: they cannot be cut and go altogether.
    pub lost: Vec<Period>,
    /// Blocks that name the subject and go, by name.
    pub blocks: Vec<String>,
    /// Dead letters that go.
    pub letters: u64,
    /// Sentences of what goes that stand nowhere else in what stays: none of them may be found afterwards. Not part of any
    /// report.
    pub words: Vec<String>,
    /// Sentences that sealed summaries lose, in order and without duplicates: of a pruned turn they are all that was left.
    /// Summaries that are written again may hold some of them; no former text of a memory that stays does. Not part of any report.
    pub sealed_sentences: Vec<String>,
}

/// Forgetting, in the catalog. Each method is one transaction.
#[async_trait]
pub trait Erasure: Send + Sync {
    /// What [`Erasure::erase`] would reach now.
    async fn reach(&self, agent: &Agent, target: &Target) -> Result<Reach>;

    /// Erases: turns, statements, operations, letters, versions of corrected memories, saved replies and accepted requests
    /// go, and blocks that name the subject; summaries that were made of them go or are cut, and their periods become dirty;
    /// keyed hashes of the turns' places and contents stay, and nothing that can be computed without the key. Pruned turns are
    /// reached by the keyed hashes that pruning left, and by what is left of them. What was erased is still on disk: from here on cleaning is owed.
    async fn erase(&self, agent: &Agent, target: &Target, now: Timestamp) -> Result<Reach>;

    /// Which of these messages (place and digest of the content) were forgotten.
    async fn forgotten(&self, agent: &Agent, messages: &[(TurnKey, Digest)]) -> Result<Vec<bool>>;

    /// Takes back that these messages were forgotten, so that they may be stored again.
    async fn unforget(&self, agent: &Agent, messages: &[(TurnKey, Digest)]) -> Result<()>;

    /// The agents whose files are still to be cleaned of what was erased, each with the number of its last erasure, by number.
    /// Agents that were erased whole are among them.
    async fn cleaning_owed(&self) -> Result<Vec<(Agent, u64)>>;

    /// Notes that an agent's files were cleaned of all that was erased up to that erasure. If there was a later one meanwhile,
    /// cleaning is still owed.
    async fn cleaned(&self, agent: &Agent, erasure: u64) -> Result<()>;

    /// Overwrites what is left of deleted rows in the file and its log. Other work goes on meanwhile.
    async fn scrub(&self) -> Result<()>;

    /// The places (table and column) where this agent's rows contain any of these words.
    async fn holds(&self, agent: &Agent, words: &[String]) -> Result<Vec<String>>;

    /// Whether any of these words stands in the parts of the file that hold no row: free pages, and what pages have free.
    /// [`Erasure::scrub`] leaves none there.
    async fn unused_space_holds(&self, words: &[String]) -> Result<bool>;
}
