//! Calls about single memories, and forgetting. An id alone identifies a memory, because memories of different agents never
//! have the same id.

use annals_core::Result;
use serde::{Deserialize, Serialize};

use super::{Call, Context};
use crate::wire::{CorrectRequest, ForgetReport, ForgetRequest, MemoryAnswer, SourcesAnswer};

/// Returns one memory in full.
#[derive(Debug, Serialize, Deserialize)]
pub struct GetMemory {
    pub id: String,
}

impl Call for GetMemory {
    const NAME: &'static str = "get_memory";
    type Answer = MemoryAnswer;

    async fn run(self, context: Context<'_>) -> Result<MemoryAnswer> {
        let (agent, memory) = context.service().find_anywhere(&self.id).await?;
        context.service().memory(&agent, memory.id.as_str()).await
    }
}

/// Returns the memories from which a memory was made and that are still stored.
#[derive(Debug, Serialize, Deserialize)]
pub struct GetSources {
    pub id: String,
}

impl Call for GetSources {
    const NAME: &'static str = "get_sources";
    type Answer = SourcesAnswer;

    async fn run(self, context: Context<'_>) -> Result<SourcesAnswer> {
        let (agent, memory) = context.service().find_anywhere(&self.id).await?;
        context.service().sources(&agent, memory.id.as_str()).await
    }
}

/// Replaces the text of a memory, sets or removes its pin, or both.
#[derive(Debug, Serialize, Deserialize)]
pub struct Correct {
    pub id: String,
    /// The new text, the pin, or both.
    pub request: CorrectRequest,
}

impl Call for Correct {
    const NAME: &'static str = "correct";
    type Answer = MemoryAnswer;

    async fn run(self, context: Context<'_>) -> Result<MemoryAnswer> {
        let (agent, memory) = context.service().find_anywhere(&self.id).await?;
        context.service().correct(&agent, memory.id.as_str(), self.request, context.now).await
    }
}

/// Reports what would be forgotten, or forgets it and then searches the agent's data and files for leftovers.
#[derive(Debug, Serialize, Deserialize)]
pub struct Forget {
    pub agent: String,
    /// What to forget, and whether it is a dry run.
    pub request: ForgetRequest,
}

impl Call for Forget {
    const NAME: &'static str = "forget";
    type Answer = ForgetReport;

    async fn run(self, context: Context<'_>) -> Result<ForgetReport> {
        let agent = context.agent(&self.agent).await?;
        let answer = context.service().forget(&agent, self.request, context.now).await?;
        context.service().with_samples(&agent, answer).await
    }
}
