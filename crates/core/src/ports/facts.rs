//! Port `Facts`: the table of facts of an agent. It is a projection of the operation log and can be rebuilt.

use std::path::Path;

use async_trait::async_trait;

use crate::{Agent, Fact, FactQuery, Reached, Result, Route, Walk};

/// The tables of facts. One that was never written reads as empty.
#[async_trait]
pub trait Facts: Send + Sync {
    /// The version of the log that the agent's table was folded from; 0 at first. [`crate::Error::Damaged`] when the
    /// table cannot be read.
    async fn version(&self, agent: &Agent) -> Result<u64>;

    /// Replaces the agent's table, durably and as one. Nothing of the former table stays on disk.
    async fn replace(&self, agent: &Agent, facts: Vec<Fact>, version: u64) -> Result<()>;

    /// The facts that fit, by the moment from which they hold, then by id.
    async fn find(&self, agent: &Agent, query: &FactQuery) -> Result<Vec<Fact>>;

    /// The facts that a walk reaches, each once and with the smallest depth; by depth, then by the moment from which they
    /// hold, then by id. None if no fact names the entity.
    async fn walk(&self, agent: &Agent, walk: &Walk) -> Result<Vec<Reached>>;

    /// The facts of the shortest way, from its beginning to its end; of several as short, the one whose first fact comes
    /// first in the order of [`Facts::find`], then its second, and so on. Empty if both are one entity; none if there is no
    /// such way, or no fact names one of the two.
    async fn path(&self, agent: &Agent, route: &Route) -> Result<Option<Vec<Fact>>>;

    /// Those of the names that a fact has as subject or object, whatever the case and accents; in their order.
    async fn known(&self, agent: &Agent, names: &[String]) -> Result<Vec<String>>;

    /// The predicates in use, the most used first.
    async fn predicates(&self, agent: &Agent, limit: usize) -> Result<Vec<String>>;

    /// Writes the agent's table, history included, as a Parquet file that any DuckDB opens.
    async fn export(&self, agent: &Agent, target: &Path) -> Result<()>;

    /// Removes all that is stored of the agent.
    async fn remove(&self, agent: &Agent) -> Result<()>;

    /// The places in the agent's stored files whose decoded text contains any of these words; for the proof of erasure.
    async fn holds(&self, agent: &Agent, words: &[String]) -> Result<Vec<String>>;
}
