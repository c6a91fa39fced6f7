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

/// Additional details of a fact, as JSON.
pub type Properties = serde_json::Map<String, serde_json::Value>;

/// A statement about a person or thing, with the time for which it holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fact {
    /// Its id: the id of the operation that opened it, or `m-…` for an inferred alias.
    pub id: String,
    /// The person or thing it is about, as first written.
    pub subject: String,
    /// The predicate, in snake case: `lives_in`.
    pub predicate: String,
    /// The value.
    pub object: String,
    /// Additional details.
    #[serde(default, skip_serializing_if = "Properties::is_empty")]
    pub properties: Properties,
    /// From 0 to 1.
    pub confidence: f64,
    /// The instant from which it holds.
    pub valid_from: Timestamp,
    /// The instant at which it ends, exclusive. It may lie in the future, as for a plan with a date. `None` for a fact
    /// without an end.
    pub valid_to: Option<Timestamp>,
    /// When it was first recorded.
    pub recorded_at: Timestamp,
    /// When its sources were said: from the first to the last of them, end exclusive.
    #[serde(rename = "spoken")]
    pub mentioned: Interval,
    /// The turns that state it, ordered by the instant from which each says it holds, each followed by the turns it relies on.
    /// For an inferred alias, sources of its evidence. Ids of entries start with `u-`.
    pub sources: Vec<MemoryId>,
    /// The id of the fact that replaced it, if one did.
    pub superseded_by: Option<String>,
}

impl Fact {
    /// Returns whether it holds at an instant.
    pub fn holds_at(&self, at: Timestamp) -> bool {
        holds_at(self.valid_from, self.valid_to, at)
    }

    /// Returns whether it makes subject and object one entity. A former name is still a name of the entity. A name that
    /// was retracted without a replacement never was one.
    pub fn joins_names(&self) -> bool {
        self.predicate == ALIAS && (self.valid_to.is_none() || self.superseded_by.is_some())
    }
}

/// Returns whether a fact that holds from `valid_from` until `valid_to` holds at an instant.
fn holds_at(valid_from: Timestamp, valid_to: Option<Timestamp>, at: Timestamp) -> bool {
    valid_from <= at && valid_to.is_none_or(|end| at < end)
}

/// A selection of facts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FactQuery {
    /// Only facts that have this entity as subject or object, by any of its names. Ignores case and accents.
    pub about: Option<String>,
    /// Only this predicate.
    pub predicate: Option<String>,
    /// Only facts that hold at this instant. `None` selects facts without an end.
    pub as_of: Option<Timestamp>,
    /// Whether to include ended facts too. `as_of` is then ignored.
    pub history: bool,
    /// Only facts that were mentioned in this interval: it overlaps the time from the first to the last of their sources.
    pub said_within: Option<Interval>,
    /// Maximum number of facts; `None` means all.
    pub limit: Option<usize>,
}
