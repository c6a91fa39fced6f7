//! Facts in answers, queries for facts, and facts entered by hand.

use annals_core::{Direction, Fact, MemoryId, Reached};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{DirectionWord, When};

/// A fact: subject, predicate, object, and the time for which it holds.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct FactView {
    /// Id of the fact, to which `superseded_by` of another fact refers.
    pub id: String,
    /// Person or thing that the fact is about.
    #[schema(example = "Ann")]
    pub subject: String,
    /// Property or relation that the fact states.
    #[schema(example = "lives_in")]
    pub predicate: String,
    /// Person, thing or value to which the predicate relates the subject.
    #[schema(example = "Bern")]
    pub object: String,
    /// Further details, such as the kind of the object or who said it. The keys depend on the predicate and the extractor.
    pub properties: serde_json::Map<String, serde_json::Value>,
    /// Confidence of the extractor, from 0 to 1. A fact entered by hand has 1.
    pub confidence: f64,
    /// When the fact starts to hold.
    #[schema(format = DateTime)]
    pub valid_from: String,
    /// When the fact stopped holding. Null while it holds.
    #[schema(format = DateTime)]
    pub valid_to: Option<String>,
    /// When the fact was first recorded.
    #[schema(format = DateTime)]
    pub recorded_at: String,
    /// Time span of the messages that state the fact.
    pub said: MentionedView,
    /// Ids of the turns that state the fact. Ids of manual entries start with `u-`.
    pub source_ids: Vec<String>,
    /// Id of the fact that replaced this one. Null if none did.
    pub superseded_by: Option<String>,
    /// Only in walks: 1 for a fact of the entity itself, 2 for a fact of an entity that such a fact leads to, and so on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
}

/// Time span from the first to the last message that states a fact.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct MentionedView {
    /// When the first of the messages was said.
    #[schema(format = DateTime)]
    pub from: String,
    /// Just after the last of the messages was said.
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
            said: MentionedView { from: fact.mentioned.start.to_string(), to: fact.mentioned.end.to_string() },
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

/// A query for facts.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema, ToSchema, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct FactsRequest {
    /// Facts that have this person or thing as subject or object, under any of its names.
    #[serde(default)]
    pub about: Option<String>,
    /// Also returns facts up to this many steps away from `about`: 1 to 10. The nearest facts come first.
    #[serde(default)]
    #[param(minimum = 1, maximum = 10)]
    pub depth: Option<u32>,
    /// Returns the shortest path from `about` to this person or thing instead. It has at most `depth` facts, 6 by default.
    #[serde(default)]
    pub to: Option<String>,
    /// Direction in which a walk or a path follows facts. Default: both.
    #[serde(default)]
    #[param(value_type = Option<DirectionWord>, inline)]
    #[schema(value_type = Option<DirectionWord>)]
    #[schemars(with = "Option<DirectionWord>")]
    pub direction: Direction,
    /// Only facts with this predicate. A walk or a path also accepts several predicates, separated by commas.
    #[serde(default)]
    pub predicate: Option<String>,
    /// Facts that held at this moment, or at the beginning of this day, instead of those that hold now.
    #[serde(default)]
    #[param(value_type = Option<String>, example = "2026-03-04")]
    #[schema(value_type = Option<String>, example = "2026-03-04")]
    #[schemars(with = "Option<String>")]
    pub as_of: Option<When>,
    /// Includes facts that have ended.
    #[serde(default)]
    pub history: bool,
    /// Maximum number of facts: 1 to 1,000. Default: 100.
    #[serde(default)]
    #[param(minimum = 1, maximum = 1000)]
    #[schemars(range(min = 1, max = 1000))]
    pub limit: Option<usize>,
    /// Continues a previous answer: its `next_cursor`. Not for walks and paths.
    #[serde(default)]
    pub cursor: Option<String>,
}

/// Matching facts, ordered by the moment from which they hold. Facts of a walk are ordered by depth first, facts of a path in
/// the order of the path.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct FactsAnswer {
    /// Current name of the agent. Requests may also use its former names.
    pub agent: String,
    /// The facts of this page.
    pub facts: Vec<FactView>,
    /// Only for paths: whether the two persons or things are connected. A path without facts means that both are names of the
    /// same person or thing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub connected: Option<bool>,
    /// Cursor of the next page, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// Effect of a fact entered by hand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Verb {
    /// The fact starts to hold.
    #[default]
    Add,
    /// The fact stops holding.
    Retract,
}

/// A fact entered by hand.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct FactEntry {
    /// Whether the fact starts or stops holding.
    #[serde(default)]
    pub verb: Verb,
    /// Person or thing that the fact is about.
    #[schema(example = "Ann")]
    pub subject: String,
    /// Property or relation that the fact states.
    #[schema(example = "lives_in")]
    pub predicate: String,
    /// The value. A retraction without a value ends all facts with this subject and predicate.
    #[serde(default)]
    #[schema(example = "Bern")]
    pub object: Option<String>,
    /// When the fact starts or stops holding: a moment, or the beginning of a day. Default: now.
    #[serde(default)]
    #[schema(value_type = Option<String>, example = "2026-03-04")]
    #[schemars(with = "Option<String>")]
    pub at: Option<When>,
}
