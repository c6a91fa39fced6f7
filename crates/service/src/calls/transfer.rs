//! Calls that send the records or the memories of an agent.

use annals_core::{Error, Grain, Result};
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncBufReadExt, BufReader};

use super::{Call, Context, SendsItems};
use crate::wire::{ExportAnswer, MemoryView};

/// Sends the records of an agent as lines, in the format that `annals import` reads.
#[derive(Debug, Serialize, Deserialize)]
pub struct Export {
    pub agent: String,
}

impl Call for Export {
    const NAME: &'static str = "export";
    type Answer = ExportAnswer;

    async fn run(self, mut context: Context<'_>) -> Result<ExportAnswer> {
        let agent = context.agent(&self.agent).await?;
        let export = context.service().export(&agent).await?;
        let mut lines = BufReader::new(export.file).lines();
        let failed = |cause| Error::storage("reading an export", cause);
        while let Some(line) = lines.next_line().await.map_err(failed)? {
            context.send(&line).await?;
        }
        Ok(ExportAnswer { agent: agent.name().to_owned(), records: export.records })
    }
}

impl SendsItems for Export {
    type Item = String;
}

/// Sends all memories of an agent except passages of documents, by grain from fine to coarse.
#[derive(Debug, Serialize, Deserialize)]
pub struct ListMemories {
    pub agent: String,
}

impl Call for ListMemories {
    const NAME: &'static str = "list_memories";
    type Answer = ();

    async fn run(self, mut context: Context<'_>) -> Result<()> {
        let agent = context.agent(&self.agent).await?;
        for grain in Grain::ALL {
            let mut page = context.service().page_of_memories(&agent, grain, None).await?;
            while let Some(last) = page.last().cloned() {
                for memory in &page {
                    context.send(&MemoryView::from(memory)).await?;
                }
                page = context.service().page_of_memories(&agent, grain, Some(&last)).await?;
            }
        }
        Ok(())
    }
}

impl SendsItems for ListMemories {
    type Item = MemoryView;
}
