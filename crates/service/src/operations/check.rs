//! Checks that the stores answer: for monitoring, and for `annals doctor`.

use annals_core::{Agent, FactQuery, Query, Result, Timestamp};

use crate::Service;

impl Service {
    /// Checks that the catalog answers.
    pub async fn check_ready(&self) -> Result<()> {
        self.parts.store.clock().await.map(|_| ())
    }

    /// Makes one small search of the tables and one small query of the facts of an agent. Repairs nothing.
    pub(crate) async fn check_readable(&self, agent: &Agent, now: Timestamp) -> Result<()> {
        let query = Query { text: Some("annals".into()), limit: 1, ..Query::default() };
        self.parts.search.answer(agent, &query, now).await?;
        self.parts.facts.find(agent, &FactQuery { limit: Some(1), ..FactQuery::default() }).await?;
        Ok(())
    }
}
