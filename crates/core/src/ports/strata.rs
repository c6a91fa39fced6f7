//! Port `Strata`: the searchable tables of an agent, one per grain. They are projections of the catalog and can be
//! rebuilt.

use std::sync::Arc;

use async_trait::async_trait;

use crate::{Agent, Digest, Error, Filter, Grain, Interval, Kind, MemoryId, Period, Result, ones};

/// One generation of one table. A rebuild fills generation n+1 beside n, then swaps.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Table {
    /// The agent that owns the memories. Each agent has a folder of its own.
    pub agent: Agent,
    /// The grain of the memories.
    pub grain: Grain,
    /// Number of the generation, counted from 0.
    pub generation: u32,
}

/// A piece of a memory that fits the embedder's window, with its vector. A short memory has one part.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Id of the memory.
    pub memory: MemoryId,
    /// Index of the part within the memory, from 0.
    pub part: u32,
    /// The kind of the memory.
    pub kind: Kind,
    /// The period that the memory covers.
    pub period: Period,
    /// The instants that the memory covers.
    pub cover: Interval,
    /// The speaker of a turn, or the first of the people that a statement is about.
    pub speaker: Option<String>,
    /// The conversation of a turn.
    pub conversation: Option<String>,
    /// The text of the part.
    pub text: String,
    /// Two-letter code of the language of the text, whose stemmer text search applies.
    pub language: String,
    /// The vector of the text, of unit length.
    pub vector: Vec<f32>,
    /// The sequence number of the change that wrote the part.
    pub seq: u64,
}

/// Changes to one table, applied atomically.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Batch {
    /// The length of the vectors. A table is created with it, and refuses batches of another length as damaged.
    pub dimension: usize,
    /// All parts of each new or changed memory. Stored parts of these memories that are not listed here are removed.
    pub upserts: Vec<Part>,
    /// Memories to remove with all their parts.
    pub deletes: Vec<MemoryId>,
}

/// A search of one table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Probe {
    /// A vector of unit length. Finds the most similar parts. With `None`, nothing is found by similarity.
    pub vector: Option<Vec<f32>>,
    /// Words to look for. Finds the parts that contain any of them, weighted towards rare words. With `None`, nothing is found
    /// by words.
    pub text: Option<String>,
    /// Two-letter code of the agent's language: that of `text`, if its own is unclear.
    pub language: String,
    /// Parts that do not pass are left out before ranking.
    pub filter: Filter,
    /// Maximum number of parts for vector and text each. A store with the rows in memory adds the other parts of their
    /// turns, and the parts next to these turns in their conversations.
    pub limit: usize,
    /// If the table has at most this many rows, `limit` does not apply: the vector finds all rows that pass the filter,
    /// and the text finds all that contain a word.
    pub exact: usize,
}

/// The result of a search of one table, and the distribution of scores over all rows that pass the filter. A store that
/// searches on disk takes the distributions over the hits alone. A score is meaningful only relative to the others.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Findings {
    /// The parts that were found, in no particular order.
    pub hits: Vec<Hit>,
    /// The conversations of the hits.
    pub conversations: Vec<Conversation>,
    /// Statistics of the conversations of all rows that pass.
    pub all_conversations: Conversations,
    /// Distribution of the similarity of all rows that pass, exact or estimated.
    pub similarity: Spread,
    /// Distribution of the relevance of all rows that pass. A row without any of the words has relevance zero.
    pub relevance: Spread,
    /// The BM25 weight of each of the first 64 words of the question, in their order: higher for words that are rarer
    /// among the rows, including words that no row contains. Equal for all words if the store does not count the rows
    /// that contain each word.
    pub rarity: Vec<f32>,
    /// The rarity of a word that no row contains.
    pub rarest: f32,
}

/// A part that was found by similarity, by words, or by both, or that is next to such a part.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// Id of the memory.
    pub memory: MemoryId,
    /// Index of the part within the memory, from 0.
    pub part: u32,
    /// The position of a turn's part in its conversation; `None` for other kinds.
    pub position: Option<Position>,
    /// Cosine similarity. Set if the vector found the part; some stores set it on the other hits too.
    pub similarity: Option<f32>,
    /// BM25 score. Set if the words found the part; some stores set it on every hit that contains one of the words.
    pub relevance: Option<f32>,
    /// The words of the question that the part contains: one bit for each of the first 64, in the order of the question. 0 if
    /// `relevance` is `None`.
    pub matched: u64,
}

/// The position of a turn's part in its conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// Index into [`Findings::conversations`].
    pub conversation: usize,
    /// Index among the parts of the conversation, ordered by time, memory and part. Parts with consecutive numbers are
    /// neighbours. A store that does not know which hits are neighbours gives them numbers that are not consecutive.
    pub index: u32,
}

/// Statistics of the parts of one conversation that pass the filter, or of its hits alone ([`Findings`]).
#[derive(Clone, Debug, PartialEq)]
pub struct Conversation {
    /// Name of the conversation.
    pub name: Arc<str>,
    /// Number of parts.
    pub parts: u32,
    /// Mean similarity of the parts, exact or approximate.
    pub similarity: f32,
    /// The query words that any of the parts contains, one bit each.
    pub matched: u64,
}

/// Statistics of many conversations. An agent has thousands; one question finds parts of a few hundred.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Conversations {
    /// Distribution of the similarity of the conversations.
    pub similarity: Spread,
    /// Number of conversations that contain each of the first 64 words of the question, up to the last word that any
    /// contains.
    pub holders: Vec<u32>,
}

impl Conversations {
    /// Returns the statistics of conversations. Each is given by its mean similarity and the query words that it
    /// contains, one bit each.
    pub fn of(all: impl Iterator<Item = (f32, u64)> + Clone) -> Conversations {
        let mut holders = Vec::new();
        for word in all.clone().flat_map(|(_, matched)| ones(matched)) {
            holders.resize(holders.len().max(word + 1), 0);
            holders[word] += 1;
        }
        Conversations { similarity: Spread::of(all.clone().count(), all.map(|(similarity, _)| similarity)), holders }
    }

    /// Returns the combined statistics of two tables.
    pub fn and(self, other: Conversations) -> Conversations {
        let mut holders = self.holders;
        holders.resize(holders.len().max(other.holders.len()), 0);
        holders.iter_mut().zip(other.holders).for_each(|(count, more)| *count += more);
        Conversations { similarity: self.similarity.and(other.similarity), holders }
    }
}

/// Distribution of a value over rows or conversations.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spread {
    /// Number of values, including zeros.
    pub rows: usize,
    /// Mean of the values.
    pub mean: f64,
    /// Standard deviation of the values.
    pub deviation: f64,
}

impl Spread {
    /// Returns the distribution over `rows` rows. `values` are sparse; missing rows are zero.
    pub fn of(rows: usize, values: impl Iterator<Item = f32>) -> Spread {
        let (sum, squares) =
            values.map(f64::from).fold((0.0, 0.0), |(sum, squares), value| (sum + value, squares + value * value));
        let count = rows.max(1) as f64;
        let mean = sum / count;
        Spread { rows, mean, deviation: (squares / count - mean * mean).max(0.0).sqrt() }
    }

    /// Returns the distribution over the rows of both.
    pub fn and(self, other: Spread) -> Spread {
        let rows = self.rows + other.rows;
        let share = |spread: Spread| spread.rows as f64 / rows.max(1) as f64;
        let mean = share(self) * self.mean + share(other) * other.mean;
        let square = |spread: Spread| share(spread) * (spread.deviation.powi(2) + (spread.mean - mean).powi(2));
        Spread { rows, mean, deviation: (square(self) + square(other)).sqrt() }
    }
}

/// A row of a table, as a check reads it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stored {
    /// Id of the memory.
    pub memory: MemoryId,
    /// Index of the part within the memory, from 0.
    pub part: u32,
    /// The sequence number of the change that wrote the row.
    pub seq: u64,
    /// Hash of the whole row including the vector, but without `seq`.
    pub digest: Digest,
}

/// Fragmentation of a table, which compaction reduces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TableStats {
    /// Number of versions that are kept.
    pub versions: u64,
    /// Number of fragments that hold its rows.
    pub fragments: u64,
}

/// The tables. A table that was never written reads as empty.
#[async_trait]
pub trait Strata: Send + Sync {
    /// Applies a batch durably: after it returns, a power cut does not undo it, and the table exists even if the batch
    /// is empty. Applying a batch twice has the same effect as once. Compacts the table if that is due.
    /// [`crate::Error::Damaged`] when the table cannot be read.
    async fn apply(&self, table: &Table, batch: Batch) -> Result<()>;

    /// Returns whether the table was ever written and still exists.
    async fn exists(&self, table: &Table) -> Result<bool>;

    /// Fails with [`crate::Error::Damaged`] if changes up to `applied` were written to the table and it no longer
    /// exists. Without this check a lost table reads as an empty one.
    async fn require(&self, table: &Table, applied: u64) -> Result<()> {
        if applied == 0 || self.exists(table).await? {
            return Ok(());
        }
        let Table { agent, grain, generation } = table;
        let what = format!("table {grain}-g{generation} of agent {agent} (folder {})", agent.folder());
        Err(Error::damaged(what, "it is missing"))
    }

    /// Returns the parts that match a probe.
    async fn search(&self, table: &Table, probe: &Probe) -> Result<Findings>;

    /// Returns every row, sorted. Reads all bytes, so damage anywhere is noticed.
    async fn scan(&self, table: &Table) -> Result<Vec<Stored>>;

    /// Removes a generation, if it exists.
    async fn remove(&self, table: &Table) -> Result<()>;

    /// Copies the live rows of a generation into a new one, vectors included. The new files contain no deleted data.
    async fn rewrite(&self, from: &Table, generation: u32) -> Result<()>;

    /// Returns the generations that have stored files, including unfinished and partly removed ones.
    async fn generations(&self, agent: &Agent) -> Result<Vec<Table>>;

    /// Removes all generations of the agent that are lower than the given generation of the same grain. Also removes
    /// all other files of the agent that belong to no table, such as quarantined tables, and the leftovers of
    /// interrupted removals of lower generations. An outdated list never removes a later generation.
    async fn remove_below(&self, agent: &Agent, tables: &[Table]) -> Result<()>;

    /// Removes everything of an agent.
    async fn remove_agent(&self, agent: &Agent) -> Result<()>;

    /// Returns the places in the agent's stored files, in every version of every table, at which the decoded text contains
    /// any of these words. Used to prove an erasure.
    async fn find_leftovers(&self, agent: &Agent, words: &[String]) -> Result<Vec<String>>;

    /// Compacts a table now, whether it is due or not. Its rows stay unchanged.
    async fn compact(&self, table: &Table) -> Result<()>;

    /// Returns the fragmentation of a table; zero for a table that was never written, or that does not fragment.
    async fn table_stats(&self, table: &Table) -> Result<TableStats>;

    /// Moves a damaged generation aside for inspection and returns its new location; `None` if it does not exist.
    async fn quarantine(&self, table: &Table) -> Result<Option<String>>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn combined_conversations_equal_those_of_one_table() {
        let all = [(0.5, 0b101), (0.25, 0b1), (0.0, 0), (0.75, 0b100)];
        let of = |parts: &[(f32, u64)]| Conversations::of(parts.iter().copied());
        let (both, whole) = (of(&all[..1]).and(of(&all[1..])), of(&all));
        assert_eq!((&both.holders, both.similarity.rows), (&vec![2, 0, 2], 4));
        assert_eq!(both.holders, whole.holders);
        assert!((both.similarity.mean - 0.375).abs() < 1e-9, "{both:?}");
        assert!((both.similarity.deviation - whole.similarity.deviation).abs() < 1e-9, "{both:?}");
        assert_eq!((of(&all).and(of(&[])), of(&[])), (whole, Conversations::default()));
    }
}
