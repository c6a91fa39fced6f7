//! The model of the simulation. It can be unavailable or refuse some texts.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};

use annals_core::ports::SummaryTask;
use annals_core::{Digest, Draft, Engine, Error, Grain, Result, Settings};

/// An engine that writes every distinct word of its input.
#[derive(Default)]
pub(super) struct Keeper {
    /// Whether the engine is unavailable.
    pub(super) away: AtomicBool,
    /// Whether the engine refuses texts with `POISON`.
    pub(super) picky: AtomicBool,
}

#[async_trait::async_trait]
impl Engine for Keeper {
    fn recipe(&self, _: &Settings, grain: Grain) -> Digest {
        Digest::of(["keeper", grain.as_str()])
    }

    async fn summarize(&self, task: SummaryTask<'_>) -> Result<Draft> {
        if self.away.load(Ordering::SeqCst) {
            return Err(Error::unavailable("asking the model", "it is dead"));
        }
        let base = task.base.iter().map(|base| base.text.as_str());
        let texts = base.chain(task.sources.iter().map(|source| source.text.as_str()));
        let words: BTreeSet<&str> = texts.flat_map(str::split_whitespace).collect();
        if self.picky.load(Ordering::SeqCst) && words.contains("POISON") {
            return Err(Error::model("asking the model", "it makes no sense"));
        }
        let text = words.into_iter().collect::<Vec<_>>().join(" ");
        Ok(Draft { text, sentences: Vec::new(), tokens: 1, ungrounded: 0, verbatim: true })
    }
}
