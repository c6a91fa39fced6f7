//! Entries of the fact log. Each states that a value begins, changes or ceases to hold.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{Properties, entity_key};
use crate::{Digest, Error, MemoryId, Result, Timestamp};

/// The property of an operation that names the speaker. A fact keeps it if the speaker is not its subject.
pub const SPEAKER: &str = "speaker";

/// The property of an operation that lists further turns that it relies on, by id. These turns name what its own source only
/// refers to, as with "she" or "there". The fact lists them among its sources.
pub const CONTEXT: &str = "context_turns";

/// The property of an operation that gives the instant at which its object ends by itself, as for a plan with a date.
pub const UNTIL: &str = "until";

/// How an operation changes the values of a subject and predicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Verb {
    /// The object begins to hold in addition to the current values; for a single-valued predicate, it replaces the
    /// current value.
    Insert,
    /// The object replaces the value in `replaces`, or all current values if `replaces` is missing. Of a single-valued
    /// predicate it always replaces the current value.
    Update,
    /// The object ceases to hold; an empty object means all values.
    Delete,
}

impl Verb {
    /// Returns the word used in logs and prompts.
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
            .ok_or_else(|| Error::invalid("op", format!("is {text:?}; expected one of INSERT, UPDATE, DELETE")))
    }
}

/// One entry of the operation log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FactOperation {
    /// `o-` and a hash of source and position.
    pub id: String,
    /// How the operation changes the values.
    pub verb: Verb,
    /// The person or thing that the operation is about, as written.
    pub subject: String,
    /// The predicate, in snake case.
    pub predicate: String,
    /// The value that begins to hold. For a DELETE, the value that ends; empty means all.
    pub object: String,
    /// The value that an UPDATE ends; `None` or empty means all values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaces: Option<String>,
    /// Further details of the fact, as well as [`SPEAKER`], [`CONTEXT`] and [`UNTIL`].
    #[serde(default, skip_serializing_if = "Properties::is_empty")]
    pub properties: Properties,
    /// From 0 to 1: how likely the operation is right.
    pub confidence: f64,
    /// The instant from which it applies: the stated date, or else when it was said.
    pub at: Timestamp,
    /// When its source was said.
    pub said_at: Timestamp,
    /// The turn that states it; `u-…` for an entry by a person or an import.
    pub source: MemoryId,
    /// The index among the operations of the same source.
    pub position: u32,
    /// When the operation was stored.
    pub recorded_at: Timestamp,
}

impl FactOperation {
    /// Returns the speaker, by name or role; `None` for an entry by a person or an import.
    pub fn speaker(&self) -> Option<&str> {
        self.properties.get(SPEAKER).and_then(serde_json::Value::as_str)
    }

    /// Returns whether somebody other than the subject said it. Compares the two names without aliases. False for an entry
    /// without a speaker.
    pub fn is_hearsay(&self) -> bool {
        self.speaker().is_some_and(|speaker| entity_key(speaker) != entity_key(&self.subject))
    }

    /// Returns the turns that it relies on: the turn that states it, then the turns listed under [`CONTEXT`].
    pub fn sources(&self) -> Vec<MemoryId> {
        let context = self.properties.get(CONTEXT).and_then(serde_json::Value::as_array).into_iter().flatten();
        let context = context.filter_map(serde_json::Value::as_str).map(MemoryId::from_text);
        std::iter::once(self.source.clone()).chain(context).collect()
    }

    /// Returns the instant at which the object ends without another operation. `None` if no instant is given, or if it is not later
    /// than `at`.
    pub fn until(&self) -> Option<Timestamp> {
        let until: Timestamp = self.properties.get(UNTIL)?.as_str()?.parse().ok()?;
        (until > self.at).then_some(until)
    }

    /// Returns the id of the operation at `position` of a source.
    pub fn id(source: &MemoryId, position: u32) -> String {
        let digest = Digest::of([source.as_str().as_bytes(), &position.to_le_bytes()]);
        format!("o-{}", &digest.to_string()[..26])
    }
}
