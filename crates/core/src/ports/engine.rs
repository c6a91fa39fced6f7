//! Port `Engine`: writes summaries.

use async_trait::async_trait;

use crate::{Agent, Base, Digest, Draft, Grain, Memory, Period, Result, Settings, Timestamp};

/// One summary that is to be written.
#[derive(Clone, Copy, Debug)]
pub struct SummaryTask<'a> {
    /// Whose.
    pub agent: &'a Agent,
    /// What the agent has set: prompts, budget, choice of engine.
    pub settings: &'a Settings,
    /// The period.
    pub period: Period,
    /// What it is made of, in order of time: turns for a day, summaries of the finer grain otherwise. For a sealed period only
    /// what came late.
    pub sources: &'a [Memory],
    /// Of a sealed period, its summary at sealing: to be kept, and amended by `sources`.
    pub base: Option<&'a Base>,
    /// A change that is no later than the reading of the sources.
    pub read_seq: u64,
    /// Now, for budgets and dates.
    pub now: Timestamp,
}

/// What writes the summary of a period: the built-in extractive engine, or a model endpoint.
#[async_trait]
pub trait Engine: Send + Sync {
    /// Hash of everything but the input that decides what is written: prompt, model, engine and their versions.
    fn recipe(&self, settings: &Settings, grain: Grain) -> Digest;

    /// Writes a summary. There are sources or a base, never neither. Never waits longer than its own deadline.
    async fn summarize(&self, task: SummaryTask<'_>) -> Result<Draft>;
}
