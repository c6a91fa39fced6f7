//! Port `Watermarks`: the changes of each grain, and how far each projection has applied them.
//!
//! Every change takes the next number of its agent's sequence; each projection stores the number up to which it has applied
//! changes.

use async_trait::async_trait;

use super::VectorModel;
use crate::{Agent, Grain, Memory, MemoryId, Result};

/// A change of one grain, for projections.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// The memory is new or changed; its `seq` is the sequence of the change.
    Upsert(Memory),
    /// The memory was removed.
    Delete {
        /// Id of the removed memory.
        id: MemoryId,
        /// The sequence number of the change.
        seq: u64,
    },
}

impl Change {
    /// Returns the sequence number of the change.
    pub fn seq(&self) -> u64 {
        match self {
            Change::Upsert(memory) => memory.seq,
            Change::Delete { seq, .. } => *seq,
        }
    }
}

/// A generation that is being built beside the one that searches read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Building {
    /// Number of the generation.
    pub generation: u32,
    /// The sequence number up to which this generation has applied all changes.
    pub applied: u64,
    /// The model that makes the vectors of this generation.
    pub model: VectorModel,
    /// Whether the present generation is damaged or out of date and must be replaced soon. Otherwise only the model changes:
    /// the rebuild can wait, and searches can use the present generation meanwhile.
    pub urgent: bool,
}

/// Projection state of the table of one grain: its generations and their watermarks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Watermark {
    /// The generation that searches read.
    pub generation: u32,
    /// The watermark: the sequence number up to which that generation has applied all changes.
    pub applied: u64,
    /// The model of its vectors. `None` as long as nothing is applied.
    pub model: Option<VectorModel>,
    /// The generation that a rebuild is filling beside it.
    pub building: Option<Building>,
}

impl Watermark {
    /// Returns whether a writer that read this stored state as `read` may replace it by `next`. It may if nobody else has
    /// changed the state since, if `next` goes back to no earlier generation or watermark, and if each generation keeps
    /// vectors of one model.
    pub fn admits(&self, read: &Watermark, next: &Watermark) -> bool {
        self == read
            && (next.generation, next.applied) >= (self.generation, self.applied)
            && (next.generation > self.generation || self.keeps_model(next))
    }

    /// Returns whether `next` is valid for the same generation: the model is set once, and may later be replaced only by its
    /// placeholder.
    fn keeps_model(&self, next: &Watermark) -> bool {
        match (&self.model, &next.model) {
            (None, _) => true,
            (Some(model), Some(next)) => next == model || *next == model.placeholder(),
            (Some(_), None) => false,
        }
    }

    /// Returns the sequence number up to which every generation has applied all changes.
    pub fn applied_by_all(&self) -> u64 {
        self.building.as_ref().map_or(self.applied, |building| building.applied.min(self.applied))
    }

    /// Returns whether an urgent rebuild is under way.
    pub fn is_urgent(&self) -> bool {
        self.building.as_ref().is_some_and(|building| building.urgent)
    }

    /// Returns whether the table has to be embedded again with `model`, or an unfinished generation has to be dropped. An
    /// urgent rebuild uses the configured model anyway.
    pub fn needs_reembedding(&self, model: &VectorModel) -> bool {
        !self.is_urgent() && (self.is_of_another(model) || self.building.is_some())
    }

    /// Returns whether the table holds rows with vectors of a model other than this one.
    pub fn is_of_another(&self, model: &VectorModel) -> bool {
        self.applied > 0 && self.model.as_ref() != Some(model)
    }
}

/// The changes of memories, and the projection states of the tables.
#[async_trait]
pub trait Watermarks: Send + Sync {
    /// Returns changes of a grain with a sequence above `after`, ascending, at most `limit`. Includes only the last
    /// change of each memory.
    async fn changes(&self, agent: &Agent, grain: Grain, after: u64, limit: usize) -> Result<Vec<Change>>;

    /// Returns the number of changes of a grain above `after`.
    async fn backlog(&self, agent: &Agent, grain: Grain, after: u64) -> Result<u64>;

    /// Returns the projection state of the grain's table; at first generation 0 with nothing applied.
    async fn watermark(&self, agent: &Agent, grain: Grain) -> Result<Watermark>;

    /// Replaces the projection state `read` of the grain's table, after the table is durable up to that watermark.
    /// [`crate::Error::Stale`] if [`Watermark::admits`] returns false for the stored state.
    async fn save_watermark(&self, agent: &Agent, grain: Grain, read: Watermark, watermark: Watermark) -> Result<()>;
}
