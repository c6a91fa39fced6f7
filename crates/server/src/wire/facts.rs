//! Facts as they are seen from outside, and entered by hand.

use annals_core::{Direction, Fact, MemoryId, Reached};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{DirectionWord, When};

/// Subject, predicate, object, and for what time it holds.
#[derive(Clone, Debug, Serialize, JsonSchema, ToSchema)]
pub struct FactView {
    /// Its id.
    pub id: String,
    /// Whom or what it is about.
    #[schema(example = "Ann")]
    pub subject: String,
    /// What is said of it.
    #[schema(example = "lives_in")]
    pub predicate: String,
    /// The value.
    #[schema(example = "Bern")]
    pub object: String,
    /// Free-form details.
    pub properties: serde_json::Map<String, serde_json::Value>,
    /// From 0 to 1.
    pub confidence: f64,
    /// From when it holds.
    #[schema(format = DateTime)]
    pub valid_from: String,
    /// Until when it held; none while it holds.
    #[schema(format = DateTime)]
    pub valid_to: Option<String>,
    /// When it was first learnt.
    #[schema(format = DateTime)]
    pub recorded_at: String,
    /// When its sources were said.
    pub said: SaidView,
    /// The turns that say so; ids of entries by hand start with `u-`.
    pub source_ids: Vec<String>,
    /// The fact that took its place.
    pub superseded_by: Option<String>,
    /// Of a walk: 1 for a fact of the entity itself, 2 for one of whoever such a fact leads to, and so on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
}

/// When the sources of a fact were said: the first, and the end of the last.
#[derive(Clone, Debug, Serialize, JsonSchema, ToSchema)]
pub struct SaidView {
    /// The first.
    #[schema(format = DateTime)]
    pub from: String,
    /// The end of the last.
    #[schema(format = DateTime)]
    pub to: String,
}

impl From<&Fact> for FactView {
    fn from(fact: &Fact) -> FactView {
        FactView {
            id: fact.id.clone(),
            subject: fact.subject.clone(),
            predicate: fact.predicate.clone(),
            object: fact.object.clone(),
            properties: fact.properties.clone(),
            confidence: fact.confidence,
            valid_from: fact.valid_from.to_string(),
            valid_to: fact.valid_to.map(|end| end.to_string()),
            recorded_at: fact.recorded_at.to_string(),
            said: SaidView { from: fact.said.start.to_string(), to: fact.said.end.to_string() },
            source_ids: fact.sources.iter().map(MemoryId::to_string).collect(),
            superseded_by: fact.superseded_by.clone(),
            depth: None,
        }
    }
}

impl From<&Reached> for FactView {
    fn from(reached: &Reached) -> FactView {
        FactView { depth: Some(reached.depth), ..FactView::from(&reached.fact) }
    }
}

/// Which facts to find.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, ToSchema, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct FactsWish {
    /// Those with this person or thing as subject or object, by any of its names.
    #[serde(default)]
    pub about: Option<String>,
    /// Walk on from there: facts so many away, 1 to 10, the nearest first.
    #[serde(default)]
    #[param(minimum = 1, maximum = 10)]
    pub depth: Option<u32>,
    /// The shortest way from there to this person or thing, instead; of at most `depth` facts, 6 if it is not given.
    #[serde(default)]
    pub to: Option<String>,
    /// Which way a walk or a path follows facts; both if it is not given.
    #[serde(default)]
    #[param(value_type = Option<DirectionWord>, inline)]
    #[schema(value_type = Option<DirectionWord>)]
    #[schemars(with = "Option<DirectionWord>")]
    pub direction: Direction,
    /// Only this predicate; for a walk or a path also several, with commas between them.
    #[serde(default)]
    pub predicate: Option<String>,
    /// Those that held at this moment, or when this day began, instead of those that hold now.
    #[serde(default)]
    #[param(value_type = Option<String>, example = "2026-03-04")]
    #[schema(value_type = Option<String>, example = "2026-03-04")]
    #[schemars(with = "Option<String>")]
    pub as_of: Option<When>,
    /// Ended ones too.
    #[serde(default)]
    pub history: bool,
    /// The most facts: 1 to 1,000; 100 if not given.
    #[serde(default)]
    #[param(minimum = 1, maximum = 1000)]
    pub limit: Option<usize>,
    /// Goes on where an answer ended: its `next_cursor`. Not for walks and paths.
    #[serde(default)]
    pub cursor: Option<String>,
}

/// The facts that fit, by the moment from which they hold; those of a walk by depth first, those of a path in its order.
#[derive(Clone, Debug, Serialize, JsonSchema, ToSchema)]
pub struct FactsAnswer {
    /// Whose.
    pub agent: String,
    /// The facts.
    pub facts: Vec<FactView>,
    /// Of a path: whether there is one. One without facts leads to another name of the same person or thing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub connected: Option<bool>,
    /// Where the next facts begin, if there are more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// What a fact entered by hand does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Verb {
    /// It begins to hold.
    #[default]
    Add,
    /// It ceases to hold.
    Retract,
}

/// A fact entered by hand.
#[derive(Clone, Debug, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct FactEntry {
    /// Whether it begins or ceases to hold.
    #[serde(default)]
    pub verb: Verb,
    /// Whom or what it is about.
    #[schema(example = "Ann")]
    pub subject: String,
    /// What is said of it.
    #[schema(example = "lives_in")]
    pub predicate: String,
    /// The value; a retraction without one ends all of that predicate.
    #[serde(default)]
    #[schema(example = "Bern")]
    pub object: Option<String>,
    /// From when on: a moment, or the beginning of a day; now if it is not given.
    #[serde(default)]
    #[schema(value_type = Option<String>, example = "2026-03-04")]
    #[schemars(with = "Option<String>")]
    pub at: Option<When>,
}
