//! Port `Extractor`: finds facts in turns.

use async_trait::async_trait;

use crate::{Agent, Digest, Extracted, Fact, Memory, Result, Settings, Timestamp};

/// New turns of one conversation that are to be read.
#[derive(Clone, Copy, Debug)]
pub struct ExtractionTask<'a> {
    /// Whose.
    pub agent: &'a Agent,
    /// What the agent has set.
    pub settings: &'a Settings,
    /// The turns to read, in order of time. Their text is already without what was recalled from memory.
    pub turns: &'a [Memory],
    /// A few turns of the same conversation before them, to understand by, not to read.
    pub context: &'a [Memory],
    /// What is known already about those who are named.
    pub known: &'a [Fact],
    /// The predicates in use.
    pub predicates: &'a [String],
    /// Now, for budgets.
    pub now: Timestamp,
}

/// What finds facts in turns: the built-in rules, or a model endpoint.
#[async_trait]
pub trait Extractor: Send + Sync {
    /// Hash of everything but the input that decides what is found.
    fn recipe(&self, settings: &Settings) -> Digest;

    /// Whether it works without a network for these settings, at no cost.
    fn is_local(&self, settings: &Settings) -> bool;

    /// Reads the turns. What is found names only these turns as sources. Never waits longer than its own deadline.
    async fn extract(&self, task: ExtractionTask<'_>) -> Result<Extracted>;
}
