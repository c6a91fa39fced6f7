//! Small queries that fail if a store does not answer, for monitoring and for `annals doctor`.

use annals_core::{Agent, FactQuery, Query, Result, Timestamp};

use crate::Service;

impl Service {
    /// Reads one value from the catalog. Fails if the catalog does not answer.
    pub async fn check_ready(&self) -> Result<()> {
        self.parts.store.clock().await.map(|_| ())
    }

    /// Makes one small search of an agent's tables and one small query of its facts. Fails if either cannot be read. Repairs
    /// nothing.
    pub(crate) async fn check_readable(&self, agent: &Agent, now: Timestamp) -> Result<()> {
        let query = Query { text: Some("annals".into()), limit: 1, ..Query::default() };
        self.parts.search.answer(agent, &query, now).await?;
        self.parts.facts.find(agent, &FactQuery { limit: Some(1), ..FactQuery::default() }).await?;
        Ok(())
    }
}
