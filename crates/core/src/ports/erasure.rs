//! Port `Erasure`: forgetting. An erased turn leaves a keyed hash, so that it is recognised if it is sent again.

use async_trait::async_trait;

use crate::ports::DocumentKey;
use crate::{Agent, Digest, Interval, MemoryId, Period, Result, Timestamp, TurnKey};

/// The target of an erasure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// By id: turns, statements, entries by a person or an import. A passage selects its whole document. Summaries are not
    /// selected, because they are derived from others.
    Memories(Vec<MemoryId>),
    /// A whole conversation.
    Conversation(String),
    /// Everything that names this entity in its text or metadata (speaker, conversation, id), or that the entity said.
    /// An alias is followed if a person or an import entered it, or if a speaker with one of the two names stated it
    /// and did not retract it. If there are speakers with both names, both must have stated it.
    Subject(String),
    /// Everything said within this interval, and the documents that were last written in it.
    Range(Interval),
    /// Everything, including the agent itself.
    Agent,
}

/// Identifies an item other than a message, so that a later import of the same item can be recognised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ItemKey {
    /// An imported statement, by its id.
    Statement(MemoryId),
    /// An operation of the fact log that was entered by a person or an import, by its id.
    Operation(String),
    /// A block, by its name.
    Block(String),
    /// A document.
    Document(DocumentKey),
}

impl ItemKey {
    /// Returns the words that identify the item: its type, then one or two more, the rest empty.
    pub fn words(&self) -> [&str; 3] {
        match self {
            ItemKey::Statement(id) => ["statement", id.as_str(), ""],
            ItemKey::Operation(id) => ["operation", id, ""],
            ItemKey::Block(name) => ["block", name, ""],
            ItemKey::Document(DocumentKey { collection, key }) => ["document", collection, key],
        }
    }
}

/// Report of what an erasure affects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ErasureReport {
    /// Turns that are removed.
    pub turns: Vec<MemoryId>,
    /// Turns that retention pruned before. Data derived from them is removed, and they are not stored again.
    pub pruned: Vec<MemoryId>,
    /// Number of pruned turns that may have left data and may or may not belong to the target. They were pruned in another
    /// folder, or by a version that kept only their ids.
    pub unresolved: u64,
    /// Sealed periods that may still contain data of unresolved turns.
    pub unresolved_in: Vec<Period>,
    /// For a subject: number of pruned turns that stay, because the subject did not say them and no remaining data of them
    /// names the subject. Their own text can no longer be read.
    pub unread: u64,
    /// For a subject: names that an alias in the fact log joins with a name of the subject, but that were not followed, because
    /// the right speakers did not state the alias ([`Target::Subject`]). Also names of speakers that contain a name of the subject.
    pub unfollowed: Vec<String>,
    /// For a subject: the agent's own prompts that name it. They stay, because a person has to edit them.
    pub prompts: Vec<String>,
    /// Statements that are removed: those extracted from the turns above, those that name the subject, those given by id or by
    /// their entry, and imported ones of the range. For an agent, all its statements.
    pub statements: Vec<MemoryId>,
    /// For a subject: memories that stay and lose a former text that names it.
    pub former_texts: Vec<MemoryId>,
    /// Removed operations of the fact log, by id.
    pub operations: Vec<String>,
    /// Summaries that are removed and rebuilt from the remaining input.
    pub rebuilt: Vec<Period>,
    /// Sealed summaries that lose sentences.
    pub cut: Vec<Period>,
    /// Sealed summaries that are removed as a whole: those that a model wrote from the target, because they cannot be cut,
    /// and those that have no sentence left after a cut. For an agent, all its summaries.
    pub lost: Vec<Period>,
    /// Blocks that are removed, by name: those that name the subject. For an agent, all its blocks.
    pub blocks: Vec<String>,
    /// Documents that are removed: those that name the subject, were last written in the range, or hold a given passage. For
    /// an agent, all its documents.
    pub documents: Vec<DocumentKey>,
    /// Number of dead letters that are removed.
    pub letters: u64,
    /// Sentences of removed data that occur nowhere in the remaining data. None of them may be found after the erasure.
    /// Not part of any printed report.
    pub words: Vec<String>,
    /// Sentences that sealed summaries lose, in order and without duplicates. For a pruned turn they are all that was
    /// left. Rebuilt summaries may contain some of them; other remaining data does not. Not part of any printed report.
    pub sealed_sentences: Vec<String>,
}

impl ErasureReport {
    /// Returns whether nothing matches the target.
    pub fn affects_nothing(&self) -> bool {
        let ErasureReport { turns, pruned, statements, former_texts, operations, blocks, documents, .. } = self;
        let ErasureReport { rebuilt, cut, lost, letters, .. } = self;
        let of_memories = [turns, pruned, statements, former_texts].iter().all(|ids| ids.is_empty());
        let of_periods = [rebuilt, cut, lost].iter().all(|periods| periods.is_empty());
        of_memories && of_periods && operations.is_empty() && blocks.is_empty() && documents.is_empty() && *letters == 0
    }
}

/// Erasure in the catalog. All changes that [`Erasure::erase`] makes are one transaction. Searches of all texts run in pieces,
/// before or after it, and other work continues meanwhile.
#[async_trait]
pub trait Erasure: Send + Sync {
    /// Returns what [`Erasure::erase`] would affect now.
    async fn preview(&self, agent: &Agent, target: &Target) -> Result<ErasureReport>;

    /// Erases the target: removes turns, statements, operations, dead letters, former texts, blocks and documents. Also removes
    /// all saved replies and all accepted requests of the agent, because they may repeat the target. Summaries made from the
    /// target are removed or cut, and their periods become dirty. Only keyed hashes stay: of the keys and contents of turns,
    /// of the keys of items that may be imported again ([`ItemKey`]), and of the accepted requests with idempotency
    /// keys. They cannot be computed without the secret key. Pruned turns are found by the hashes that pruning left,
    /// and by the data derived from them. The erased data is still on disk afterwards, so the agent's files must be
    /// cleaned.
    async fn erase(&self, agent: &Agent, target: &Target, now: Timestamp) -> Result<ErasureReport>;

    /// Returns for each message (key and digest of the content) whether it was forgotten.
    async fn forgotten(&self, agent: &Agent, messages: &[(TurnKey, Digest)]) -> Result<Vec<bool>>;

    /// Reverses the forgetting of these messages, so that they can be stored again.
    async fn unforget(&self, agent: &Agent, messages: &[(TurnKey, Digest)]) -> Result<()>;

    /// Returns for each key whether its item was forgotten. The store does not refuse to write a forgotten item, so an import
    /// must check first.
    async fn forgotten_items(&self, agent: &Agent, keys: &[ItemKey]) -> Result<Vec<bool>>;

    /// Reverses the forgetting of these items.
    async fn unforget_items(&self, agent: &Agent, keys: &[ItemKey]) -> Result<()>;

    /// Returns the agents with files that still contain erased data, each with the number of its last erasure, sorted by that
    /// number. Includes agents that were erased as a whole.
    async fn pending_cleanings(&self) -> Result<Vec<(Agent, u64)>>;

    /// Records that an agent's files were cleaned of everything erased up to that erasure. If a later erasure happened
    /// meanwhile, the agent still needs cleaning.
    async fn cleaned(&self, agent: &Agent, erasure: u64) -> Result<()>;

    /// Removes the remains of deleted rows from the files of the store, as far as the store can. Other work continues meanwhile.
    async fn scrub(&self) -> Result<()>;

    /// Returns where (table and column) this agent's rows contain any of these words.
    async fn find_leftovers(&self, agent: &Agent, words: &[String]) -> Result<Vec<String>>;

    /// Returns whether any of these words occurs in the parts of the file without rows: free pages and free space
    /// within pages. [`Erasure::scrub`] leaves none there, unless other writes move rows meanwhile. Returns false if the
    /// database does not show these parts.
    async fn unused_space_contains(&self, words: &[String]) -> Result<bool>;
}
