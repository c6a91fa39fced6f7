//! Port `Engine`: writes summaries.

use async_trait::async_trait;

use crate::{Agent, Author, Base, Digest, Draft, Fact, Grain, Memory, Period, Result, Settings, Timestamp};

/// Context that helps an engine to understand the input of a summary. It is not part of the digest of the input: otherwise one
/// changed week would cause every later week to be rewritten. Only `earlier` may appear in the summary.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Background {
    /// The block that describes the agent, if there is one.
    pub persona: Option<String>,
    /// Facts about the names in the input that hold at the end of the period: aliases first, then the newest first.
    pub known: Vec<Fact>,
    /// The last sentences of the summary of the period before; none for a day.
    pub before: Vec<String>,
    /// For a day, earlier turns of each speaker who is the only one in a conversation of that day, oldest first. An engine may
    /// quote names from them. It lists the turn of each name among the sources of the sentence, so that forgetting the turn
    /// removes the sentence.
    pub earlier: Vec<Memory>,
}

/// The request for one summary.
#[derive(Clone, Copy, Debug)]
pub struct SummaryTask<'a> {
    /// The agent that the summary belongs to.
    pub agent: &'a Agent,
    /// The agent's settings: prompts, budget, choice of engine.
    pub settings: &'a Settings,
    /// The period to summarise.
    pub period: Period,
    /// The input, in order of time: turns for a day, summaries of the finer grain otherwise. For a sealed period, only
    /// late input.
    pub sources: &'a [Memory],
    /// For a sealed period, its summary at sealing. It is kept and amended by `sources`.
    pub base: Option<&'a Base>,
    /// Context that helps to understand the sources.
    pub background: Option<&'a Background>,
    /// A sequence number of the agent's memory, taken before the sources were read.
    pub read_seq: u64,
    /// Id of the API key of the request that the summary is written for. Its budget is charged too. `None` for scheduled work.
    pub access_key: Option<&'a str>,
    /// The current time, for budgets and dates.
    pub now: Timestamp,
}

/// Writes the summary of a period: the built-in extractive engine, or a model endpoint.
#[async_trait]
pub trait Engine: Send + Sync {
    /// Returns the hash of everything that determines the output except the input: prompt, model, engine and their versions.
    fn recipe(&self, settings: &Settings, grain: Grain) -> Digest;

    /// Returns the engine, model and prompt that write a summary of this grain now, for display. `None` by default.
    fn author(&self, settings: &Settings, grain: Grain) -> Option<Author> {
        let _ = (settings, grain);
        None
    }

    /// Returns whether it writes summaries of this grain without a network and at no cost for these settings. The default is
    /// true.
    fn writes_locally(&self, _settings: &Settings, _grain: Grain) -> bool {
        true
    }

    /// Returns the periods of the agent that wait for an answer of a batch. Their summaries are not requested again. Leaves
    /// out a period with an answer that will not be saved.
    async fn awaited(&self, _agent: &Agent) -> Result<Vec<Period>> {
        Ok(Vec::new())
    }

    /// Writes a summary. The task has sources or a base, or both. Never waits longer than its own deadline.
    async fn summarize(&self, task: SummaryTask<'_>) -> Result<Draft>;
}
