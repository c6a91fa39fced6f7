//! Counts the parts of a source that were not imported, by kind, with the first example and its place. The size is bounded,
//! whatever the input.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::item::Location;

/// Number of kinds from which on the further kinds of each reason are counted together, because a hostile file may have a new
/// kind in each line.
const MAX_KINDS: usize = 200;
/// Maximum number of characters of an example that are kept.
const MAX_EXAMPLE_LENGTH: usize = 120;
/// Maximum number of characters of a kind that are kept. The names of unknown types come from the source.
const MAX_KIND_LENGTH: usize = 80;

/// The reason why something was skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SkipReason {
    /// The file, value or line cannot be read.
    Damaged,
    /// The shape is unknown to the importer.
    Unknown,
    /// The part has no time that can be stored, and none can be derived from what is around it.
    Undated,
    /// The part is only imported with an option. The kind names the option, as in `tool call (--tools)`.
    Option,
    /// The part is a copy of a part that was read before, for example in another file or branch.
    Repeated,
    /// The part is not a message: metadata, an empty text, an instruction that nobody typed.
    NoMessage,
}

/// One skipped part of a source.
#[derive(Clone, Debug)]
pub struct Skip<'a> {
    pub why: SkipReason,
    /// The kind: `unknown content type "foo"`.
    pub kind: Cow<'a, str>,
    /// A short example: the value, or what is wrong with it. Never a text of a person.
    pub example: Cow<'a, str>,
    pub location: &'a Location,
}

impl<'a> Skip<'a> {
    pub fn new(
        why: SkipReason,
        kind: impl Into<Cow<'a, str>>,
        example: impl Into<Cow<'a, str>>,
        location: &'a Location,
    ) -> Skip<'a> {
        Skip { why, kind: kind.into(), example: example.into(), location }
    }

    /// Creates a skip for a part that cannot be read; `example` says what is wrong.
    pub fn damaged(
        kind: impl Into<Cow<'a, str>>,
        example: impl Into<Cow<'a, str>>,
        location: &'a Location,
    ) -> Skip<'a> {
        Skip::new(SkipReason::Damaged, kind, example, location)
    }

    /// Creates a skip for an unknown shape.
    pub fn unknown(
        kind: impl Into<Cow<'a, str>>,
        example: impl Into<Cow<'a, str>>,
        location: &'a Location,
    ) -> Skip<'a> {
        Skip::new(SkipReason::Unknown, kind, example, location)
    }

    /// Creates a skip for a part that is not a message.
    pub fn no_message(kind: impl Into<Cow<'a, str>>, location: &'a Location) -> Skip<'a> {
        Skip::new(SkipReason::NoMessage, kind, "", location)
    }

    /// Creates a skip for a part that is only imported with an option.
    pub fn option(kind: impl Into<Cow<'a, str>>, location: &'a Location) -> Skip<'a> {
        Skip::new(SkipReason::Option, kind, "", location)
    }
}

/// Counts of skipped parts, by reason and kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Skipped(BTreeMap<(SkipReason, String), Counted>);

/// The count of a kind, with its first example.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counted {
    pub count: u64,
    /// The first example; may be empty.
    pub example: String,
    pub location: Location,
}

impl Skipped {
    /// Counts a skip. Beyond `MAX_KINDS` kinds, new kinds are counted as "other kinds" of their reason. Keeps the example and
    /// the place of the first skip of a kind.
    pub fn add(&mut self, skip: &Skip<'_>) {
        let mut key = (skip.why, cut(&skip.kind, MAX_KIND_LENGTH));
        if self.0.len() >= MAX_KINDS && !self.0.contains_key(&key) {
            key.1 = "other kinds".to_owned();
        }
        let first =
            || Counted { count: 0, example: cut(&skip.example, MAX_EXAMPLE_LENGTH), location: skip.location.clone() };
        self.0.entry(key).or_insert_with(first).count += 1;
    }

    /// Returns the reason and name of each kind with its count and first example, ordered by reason and name.
    pub fn iter(&self) -> impl Iterator<Item = (SkipReason, &str, &Counted)> {
        self.0.iter().map(|((why, kind), counted)| (*why, kind.as_str(), counted))
    }

    /// Returns how many parts of a kind were skipped, for any reason.
    pub fn count(&self, kind: &str) -> u64 {
        self.iter().filter(|(_, name, _)| *name == kind).map(|(_, _, counted)| counted.count).sum()
    }

    /// Returns the number of all skipped parts.
    pub fn total(&self) -> u64 {
        self.0.values().map(|counted| counted.count).sum()
    }
}

/// Returns the first `most` characters of a text, with control characters replaced by spaces.
fn cut(text: &str, most: usize) -> String {
    text.chars().take(most).map(|c| if c.is_control() { ' ' } else { c }).collect()
}
