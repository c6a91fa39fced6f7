//! In-memory extractors: one that finds nothing, and one that reads sentences of three words.

use annals_core::ports::ExtractionTask;
use annals_core::{Extracted, Extractor, FactOperation, Memory, Properties, Result, Settings, Timestamp, Verb};
use async_trait::async_trait;

/// An extractor that finds nothing.
#[derive(Clone, Copy, Debug)]
pub struct SilentExtractor;

#[async_trait]
impl Extractor for SilentExtractor {
    fn is_local(&self, _: &Settings) -> bool {
        true
    }

    async fn extract(&self, _: ExtractionTask<'_>) -> Result<Extracted> {
        Ok(Extracted::default())
    }
}

/// An extractor that returns a turn of three words as a fact, such as `Ann lives_in Bern.`, if the second word contains an
/// underscore.
#[derive(Clone, Copy, Debug)]
pub struct ThreeWords;

#[async_trait]
impl Extractor for ThreeWords {
    fn is_local(&self, _: &Settings) -> bool {
        true
    }

    async fn extract(&self, task: ExtractionTask<'_>) -> Result<Extracted> {
        let operations = task.turns.iter().filter_map(|turn| operation(turn, task.now)).collect();
        Ok(Extracted { statements: Vec::new(), operations, rejected: Vec::new() })
    }
}

fn operation(turn: &Memory, now: Timestamp) -> Option<FactOperation> {
    let words: Vec<&str> = turn.text.trim_end_matches('.').split(' ').collect();
    let [subject, predicate, object] = words.as_slice() else { return None };
    predicate.contains('_').then(|| FactOperation {
        id: FactOperation::id(&turn.id, 0),
        verb: Verb::Insert,
        subject: (*subject).to_owned(),
        predicate: (*predicate).to_owned(),
        object: (*object).to_owned(),
        replaces: None,
        properties: Properties::new(),
        confidence: 0.9,
        at: turn.at(),
        said_at: turn.at(),
        source: turn.id.clone(),
        position: 0,
        recorded_at: now,
    })
}
