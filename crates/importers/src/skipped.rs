//! Counts what was not imported, by kind, with the first example and its place. Bounded, whatever the input.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::item::Place;

/// Distinct kinds that are counted; further ones are counted together. A hostile file may invent a kind per line.
const MAX_KINDS: usize = 200;
/// Characters of an example that are kept.
const MAX_EXAMPLE_LENGTH: usize = 120;
/// Characters of the name of a kind that are kept. Unknown types are named by the source.
const MAX_KIND_LENGTH: usize = 80;

/// The reason why something was skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SkipReason {
    /// The file, value or line cannot be read.
    Damaged,
    /// The importer does not know the shape.
    Unknown,
    /// It has no date, and neither has anything around it.
    Undated,
    /// An option imports it; its name is in the kind, as in `tool call (--tools)`.
    Option,
    /// It was read before: a copy in another file or branch.
    Repeated,
    /// It is no message: metadata, an empty text, an instruction that nobody typed.
    NoMessage,
}

/// One thing that was skipped.
#[derive(Clone, Debug)]
pub struct Skip<'a> {
    /// The reason.
    pub why: SkipReason,
    /// The kind: `unknown content type "foo"`.
    pub kind: Cow<'a, str>,
    /// A short example: the value, or what is wrong with it. No text of a person.
    pub example: Cow<'a, str>,
    /// Where it stands.
    pub place: &'a Place,
}

impl<'a> Skip<'a> {
    /// Creates a skip.
    pub fn new(
        why: SkipReason,
        kind: impl Into<Cow<'a, str>>,
        example: impl Into<Cow<'a, str>>,
        place: &'a Place,
    ) -> Skip<'a> {
        Skip { why, kind: kind.into(), example: example.into(), place }
    }

    /// Creates a skip for something that cannot be read; `example` says what is wrong.
    pub fn damaged(kind: impl Into<Cow<'a, str>>, example: impl Into<Cow<'a, str>>, place: &'a Place) -> Skip<'a> {
        Skip::new(SkipReason::Damaged, kind, example, place)
    }

    /// Creates a skip for an unknown shape.
    pub fn unknown(kind: impl Into<Cow<'a, str>>, example: impl Into<Cow<'a, str>>, place: &'a Place) -> Skip<'a> {
        Skip::new(SkipReason::Unknown, kind, example, place)
    }

    /// Creates a skip for something that is no message.
    pub fn no_message(kind: impl Into<Cow<'a, str>>, place: &'a Place) -> Skip<'a> {
        Skip::new(SkipReason::NoMessage, kind, "", place)
    }

    /// Creates a skip for something that an option imports.
    pub fn option(kind: impl Into<Cow<'a, str>>, place: &'a Place) -> Skip<'a> {
        Skip::new(SkipReason::Option, kind, "", place)
    }
}

/// What was skipped, by reason and kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Skipped(BTreeMap<(SkipReason, String), Counted>);

/// How often, and where first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counted {
    pub count: u64,
    /// The first example; may be empty.
    pub example: String,
    /// The place of the first example.
    pub place: Place,
}

impl Skipped {
    /// Counts one more.
    pub fn add(&mut self, skip: &Skip<'_>) {
        let mut key = (skip.why, cut(&skip.kind, MAX_KIND_LENGTH));
        if self.0.len() >= MAX_KINDS && !self.0.contains_key(&key) {
            key.1 = "other kinds".to_owned();
        }
        let first = || Counted { count: 0, example: cut(&skip.example, MAX_EXAMPLE_LENGTH), place: skip.place.clone() };
        self.0.entry(key).or_insert_with(first).count += 1;
    }

    /// Returns reason, kind and count, ordered by reason and kind.
    pub fn iter(&self) -> impl Iterator<Item = (SkipReason, &str, &Counted)> {
        self.0.iter().map(|((why, kind), counted)| (*why, kind.as_str(), counted))
    }

    /// Returns how many things of a kind were skipped.
    pub fn count(&self, kind: &str) -> u64 {
        self.iter().filter(|(_, name, _)| *name == kind).map(|(_, _, counted)| counted.count).sum()
    }

    /// Returns the number of all things that were skipped.
    pub fn total(&self) -> u64 {
        self.0.values().map(|counted| counted.count).sum()
    }
}

/// Returns the beginning of a text as one line without control characters.
fn cut(text: &str, most: usize) -> String {
    text.chars().take(most).map(|c| if c.is_control() { ' ' } else { c }).collect()
}
