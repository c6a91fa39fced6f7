//! What is written into the log: one statement that something begins, changes or ends to hold.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{Properties, entity_key};
use crate::{Digest, Error, MemoryId, Result, Timestamp};

/// The property of an operation that names who said it. A fact keeps it if that is somebody else than its subject.
pub const SPEAKER: &str = "speaker";

/// The property of an operation that says at which instant its object ceases to hold by itself: a plan, when its date is past.
pub const UNTIL: &str = "until";

/// What an operation does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Verb {
    /// The object begins to hold beside what holds already; of a predicate that has one value at a time, instead of it.
    Insert,
    /// The object takes the place of `replaces`, or of all that holds if that is not said.
    Update,
    /// The object ceases to hold; an empty object means all of them.
    Delete,
}

impl Verb {
    /// The word in logs and prompts.
    pub fn as_str(self) -> &'static str {
        match self {
            Verb::Insert => "INSERT",
            Verb::Update => "UPDATE",
            Verb::Delete => "DELETE",
        }
    }
}

impl fmt::Display for Verb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Verb {
    type Err = Error;

    fn from_str(text: &str) -> Result<Verb> {
        [Verb::Insert, Verb::Update, Verb::Delete]
            .into_iter()
            .find(|verb| verb.as_str().eq_ignore_ascii_case(text.trim()))
            .ok_or_else(|| Error::invalid("op", format!("is {text:?}; it is one of INSERT, UPDATE, DELETE")))
    }
}

/// One entry of the operation log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FactOperation {
    /// `o-` and a hash of source and position: the same statement extracted again is the same operation.
    pub id: String,
    /// What it does.
    pub verb: Verb,
    /// Whom or what it is about.
    pub subject: String,
    /// What is said of it, in snake case.
    pub predicate: String,
    /// The value that begins to hold; for a DELETE, the one that ends, or nothing for all.
    pub object: String,
    /// The value that an UPDATE ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaces: Option<String>,
    /// Free-form details.
    #[serde(default, skip_serializing_if = "Properties::is_empty")]
    pub properties: Properties,
    /// From 0 to 1.
    pub confidence: f64,
    /// From when on it holds: the date that is told, or else when it was said.
    pub at: Timestamp,
    /// When it was said.
    pub said_at: Timestamp,
    /// The turn that says so; `u-…` for an entry by hand.
    pub source: MemoryId,
    /// Its place among the operations of the same source.
    pub position: u32,
    /// When it was stored.
    pub recorded_at: Timestamp,
}

impl FactOperation {
    /// Who said it, by name or role; none for an entry by hand.
    pub fn speaker(&self) -> Option<&str> {
        self.properties.get(SPEAKER).and_then(serde_json::Value::as_str)
    }

    /// Whether somebody else than its subject said it.
    pub fn is_hearsay(&self) -> bool {
        self.speaker().is_some_and(|speaker| entity_key(speaker) != entity_key(&self.subject))
    }

    /// When its object ceases to hold by itself; none if nothing says so, or what says so is no later instant.
    pub fn until(&self) -> Option<Timestamp> {
        let until: Timestamp = self.properties.get(UNTIL)?.as_str()?.parse().ok()?;
        (until > self.at).then_some(until)
    }

    /// The id of the operation at `position` of a source.
    pub fn id(source: &MemoryId, position: u32) -> String {
        let digest = Digest::of([source.as_str().as_bytes(), &position.to_le_bytes()]);
        format!("o-{}", &digest.to_string()[..26])
    }
}
