//! Implements the port `Strata` for [`Faulty`].

use annals_core::ports::{Batch, Findings, Probe, Stored, Strata, Table, TableStats};
use annals_core::{Agent, Result};
use async_trait::async_trait;

use super::Faulty;

#[async_trait]
impl<P: Strata> Strata for Faulty<P> {
    async fn apply(&self, table: &Table, batch: Batch) -> Result<()> {
        self.store()?.apply(table, batch).await
    }

    async fn exists(&self, table: &Table) -> Result<bool> {
        self.store()?.exists(table).await
    }

    async fn search(&self, table: &Table, probe: &Probe) -> Result<Findings> {
        self.store()?.search(table, probe).await
    }

    async fn scan(&self, table: &Table) -> Result<Vec<Stored>> {
        self.store()?.scan(table).await
    }

    async fn remove(&self, table: &Table) -> Result<()> {
        self.store()?.remove(table).await
    }

    async fn rewrite(&self, from: &Table, generation: u32) -> Result<()> {
        self.store()?.rewrite(from, generation).await
    }

    async fn generations(&self, agent: &Agent) -> Result<Vec<Table>> {
        self.store()?.generations(agent).await
    }

    async fn remove_below(&self, agent: &Agent, tables: &[Table]) -> Result<()> {
        self.store()?.remove_below(agent, tables).await
    }

    async fn remove_agent(&self, agent: &Agent) -> Result<()> {
        self.store()?.remove_agent(agent).await
    }

    async fn find_leftovers(&self, agent: &Agent, words: &[String]) -> Result<Vec<String>> {
        self.store()?.find_leftovers(agent, words).await
    }

    async fn compact(&self, table: &Table) -> Result<()> {
        self.store()?.compact(table).await
    }

    async fn table_stats(&self, table: &Table) -> Result<TableStats> {
        self.store()?.table_stats(table).await
    }

    async fn quarantine(&self, table: &Table) -> Result<Option<String>> {
        self.store()?.quarantine(table).await
    }
}
