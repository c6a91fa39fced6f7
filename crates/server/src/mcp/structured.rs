//! What programs get of memories and facts: ids, times and kinds. Words stand in the fenced text alone, because some clients hand
//! a model the structured answer instead of the text.

use annals_core::{Grain, Kind};
use schemars::JsonSchema;
use serde::Serialize;

use crate::wire::{FactView, GrainWord, KindWord, MemoryView};

/// A memory without its words.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct MemoryReference {
    /// Its id, as it stands in brackets in the text.
    id: String,
    /// How coarse it is.
    #[schemars(with = "GrainWord")]
    grain: Grain,
    /// What it is.
    #[schemars(with = "KindWord")]
    kind: Kind,
    /// Label of the period; of a turn, its day.
    period: String,
    /// First local day that it covers.
    date: String,
    /// Last local day that it covers.
    to: String,
    /// How well it fits the question: higher is better, comparable within one answer only.
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
    /// Days that it covers beyond the range that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    days_outside: Option<i64>,
}

impl From<MemoryView> for MemoryReference {
    fn from(view: MemoryView) -> MemoryReference {
        let MemoryView { id, grain, kind, period, date, cover, score, days_outside, .. } = view;
        MemoryReference { id, grain, kind, period, date, to: cover.to, score, days_outside }
    }
}

/// A fact without its words.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct FactReference {
    /// Its id, as it stands in brackets in the text.
    id: String,
    /// From when it holds.
    valid_from: String,
    /// Until when it held; none while it holds.
    valid_to: Option<String>,
    /// From 0 to 1.
    confidence: f64,
    /// How many facts away it is, of a walk.
    #[serde(skip_serializing_if = "Option::is_none")]
    depth: Option<u32>,
}

impl From<FactView> for FactReference {
    fn from(view: FactView) -> FactReference {
        let FactView { id, valid_from, valid_to, confidence, depth, .. } = view;
        FactReference { id, valid_from, valid_to, confidence, depth }
    }
}

/// The references to all of them.
pub(super) fn references<V, R: From<V>>(views: Vec<V>) -> Vec<R> {
    views.into_iter().map(R::from).collect()
}
