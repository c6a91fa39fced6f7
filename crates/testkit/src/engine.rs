//! An in-memory engine: a summary consists of the base and the first words of each source.

use annals_core::ports::SummaryTask;
use annals_core::{Digest, Draft, Engine, Grain, Memory, MemoryId, Result, Sentence, Settings};
use async_trait::async_trait;

/// Maximum number of words quoted from each source.
const QUOTED: usize = 5;

/// Port `Engine` that repeats the sentences of the base and quotes the first five words of each source, so that a test can see
/// what a summary was made from.
#[derive(Clone, Copy, Debug, Default)]
pub struct QuotingEngine;

#[async_trait]
impl Engine for QuotingEngine {
    fn recipe(&self, _settings: &Settings, grain: Grain) -> Digest {
        Digest::of(["quoting", grain.as_str()])
    }

    async fn summarize(&self, task: SummaryTask<'_>) -> Result<Draft> {
        let base = task.base.iter().flat_map(|base| base.sentences.clone());
        let sentences: Vec<_> = base.chain(task.sources.iter().map(quote)).collect();
        let lines: Vec<_> = sentences.iter().map(|sentence| sentence.text.clone()).collect();
        Ok(Draft { text: lines.join("\n"), sentences, tokens: 0, ungrounded: 0, verbatim: true })
    }
}

fn quote(source: &Memory) -> Sentence {
    let words: Vec<_> = source.text.split_whitespace().take(QUOTED).collect();
    Sentence {
        day: source.days.0,
        speaker: source.speaker().map(str::to_owned),
        text: words.join(" "),
        from: turns_of(source),
        ungrounded: false,
    }
}

/// Returns the ids of the turns behind a source: of a working memory itself, or those that the sentences of a summary name.
fn turns_of(source: &Memory) -> Vec<MemoryId> {
    if source.grain == Grain::Working {
        return vec![source.id.clone()];
    }
    let mut turns: Vec<_> = source.sentences().iter().flat_map(|sentence| sentence.from.clone()).collect();
    turns.sort();
    turns.dedup();
    turns
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn keeps_the_promises_of_the_port() {
        crate::engine_suite(&QuotingEngine).await;
    }
}
