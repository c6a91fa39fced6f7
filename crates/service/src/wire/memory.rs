//! Memories in answers, and requests to correct them.

use annals_core::{Body, Found, Grain, Memory, MemoryId, Role, Sentence};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{GrainWord, KindWord, PassageOf, PassageView, RoleWord};

/// A memory: a turn, a statement or a passage of a document in working memory, or the summary of a period.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct MemoryView {
    /// Id of the memory. It stays the same when the memory is written again.
    pub id: String,
    /// `working` for a turn, statement or passage, otherwise the grain of the summary.
    #[schema(value_type = GrainWord)]
    #[schemars(with = "GrainWord")]
    pub grain: Grain,
    /// What the memory is: a turn, a statement (`fact`), a summary, or a passage of a document.
    #[schema(value_type = KindWord)]
    #[schemars(with = "KindWord")]
    pub kind: annals_core::Kind,
    /// Label of the period. For a turn, statement or passage, its day.
    #[schema(example = "2026-W10")]
    pub period: String,
    /// First local day that the memory covers.
    #[schema(example = "2026-03-02")]
    pub date: String,
    /// Time span that the memory covers.
    pub cover: CoverView,
    /// Relevance to the query: higher is better, comparable within one answer only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// Number of days that the memory covers outside the requested range.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub days_outside: Option<i64>,
    /// Name of the conversation of a turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conversation: Option<String>,
    /// Id of a turn's message: the client's own, or a generated one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Role of the speaker of a turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<RoleWord>)]
    #[schemars(with = "Option<RoleWord>")]
    pub role: Option<Role>,
    /// Speaker of a turn, by name or role; for a statement, the first of the people that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speaker: Option<String>,
    /// For a passage, the document and the position in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document: Option<PassageOf>,
    /// Present text of the memory, after corrections.
    pub text: String,
    /// The sentences of a summary that its sources do not support: a model wrote a name, number or date in them that the
    /// sources do not contain, or the opposite of what they say.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub ungrounded: Vec<String>,
    /// What the memory was made from: memory ids for a summary or statement, the message id for a turn.
    pub source_ids: Vec<String>,
    /// Whether the memory is pinned, so that retention keeps it.
    pub pinned: bool,
    /// The summands of the score, if requested with `explain`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub parts: Vec<PartView>,
}

/// One summand of a score.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct PartView {
    /// What the summand stands for, such as `vector` for the similarity of vectors.
    pub name: String,
    /// Amount that the summand adds to the score; negative for a penalty.
    pub value: f64,
}

/// Time span that a memory covers.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct CoverView {
    /// First local day, inclusive.
    pub from: String,
    /// Last local day, inclusive.
    pub to: String,
    /// Beginning of the span.
    #[schema(format = DateTime)]
    pub start: String,
    /// First instant after the span.
    #[schema(format = DateTime)]
    pub end: String,
}

impl From<&Memory> for MemoryView {
    fn from(memory: &Memory) -> MemoryView {
        let (first, last) = memory.days;
        MemoryView {
            id: memory.id.to_string(),
            grain: memory.grain,
            kind: memory.kind(),
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
            conversation: memory.conversation().map(str::to_owned),
            message: memory.message().map(str::to_owned),
            role: memory.role(),
            speaker: memory.speaker().map(str::to_owned),
            document: passage_of(memory),
            text: memory.text.clone(),
            ungrounded: ungrounded(memory),
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

fn passage_of(memory: &Memory) -> Option<PassageOf> {
    let Body::Passage { document, ordinal, passage, .. } = &memory.body else { return None };
    let passage = PassageView { ordinal: *ordinal, start: passage.start, end: passage.end };
    Some(PassageOf { collection: document.collection.clone(), key: document.key.clone(), passage })
}

fn ungrounded(memory: &Memory) -> Vec<String> {
    let Body::Summary { sentences, .. } = &memory.body else { return Vec::new() };
    sentences.iter().filter(|sentence| sentence.ungrounded).map(|sentence| sentence.text.clone()).collect()
}

fn sources(memory: &Memory) -> Vec<String> {
    let message = memory.message().map(str::to_owned).into_iter();
    // Left out: the entry, by hand or by an import, that a statement comes from. It is not a memory that a client could read.
    let sources = memory.sources().iter().filter(|source| !source.is_entry());
    message.chain(sources.map(MemoryId::to_string)).collect()
}

/// One memory in full.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct MemoryAnswer {
    /// Current name of the agent. Requests may also use its former names.
    pub agent: String,
    /// The memory with its present text.
    pub memory: MemoryView,
    /// Sentences of a summary, each with the turns that it comes from. Empty for other memories.
    pub sentences: Vec<SentenceView>,
    /// Former texts, oldest first. Empty if the text was never corrected or revised.
    pub versions: Vec<VersionView>,
}

/// One sentence of a summary.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct SentenceView {
    /// Day that the sentence is about.
    pub day: String,
    /// The speaker, if the sentence is in the words of one person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speaker: Option<String>,
    /// Text of the sentence.
    pub text: String,
    /// Ids of the turns that the sentence comes from.
    pub from: Vec<String>,
    /// Whether these turns support it. False if a model wrote a name, number or date that they do not contain, or the opposite
    /// of what they say.
    #[serde(default = "grounded")]
    pub grounded: bool,
}

/// Returns the default of `grounded`: services of versions before this field did not mark sentences.
fn grounded() -> bool {
    true
}

impl From<&Sentence> for SentenceView {
    fn from(sentence: &Sentence) -> SentenceView {
        SentenceView {
            day: sentence.day.to_string(),
            speaker: sentence.speaker.clone(),
            text: sentence.text.clone(),
            from: sentence.from.iter().map(MemoryId::to_string).collect(),
            grounded: !sentence.ungrounded,
        }
    }
}

/// A former text of a corrected or revised memory.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct VersionView {
    /// The former text.
    pub text: String,
    /// When the text was replaced.
    #[schema(format = DateTime)]
    pub replaced_at: String,
}

/// The memories from which a memory was made.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct SourcesAnswer {
    /// Current name of the agent. Requests may also use its former names.
    pub agent: String,
    /// Id of the requested memory.
    pub id: String,
    /// The sources that still exist, in order of time.
    pub sources: Vec<MemoryView>,
}

/// A new text for a memory, a pin, or both. At least one is required.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CorrectRequest {
    /// Text that replaces the present one.
    #[serde(default)]
    pub text: Option<String>,
    /// Whether the memory is pinned, so that retention keeps it.
    #[serde(default)]
    pub pinned: Option<bool>,
}
