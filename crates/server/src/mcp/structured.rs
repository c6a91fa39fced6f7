//! Structured answers for programs: ids, times and kinds of memories and facts. Their text is in the fenced text only, because
//! some clients pass the structured answer to a model instead of the text.

use annals_core::{Grain, Kind};
use annals_service::wire::{FactView, GrainWord, KindWord, MemoryView};
use schemars::JsonSchema;
use serde::Serialize;

/// A memory without its text.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct MemoryReference {
    /// Id of the memory, as shown in brackets in the text.
    id: String,
    /// working for turns, statements and passages; otherwise the grain of the summary.
    #[schemars(with = "GrainWord")]
    grain: Grain,
    /// Whether it is a turn, a statement, a passage or a summary.
    #[schemars(with = "KindWord")]
    kind: Kind,
    /// Label of the period. For a turn, its day.
    period: String,
    /// First local day that the memory covers.
    date: String,
    /// Last local day that the memory covers.
    to: String,
    /// Relevance to the query: higher is better, comparable within one answer only.
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
    /// Number of days that the memory covers outside the requested range.
    #[serde(skip_serializing_if = "Option::is_none")]
    days_outside: Option<i64>,
}

impl From<MemoryView> for MemoryReference {
    fn from(view: MemoryView) -> MemoryReference {
        let MemoryView { id, grain, kind, period, date, cover, score, days_outside, .. } = view;
        MemoryReference { id, grain, kind, period, date, to: cover.to, score, days_outside }
    }
}

/// A fact without its text.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct FactReference {
    /// Id of the fact. No tool takes it.
    id: String,
    /// Ids of the memories that state the fact. The text shows the first in brackets.
    sources: Vec<String>,
    /// When the fact starts to hold.
    valid_from: String,
    /// When the fact stopped holding. Null while it holds.
    valid_to: Option<String>,
    /// Confidence, from 0 to 1.
    confidence: f64,
    /// Steps from the person or thing that was asked about: 1 for a fact of its own. Only with depth.
    #[serde(skip_serializing_if = "Option::is_none")]
    depth: Option<u32>,
}

impl From<FactView> for FactReference {
    fn from(view: FactView) -> FactReference {
        let FactView { id, source_ids, valid_from, valid_to, confidence, depth, .. } = view;
        FactReference { id, sources: source_ids, valid_from, valid_to, confidence, depth }
    }
}

/// Converts views to references, which have no text.
pub(super) fn references<V, R: From<V>>(views: Vec<V>) -> Vec<R> {
    views.into_iter().map(R::from).collect()
}
