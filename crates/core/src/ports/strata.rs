//! Port `Strata`: the searchable tables of an agent, one per grain. They are projections of the catalog and can be rebuilt.

use std::sync::Arc;

use async_trait::async_trait;

use crate::{Agent, Digest, Error, Filter, Grain, Interval, Kind, MemoryId, Period, Result, ones};

/// One generation of one table. A rebuild fills generation n+1 beside n, then swaps.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Table {
    /// Whose table: its folder is the agent's own.
    pub agent: Agent,
    /// Which grain.
    pub grain: Grain,
    /// Which generation.
    pub generation: u32,
}

/// A piece of a memory that fits the embedder's window, with its vector. Short memories have one.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// The memory.
    pub memory: MemoryId,
    /// Which piece of it, from 0.
    pub part: u32,
    /// What the memory is.
    pub kind: Kind,
    /// The period it tells of.
    pub period: Period,
    /// The instants that the memory covers.
    pub cover: Interval,
    /// The speaker of a turn.
    pub speaker: Option<String>,
    /// The conversation of a turn.
    pub conversation: Option<String>,
    /// The words of this piece.
    pub text: String,
    /// Two-letter code of the language whose stems text search uses.
    pub language: String,
    /// Its vector, of unit length.
    pub vector: Vec<f32>,
    /// The catalog sequence that wrote it.
    pub seq: u64,
}

/// Changes to one table, applied as one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Batch {
    /// All parts of each memory that is new or changed. Parts of these memories that are not here go.
    pub upserts: Vec<Part>,
    /// Memories that go with all their parts.
    pub deletes: Vec<MemoryId>,
}

/// What is looked for in one table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Probe {
    /// A vector of unit length: the most similar parts are found.
    pub vector: Option<Vec<f32>>,
    /// Words: the parts that hold them are found, rare words first.
    pub text: Option<String>,
    /// Two-letter code of the language of `text`.
    pub language: String,
    /// Applied before ranking.
    pub filter: Filter,
    /// The most parts for each of vector and text. The other parts of their turns and those right beside these in their
    /// conversations come on top.
    pub limit: usize,
    /// Of a table with no more rows than this, all that pass are found by the vector, and all with a word by the text,
    /// whatever the limit.
    pub exact: usize,
}

/// What a probe found in one table, and how all rows that pass compare with it, whether they are among the hits or not: a
/// score says something only beside the others.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Findings {
    /// The parts that were found, in no order.
    pub hits: Vec<Hit>,
    /// The conversations that the hits were said in.
    pub conversations: Vec<Conversation>,
    /// What the conversations of all rows that pass come to.
    pub all_conversations: Conversations,
    /// How similar the rows are.
    pub similarity: Spread,
    /// How relevant; a row without any of the words is not relevant at all.
    pub relevance: Spread,
    /// How rare each of the first 64 words of the question is among the rows, in their order, as BM25 weighs it; words that no
    /// row holds too. Equal for all words where the store does not count.
    pub rarity: Vec<f32>,
}

/// A part that was found, by similarity, by words, or by both, or that stands beside one.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// The memory.
    pub memory: MemoryId,
    /// Which piece of it.
    pub part: u32,
    /// Where a turn was said.
    pub seat: Option<Seat>,
    /// Cosine similarity, if the vector found it; where the store compares all rows, that of each hit.
    pub similarity: Option<f32>,
    /// BM25 score, if it holds one of the words.
    pub relevance: Option<f32>,
    /// Which of the words of the question it holds: a bit for each of the first 64, in the order of the question.
    pub matched: u64,
}

/// The place of a turn's part in its conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Seat {
    /// Which of [`Findings::conversations`].
    pub conversation: usize,
    /// Which of the conversation's parts, by time, memory and part. Those of neighbours are consecutive.
    pub place: u32,
}

/// What the parts of one conversation that pass the filter come to together.
#[derive(Clone, Debug, PartialEq)]
pub struct Conversation {
    /// Its name.
    pub name: Arc<str>,
    /// How many there are.
    pub parts: u32,
    /// How similar they are in the mean; exactly or nearly so.
    pub similarity: f32,
    /// Which of the words of the question any of them holds.
    pub matched: u64,
}

/// What many conversations come to. An agent has thousands, of which one question finds parts of a few hundred.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Conversations {
    /// How similar each is.
    pub similarity: Spread,
    /// How many hold each of the first 64 words of the question, as far as any is held.
    pub holders: Vec<u32>,
}

impl Conversations {
    /// Of conversations that are so similar and hold these words.
    pub fn of(all: impl Iterator<Item = (f32, u64)> + Clone) -> Conversations {
        let mut holders = Vec::new();
        for word in all.clone().flat_map(|(_, matched)| ones(matched)) {
            holders.resize(holders.len().max(word + 1), 0);
            holders[word] += 1;
        }
        Conversations { similarity: Spread::of(all.clone().count(), all.map(|(similarity, _)| similarity)), holders }
    }

    /// These, and those of another table.
    pub fn and(self, other: Conversations) -> Conversations {
        let mut holders = self.holders;
        holders.resize(holders.len().max(other.holders.len()), 0);
        holders.iter_mut().zip(other.holders).for_each(|(count, more)| *count += more);
        Conversations { similarity: self.similarity.and(other.similarity), holders }
    }
}

/// How figures of a table's rows are spread.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spread {
    /// How many there are.
    pub rows: usize,
    /// Their mean.
    pub mean: f64,
    /// Their standard deviation.
    pub deviation: f64,
}

impl Spread {
    /// Of so many rows, of which those that are not named here are nothing.
    pub fn of(rows: usize, values: impl Iterator<Item = f32>) -> Spread {
        let (sum, squares) =
            values.map(f64::from).fold((0.0, 0.0), |(sum, squares), value| (sum + value, squares + value * value));
        let count = rows.max(1) as f64;
        let mean = sum / count;
        Spread { rows, mean, deviation: (squares / count - mean * mean).max(0.0).sqrt() }
    }

    /// Of both together.
    pub fn and(self, other: Spread) -> Spread {
        let rows = self.rows + other.rows;
        let share = |spread: Spread| spread.rows as f64 / rows.max(1) as f64;
        let mean = share(self) * self.mean + share(other) * other.mean;
        let square = |spread: Spread| share(spread) * (spread.deviation.powi(2) + (spread.mean - mean).powi(2));
        Spread { rows, mean, deviation: (square(self) + square(other)).sqrt() }
    }
}

/// What a table says of one of its rows when it is checked.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stored {
    /// The memory.
    pub memory: MemoryId,
    /// Which piece of it.
    pub part: u32,
    /// The catalog sequence that wrote it.
    pub seq: u64,
    /// Hash of the whole row but its sequence, vector included.
    pub digest: Digest,
}

/// How worn a table is: what compaction keeps small.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wear {
    /// Versions that are kept.
    pub versions: u64,
    /// Pieces that its rows lie in.
    pub fragments: u64,
}

/// The tables. A table that was never written reads as empty.
#[async_trait]
pub trait Strata: Send + Sync {
    /// Applies a batch, durably: when this returns, a power cut does not undo it, and the table exists even if the batch is
    /// empty. Applying twice is applying once. Compaction is part of it. [`crate::Error::Damaged`] when the table cannot be read.
    async fn apply(&self, table: &Table, batch: Batch) -> Result<()>;

    /// Whether the table was ever written and is still there.
    async fn exists(&self, table: &Table) -> Result<bool>;

    /// Fails with [`crate::Error::Damaged`] if changes up to `applied` were written to the table and it is gone. Without this
    /// check a lost table reads as an empty one.
    async fn require(&self, table: &Table, applied: u64) -> Result<()> {
        if applied == 0 || self.exists(table).await? {
            return Ok(());
        }
        let Table { agent, grain, generation } = table;
        let what = format!("table {grain}-g{generation} of agent {agent} (folder {})", agent.folder());
        Err(Error::damaged(what, "it is missing"))
    }

    /// The parts that fit a probe.
    async fn search(&self, table: &Table, probe: &Probe) -> Result<Findings>;

    /// Every row, sorted: reads all bytes, so damage anywhere shows.
    async fn scan(&self, table: &Table) -> Result<Vec<Stored>>;

    /// Removes a generation, if it is there.
    async fn remove(&self, table: &Table) -> Result<()>;

    /// Copies the live rows of a generation into a new one, vectors included: in its files is nothing that was ever deleted.
    async fn rewrite(&self, from: &Table, generation: u32) -> Result<()>;

    /// Removes everything of an agent but these generations: older ones, half-built ones, and what was put aside.
    async fn purge(&self, agent: &Agent, keep: &[Table]) -> Result<()>;

    /// The places in the agent's stored files, every version of every table, whose decoded text contains any of these words;
    /// for the proof of erasure.
    async fn holds(&self, agent: &Agent, words: &[String]) -> Result<Vec<String>>;

    /// Compacts a table now, whether it is time or not. Its rows stay as they are.
    async fn tidy(&self, table: &Table) -> Result<()>;

    /// How worn a table is; nothing for one that was never written, or that does not wear.
    async fn wear(&self, table: &Table) -> Result<Wear>;

    /// Moves a damaged generation aside, for a person to look at, and says where to. Nothing if it is not there.
    async fn quarantine(&self, table: &Table) -> Result<Option<String>>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversations_of_two_tables_are_those_of_one() {
        let all = [(0.5, 0b101), (0.25, 0b1), (0.0, 0), (0.75, 0b100)];
        let of = |talks: &[(f32, u64)]| Conversations::of(talks.iter().copied());
        let (both, whole) = (of(&all[..1]).and(of(&all[1..])), of(&all));
        assert_eq!((&both.holders, both.similarity.rows), (&vec![2, 0, 2], 4));
        assert_eq!(both.holders, whole.holders);
        assert!((both.similarity.mean - 0.375).abs() < 1e-9, "{both:?}");
        assert!((both.similarity.deviation - whole.similarity.deviation).abs() < 1e-9, "{both:?}");
        assert_eq!((of(&all).and(of(&[])), of(&[])), (whole, Conversations::default()));
    }
}
