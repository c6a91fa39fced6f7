//! Memories as they are seen from outside.

use annals_core::{Found, Grain, Memory, MemoryId, Role, Sentence};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{GrainWord, KindWord, RoleWord};

/// A memory: a turn or statement of working memory, or the summary of a period.
#[derive(Clone, Debug, Serialize, JsonSchema, ToSchema)]
pub struct MemoryView {
    /// Its id, the same whenever it is written again.
    pub id: String,
    /// How coarse it is.
    #[schema(value_type = GrainWord)]
    #[schemars(with = "GrainWord")]
    pub grain: Grain,
    /// What it is.
    #[schema(value_type = KindWord)]
    #[schemars(with = "KindWord")]
    pub kind: annals_core::Kind,
    /// Label of the period; of a turn, its day.
    #[schema(example = "2026-W10")]
    pub period: String,
    /// First local day that it covers.
    #[schema(example = "2026-03-02")]
    pub date: String,
    /// What it covers in time.
    pub cover: CoverView,
    /// How well it fits the question: higher is better, comparable within one answer only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// Days that it covers beyond the range that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub days_outside: Option<i64>,
    /// A turn's conversation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conversation: Option<String>,
    /// The id that the client gave to the message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// A turn's role.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<RoleWord>)]
    #[schemars(with = "Option<RoleWord>")]
    pub role: Option<Role>,
    /// A turn's speaker, by name or role.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speaker: Option<String>,
    /// The words.
    pub text: String,
    /// What it was made from: memory ids for a summary, the message's id for a turn.
    pub source_ids: Vec<String>,
    /// Whether retention leaves it alone.
    pub pinned: bool,
    /// What the score is the sum of, if that was asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    #[schemars(default)]
    pub parts: Vec<PartView>,
}

/// One summand of a score.
#[derive(Clone, Debug, Serialize, JsonSchema, ToSchema)]
pub struct PartView {
    /// Which.
    pub name: String,
    /// How much it adds.
    pub value: f64,
}

/// What a memory covers in time.
#[derive(Clone, Debug, Serialize, JsonSchema, ToSchema)]
pub struct CoverView {
    /// First local day, inclusive.
    pub from: String,
    /// Last local day, inclusive.
    pub to: String,
    /// First instant.
    #[schema(format = DateTime)]
    pub start: String,
    /// First instant after it.
    #[schema(format = DateTime)]
    pub end: String,
}

impl From<&Memory> for MemoryView {
    fn from(memory: &Memory) -> MemoryView {
        let (first, last) = memory.days;
        MemoryView {
            id: memory.id.to_string(),
            grain: memory.grain,
            kind: memory.kind,
            period: memory.period.to_string(),
            date: first.to_string(),
            cover: CoverView {
                from: first.to_string(),
                to: last.to_string(),
                start: memory.cover.start.to_string(),
                end: memory.cover.end.to_string(),
            },
            score: None,
            days_outside: None,
            conversation: memory.conversation.clone(),
            message: memory.message.clone(),
            role: memory.role,
            speaker: memory.speaker.clone(),
            text: memory.text.clone(),
            source_ids: sources(memory),
            pinned: memory.pinned,
            parts: Vec::new(),
        }
    }
}

impl From<&Found> for MemoryView {
    fn from(found: &Found) -> MemoryView {
        MemoryView {
            score: Some(found.score),
            days_outside: Some(found.days_outside),
            parts: found.parts.iter().map(|part| PartView { name: part.name.to_owned(), value: part.value }).collect(),
            ..MemoryView::from(&found.memory)
        }
    }
}

fn sources(memory: &Memory) -> Vec<String> {
    let message = memory.message.clone().into_iter();
    message.chain(memory.sources.iter().map(MemoryId::to_string)).collect()
}

/// One memory in full.
#[derive(Clone, Debug, Serialize, JsonSchema, ToSchema)]
pub struct MemoryAnswer {
    /// Whose.
    pub agent: String,
    /// The memory.
    pub memory: MemoryView,
    /// A summary's sentences with what each comes from.
    pub sentences: Vec<SentenceView>,
    /// Former texts, oldest first.
    pub versions: Vec<VersionView>,
}

/// One sentence of a summary.
#[derive(Clone, Debug, Serialize, JsonSchema, ToSchema)]
pub struct SentenceView {
    /// The day it tells of.
    pub day: String,
    /// Who said it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speaker: Option<String>,
    /// The words.
    pub text: String,
    /// The turns it comes from.
    pub from: Vec<String>,
}

impl From<&Sentence> for SentenceView {
    fn from(sentence: &Sentence) -> SentenceView {
        SentenceView {
            day: sentence.day.to_string(),
            speaker: sentence.speaker.clone(),
            text: sentence.text.clone(),
            from: sentence.from.iter().map(MemoryId::to_string).collect(),
        }
    }
}

/// A former text of a corrected memory.
#[derive(Clone, Debug, Serialize, JsonSchema, ToSchema)]
pub struct VersionView {
    /// The text until then.
    pub text: String,
    /// When it was replaced.
    #[schema(format = DateTime)]
    pub replaced_at: String,
}

/// What a memory was made from.
#[derive(Clone, Debug, Serialize, JsonSchema, ToSchema)]
pub struct SourcesAnswer {
    /// Whose.
    pub agent: String,
    /// The memory that was asked for.
    pub id: String,
    /// Those that still exist, in order of time.
    pub sources: Vec<MemoryView>,
}

/// Other words for a memory, or a pin; at least one of the two.
#[derive(Clone, Debug, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CorrectRequest {
    /// The words that take the place of the present ones.
    #[serde(default)]
    pub text: Option<String>,
    /// Whether retention leaves it alone.
    #[serde(default)]
    pub pinned: Option<bool>,
}
