//! Implements port `Journal`.

use annals_core::ports::Journal;
use annals_core::{Agent, Extraction, ExtractionWatermark, FactOperation, Result, Timestamp};
use async_trait::async_trait;

use crate::db::Db;
use crate::{SqliteCatalog, extraction, log};

#[async_trait]
impl Journal for SqliteCatalog {
    async fn extraction(&self, agent: &Agent) -> Result<ExtractionWatermark> {
        let agent = agent.clone();
        self.thread.read("reading the watermark of extraction", move |c| extraction::watermark(c, &agent)).await
    }

    async fn save_extraction(&self, agent: &Agent, extraction: Extraction, now: Timestamp) -> Result<()> {
        let agent = agent.clone();
        self.thread.write("saving extracted facts", move |c| extraction::save(c, &agent, &extraction, now)).await
    }

    async fn note_extraction_failure(
        &self,
        agent: &Agent,
        error: &str,
        not_before: Timestamp,
        now: Timestamp,
    ) -> Result<()> {
        let (agent, error) = (agent.clone(), error.to_owned());
        let work = move |c: &dyn Db| extraction::note_failure(c, &agent, &error, not_before, now);
        self.thread.write("saving a failure", work).await
    }

    async fn log_version(&self, agent: &Agent) -> Result<u64> {
        let agent = agent.clone();
        self.thread.read("reading the version of the log", move |c| log::version(c, &agent)).await
    }

    async fn operations(&self, agent: &Agent) -> Result<(u64, Vec<FactOperation>)> {
        let agent = agent.clone();
        self.thread.read("reading the log", move |c| log::operations(c, &agent)).await
    }

    async fn add_operations(&self, agent: &Agent, operations: Vec<FactOperation>) -> Result<()> {
        let agent = agent.clone();
        self.thread.write("adding to the log", move |c| log::add(c, &agent, &operations)).await
    }
}
