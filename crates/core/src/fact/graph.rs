//! Queries over the graph of facts. People and things are nodes; each fact is an edge from its subject to its object.
//!
//! All names of an entity are one node. A walk reaches a fact with an empty name at the other end, but does not continue from
//! there.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{Fact, holds_at, predicate_name};
use crate::{Error, Interval, Result, Timestamp};

/// Maximum depth of a walk or a path, in facts.
pub const MAX_WALK_DEPTH: u32 = 10;

/// Direction in which facts are followed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// From subject to object.
    Out,
    /// From object to subject.
    In,
    /// Both directions.
    #[default]
    Both,
}

impl Direction {
    /// Returns the word for the direction in requests.
    pub fn as_str(self) -> &'static str {
        match self {
            Direction::Out => "out",
            Direction::In => "in",
            Direction::Both => "both",
        }
    }
}

impl FromStr for Direction {
    type Err = Error;

    fn from_str(text: &str) -> Result<Direction> {
        [Direction::Out, Direction::In, Direction::Both]
            .into_iter()
            .find(|direction| direction.as_str() == text)
            .ok_or_else(|| Error::invalid("direction", format!("is {text:?}; expected one of out, in, both")))
    }
}

/// Selects the facts to follow, and the direction.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Along {
    /// The direction in which facts are followed from each entity.
    pub direction: Direction,
    /// Only these predicates; empty means all.
    pub predicates: Vec<String>,
    /// Only facts that hold at this instant. `None` selects facts without an end.
    pub as_of: Option<Timestamp>,
    /// Whether to include ended facts too. `as_of` is then ignored.
    pub history: bool,
    /// Only facts that were mentioned in this interval. The interval must overlap the time from the first to the last
    /// mention.
    pub said_within: Option<Interval>,
}

impl Along {
    /// Returns whether a fact may be followed, by predicate and times. Does not check the direction.
    pub fn follows(&self, fact: &Fact) -> bool {
        let known = self.predicates.iter().any(|predicate| predicate_name(predicate) == fact.predicate);
        (self.predicates.is_empty() || known) && self.selects(fact.valid_from, fact.valid_to, || fact.mentioned)
    }

    /// Returns whether a fact with these times may be followed. Does not check the predicate. Calls `mentioned` only if the
    /// other times match.
    pub fn selects(
        &self,
        valid_from: Timestamp,
        valid_to: Option<Timestamp>,
        mentioned: impl FnOnce() -> Interval,
    ) -> bool {
        let is_valid = self.history || self.as_of.map_or(valid_to.is_none(), |at| holds_at(valid_from, valid_to, at));
        is_valid && self.said_within.is_none_or(|within| mentioned().overlaps(&within))
    }
}

/// A query for all facts within a distance of an entity.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Walk {
    /// The start entity, by any of its names.
    pub from: String,
    /// Maximum distance in facts: 1 to [`MAX_WALK_DEPTH`].
    pub depth: u32,
    /// The facts that may be followed, and the direction.
    pub along: Along,
    /// Maximum number of facts to return; `None` means all.
    pub limit: Option<usize>,
}

/// A fact that a walk has reached, with its distance from the start.
#[derive(Clone, Debug, PartialEq)]
pub struct Reached {
    /// The fact, with all fields.
    pub fact: Fact,
    /// Distance from the start: 1 for a fact of the start entity, 2 for a fact of an entity that such a fact leads to, and so
    /// on.
    pub depth: u32,
}

/// A query for the shortest path between two entities.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Route {
    /// The start entity, by any of its names.
    pub from: String,
    /// The end entity, by any of its names.
    pub to: String,
    /// Maximum length in facts: 1 to [`MAX_WALK_DEPTH`].
    pub depth: u32,
    /// The facts that may be followed, and the direction.
    pub along: Along,
}

impl Walk {
    /// Fails with [`Error::Invalid`] if the depth is out of bounds.
    pub fn check(&self) -> Result<()> {
        check_depth(self.depth)
    }
}

impl Route {
    /// Fails with [`Error::Invalid`] if the depth is out of bounds.
    pub fn check(&self) -> Result<()> {
        check_depth(self.depth)
    }
}

fn check_depth(depth: u32) -> Result<()> {
    match depth {
        1..=MAX_WALK_DEPTH => Ok(()),
        _ => Err(Error::invalid("depth", format!("is {depth}; 1 to {MAX_WALK_DEPTH} are allowed"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn direction_words_round_trip() {
        for direction in [Direction::Out, Direction::In, Direction::Both] {
            assert_eq!(direction.as_str().parse::<Direction>().unwrap(), direction);
            assert_eq!(serde_json::to_value(direction).unwrap(), direction.as_str());
        }
        let error = "up".parse::<Direction>().unwrap_err();
        assert_eq!(error.to_string(), "direction is \"up\"; expected one of out, in, both");
    }

    #[test]
    fn depth_out_of_bounds_is_refused() {
        for (depth, expect) in [(0, false), (1, true), (MAX_WALK_DEPTH, true), (MAX_WALK_DEPTH + 1, false)] {
            assert_eq!(Walk { depth, ..Walk::default() }.check().is_ok(), expect, "{depth}");
            assert_eq!(Route { depth, ..Route::default() }.check().is_ok(), expect, "{depth}");
        }
    }
}
