//! Facts: subject, predicate, object, and from when to when they hold; and the operations that they are folded from.
//!
//! The log of operations is the truth; facts follow from it by [`fold`], whatever the order in which it arrived.

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
pub use graph::{Along, Direction, FARTHEST, Reached, Route, Walk};
pub use merge::MERGED_BECAUSE;
pub use operation::{FactOperation, SPEAKER, UNTIL, Verb};

/// The predicate that gives an entity another name: `Bob, also_known_as, Robert`. Look-ups treat the two as one.
pub const ALIAS: &str = "also_known_as";

/// Free-form details of a fact, as JSON.
pub type Properties = serde_json::Map<String, serde_json::Value>;

/// A statement about somebody or something, with the time for which it holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fact {
    /// Its id: that of the operation that opened it.
    pub id: String,
    /// Whom or what it is about, as first written.
    pub subject: String,
    /// What is said of it, in snake case: `lives_in`.
    pub predicate: String,
    /// The value.
    pub object: String,
    /// Free-form details.
    #[serde(default, skip_serializing_if = "Properties::is_empty")]
    pub properties: Properties,
    /// From 0 to 1.
    pub confidence: f64,
    /// From when it holds.
    pub valid_from: Timestamp,
    /// Until when it held, this instant not included; none while it holds.
    pub valid_to: Option<Timestamp>,
    /// When it was first learnt.
    pub recorded_at: Timestamp,
    /// When its sources were said: the first and the last of them, end not included.
    pub said: Interval,
    /// The turns that say so, in order of the moment from which each says it holds; ids of entries by hand start with `u-`.
    pub sources: Vec<MemoryId>,
    /// The fact that took its place, if it ended because of one.
    pub superseded_by: Option<String>,
}

impl Fact {
    /// Whether it holds at an instant.
    pub fn holds_at(&self, at: Timestamp) -> bool {
        self.valid_from <= at && self.valid_to.is_none_or(|end| at < end)
    }

    /// Whether its subject and its object are one entity. A former name still is a name of it; one that was taken back, and gave
    /// way to no other, never was.
    pub fn joins_names(&self) -> bool {
        self.predicate == ALIAS && (self.valid_to.is_none() || self.superseded_by.is_some())
    }
}

/// Which facts to find.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FactQuery {
    /// Facts that have this entity as subject or object, by any of its names, whatever the case and accents.
    pub about: Option<String>,
    /// Only this predicate.
    pub predicate: Option<String>,
    /// Those that held at this instant, instead of those that hold now.
    pub as_of: Option<Timestamp>,
    /// Ended ones too.
    pub history: bool,
    /// Those with a source that was said within this.
    pub said_within: Option<Interval>,
    /// The most facts; none means all.
    pub limit: Option<usize>,
}
