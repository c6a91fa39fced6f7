//! Calls that find facts, enter one by hand, and export them.

use std::path::PathBuf;

use annals_core::Result;
use serde::{Deserialize, Serialize};

use super::{Call, Context};
use crate::wire::{FactEntry, FactsAnswer, FactsRequest, Verb};

/// Finds facts. If the extractor is local, first extracts facts from new messages.
#[derive(Debug, Serialize, Deserialize)]
pub struct FindFacts {
    pub agent: String,
    /// The query. Without a limit, all facts are returned.
    pub request: FactsRequest,
}

impl Call for FindFacts {
    const NAME: &'static str = "find_facts";
    type Answer = FactsAnswer;

    async fn run(self, context: Context<'_>) -> Result<FactsAnswer> {
        let agent = context.agent(&self.agent).await?;
        context.service().bring_facts_up_to_date(&agent, context.progress).await?;
        context.service().ask_facts(&agent, self.request, context.now).await
    }
}

/// Enters a fact by hand, or retracts one. Entering a fact may create the agent; for a retraction the agent must exist.
#[derive(Debug, Serialize, Deserialize)]
pub struct EnterFact {
    pub agent: String,
    pub entry: FactEntry,
}

impl Call for EnterFact {
    const NAME: &'static str = "enter_fact";
    type Answer = FactsAnswer;

    async fn run(self, context: Context<'_>) -> Result<FactsAnswer> {
        let agent = match self.entry.verb {
            Verb::Add => context.new_agent(&self.agent).await?,
            Verb::Retract => context.agent(&self.agent).await?,
        };
        context.service().enter_fact(&agent, self.entry, context.now).await
    }
}

/// Writes the facts of an agent to a Parquet file. If the extractor is local, first extracts facts from new messages.
#[derive(Debug, Serialize, Deserialize)]
pub struct ExportFacts {
    pub agent: String,
    /// Absolute path of the file, because the process that writes it may have another working directory.
    pub file: PathBuf,
}

impl Call for ExportFacts {
    const NAME: &'static str = "export_facts";
    type Answer = ();

    async fn run(self, context: Context<'_>) -> Result<()> {
        let agent = context.agent(&self.agent).await?;
        context.service().bring_facts_up_to_date(&agent, context.progress).await?;
        context.service().export_facts(&agent, &self.file).await
    }
}
