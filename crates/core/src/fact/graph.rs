//! Questions to the graph that facts make: persons and things are its nodes, each fact leads from its subject to its object.
//!
//! All names of an entity are one node. A fact whose other end is nobody's name is reached and leads no further.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{Fact, predicate_name};
use crate::{Error, Interval, Result, Timestamp};

/// How many facts away a walk or a path may lead.
pub const FARTHEST: u32 = 10;

/// Which way facts are followed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// From subject to object.
    Out,
    /// From object to subject.
    In,
    /// Either way.
    #[default]
    Both,
}

impl Direction {
    /// Its word.
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
            .ok_or_else(|| Error::invalid("direction", format!("is {text:?}; it is one of out, in, both")))
    }
}

/// Which facts may be followed, and which way.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Along {
    /// Which way.
    pub direction: Direction,
    /// Only these predicates; none means all.
    pub predicates: Vec<String>,
    /// Those that held at this instant, instead of those that hold now.
    pub as_of: Option<Timestamp>,
    /// Ended ones too.
    pub history: bool,
    /// Those with a source that was said within this.
    pub said_within: Option<Interval>,
}

impl Along {
    /// Whether a fact may be followed.
    pub fn follows(&self, fact: &Fact) -> bool {
        let known = self.predicates.iter().any(|predicate| predicate_name(predicate) == fact.predicate);
        let holds = self.history || self.as_of.map_or(fact.valid_to.is_none(), |at| fact.holds_at(at));
        let said = self.said_within.is_none_or(|within| fact.said.overlaps(&within));
        (self.predicates.is_empty() || known) && holds && said
    }
}

/// All facts within some distance of an entity.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Walk {
    /// The entity to begin with, by any of its names.
    pub from: String,
    /// How many facts away: 1 to [`FARTHEST`].
    pub depth: u32,
    /// Which facts are followed.
    pub along: Along,
    /// The most facts that come back; none means all.
    pub limit: Option<usize>,
}

/// A fact that a walk has reached.
#[derive(Clone, Debug, PartialEq)]
pub struct Reached {
    /// The fact.
    pub fact: Fact,
    /// 1 for a fact of the entity itself, 2 for one of whoever such a fact leads to, and so on.
    pub depth: u32,
}

/// The shortest way between two entities.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Route {
    /// Where it begins, by any of its names.
    pub from: String,
    /// Where it ends, by any of its names.
    pub to: String,
    /// The most facts that it may be made of: 1 to [`FARTHEST`].
    pub depth: u32,
    /// Which facts are followed.
    pub along: Along,
}

impl Walk {
    /// Whether it can be asked.
    pub fn check(&self) -> Result<()> {
        check_depth(self.depth)
    }
}

impl Route {
    /// Whether it can be asked.
    pub fn check(&self) -> Result<()> {
        check_depth(self.depth)
    }
}

fn check_depth(depth: u32) -> Result<()> {
    match depth {
        1..=FARTHEST => Ok(()),
        _ => Err(Error::invalid("depth", format!("is {depth}; it is 1 to {FARTHEST}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_have_words() {
        for direction in [Direction::Out, Direction::In, Direction::Both] {
            assert_eq!(direction.as_str().parse::<Direction>().unwrap(), direction);
            assert_eq!(serde_json::to_value(direction).unwrap(), direction.as_str());
        }
        let error = "up".parse::<Direction>().unwrap_err();
        assert_eq!(error.to_string(), "direction is \"up\"; it is one of out, in, both");
    }

    #[test]
    fn depths_have_bounds() {
        for (depth, expect) in [(0, false), (1, true), (FARTHEST, true), (FARTHEST + 1, false)] {
            assert_eq!(Walk { depth, ..Walk::default() }.check().is_ok(), expect, "{depth}");
            assert_eq!(Route { depth, ..Route::default() }.check().is_ok(), expect, "{depth}");
        }
    }
}
