//! Port `Extractor`: finds facts in turns.

use async_trait::async_trait;

use crate::{Agent, Extracted, Fact, Memory, Result, Settings, Timestamp};

/// New turns of one conversation to be read.
#[derive(Clone, Copy, Debug)]
pub struct ExtractionTask<'a> {
    /// The agent.
    pub agent: &'a Agent,
    /// The agent's settings.
    pub settings: &'a Settings,
    /// The turns to read, in order of time. Text recalled from memory is already removed from them.
    pub turns: &'a [Memory],
    /// A few earlier turns of the same conversation, for context only. Facts are not extracted from them.
    pub context: &'a [Memory],
    /// Facts already stored about the people who are named.
    pub known: &'a [Fact],
    /// The predicates in use.
    pub predicates: &'a [String],
    /// The current time, for budgets.
    pub now: Timestamp,
}

/// Finds facts in turns: the built-in rules, or a model endpoint.
#[async_trait]
pub trait Extractor: Send + Sync {
    /// Returns whether it works without a network and at no cost for these settings.
    fn is_local(&self, settings: &Settings) -> bool;

    /// Extracts from the turns. The output names only these turns as sources. Never waits longer than its own deadline.
    async fn extract(&self, task: ExtractionTask<'_>) -> Result<Extracted>;
}
