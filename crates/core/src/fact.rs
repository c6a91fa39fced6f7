//! Facts (subject, predicate, object, and the time for which they hold), and the operations that they are folded from.
//!
//! The log of operations is the source of truth. [`fold`] derives the facts from it, independent of the order of
//! arrival.

mod aliases;
mod entity;
mod fold;
mod graph;
mod merge;
mod operation;

use serde::{Deserialize, Serialize};

use crate::{Interval, MemoryId, Timestamp};

pub use aliases::joined_names;
pub use entity::{entity_key, folded, predicate_name};
pub use fold::fold;
pub use graph::{Along, Direction, MAX_WALK_DEPTH, Reached, Route, Walk};
pub use merge::MERGED_BECAUSE;
pub use operation::{CONTEXT, FactOperation, SPEAKER, UNTIL, Verb};

/// The predicate that gives an entity another name: `Bob, also_known_as, Robert`. Look-ups treat both names as one
/// entity.
pub const ALIAS: &str = "also_known_as";

/// The predicate that gives an entity its type: `Bern, is_a, city`.
pub const ENTITY_TYPE: &str = "is_a";

/// The predicate of an observation: a free sentence about an entity.
pub const OBSERVATION: &str = "observation";

/// Further details of a fact as JSON values, by name.
pub type Properties = serde_json::Map<String, serde_json::Value>;

/// A statement about a person or thing, with the time for which it holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fact {
    /// The id of the operation that opened the fact, or `m-…` for an inferred alias.
    pub id: String,
    /// The person or thing that the fact is about, as first written.
    pub subject: String,
    /// The predicate, in snake case: `lives_in`.
    pub predicate: String,
    /// The value, or the other person or thing, as first written.
    pub object: String,
    /// Further details that its operations gave; empty for most facts.
    #[serde(default, skip_serializing_if = "Properties::is_empty")]
    pub properties: Properties,
    /// From 0 to 1: the highest confidence of its operations. For an inferred alias it depends on the reason.
    pub confidence: f64,
    /// The instant from which the fact holds.
    pub valid_from: Timestamp,
    /// The instant at which it ends, exclusive. It may lie in the future, as for a plan with a date. `None` for a fact
    /// without an end.
    pub valid_to: Option<Timestamp>,
    /// When the first of its operations was recorded.
    pub recorded_at: Timestamp,
    /// The time from its first to its last mention, end exclusive.
    #[serde(rename = "spoken")]
    pub mentioned: Interval,
    /// The turns that state the fact, in the order of the instants from which they say that it holds. After each turn come
    /// the turns that it relies on. For an inferred alias, sources of its evidence. Ids of entries start with `u-`.
    pub sources: Vec<MemoryId>,
    /// The id of the fact that replaced it, if one did.
    pub superseded_by: Option<String>,
}

impl Fact {
    /// Returns whether the fact holds at an instant.
    pub fn holds_at(&self, at: Timestamp) -> bool {
        holds_at(self.valid_from, self.valid_to, at)
    }

    /// Returns whether the fact makes its subject and object one entity. A former name is still a name of the entity. A name
    /// that was retracted without a replacement never was one.
    pub fn joins_names(&self) -> bool {
        self.predicate == ALIAS && (self.valid_to.is_none() || self.superseded_by.is_some())
    }
}

/// Returns whether a fact that holds from `valid_from` until `valid_to` holds at an instant.
fn holds_at(valid_from: Timestamp, valid_to: Option<Timestamp>, at: Timestamp) -> bool {
    valid_from <= at && valid_to.is_none_or(|end| at < end)
}

/// Conditions that select facts. A fact must meet all of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FactQuery {
    /// Only facts that have this entity as subject or object, by any of its names. Ignores case and accents.
    pub about: Option<String>,
    /// Only facts with this predicate. The spelling is normalised, as in [`predicate_name`].
    pub predicate: Option<String>,
    /// Only facts that hold at this instant. `None` selects facts without an end.
    pub as_of: Option<Timestamp>,
    /// Whether to include ended facts too. `as_of` is then ignored.
    pub history: bool,
    /// Only facts that were mentioned in this interval. The interval must overlap the time from the first to the last
    /// mention.
    pub said_within: Option<Interval>,
    /// Maximum number of facts; `None` means all.
    pub limit: Option<usize>,
}
