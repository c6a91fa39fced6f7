//! Port `Engine`: writes summaries.

use async_trait::async_trait;

use crate::{Digest, Draft, Grain, Memory, Period, Result};

/// What writes the summary of a period: the built-in extractive engine, or a model endpoint.
#[async_trait]
pub trait Engine: Send + Sync {
    /// Hash of everything but the input that decides what is written: prompt, model, engine and their versions.
    fn recipe(&self, grain: Grain) -> Digest;

    /// The summary of `period` from what it is made of, in order of time: turns for a day, summaries of the finer grain
    /// otherwise. `sources` is never empty. Never waits longer than its own deadline.
    async fn summarize(&self, period: Period, sources: &[Memory]) -> Result<Draft>;
}
