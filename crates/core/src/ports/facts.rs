//! Port `Facts`: the table of facts of an agent. It is a projection of the operation log and can be rebuilt.

use std::path::Path;

use async_trait::async_trait;

use crate::{Agent, Fact, FactQuery, Reached, Result, Route, Walk};

/// The tables of facts. A table that was never written reads as empty.
#[async_trait]
pub trait Facts: Send + Sync {
    /// Returns the version of the log that the agent's table was folded from; 0 at first. [`crate::Error::Damaged`]
    /// when the table cannot be read.
    async fn version(&self, agent: &Agent) -> Result<u64>;

    /// Replaces the agent's table, durably and atomically. Nothing of the former table stays on disk. A table of a later
    /// version is not replaced: [`crate::Error::Stale`].
    async fn replace(&self, agent: &Agent, facts: Vec<Fact>, version: u64) -> Result<()>;

    /// Returns the matching facts, sorted by `valid_from`, then by id.
    async fn find(&self, agent: &Agent, query: &FactQuery) -> Result<Vec<Fact>>;

    /// Returns the facts that a walk reaches, each once with its smallest depth. Sorted by depth, then by `valid_from`, then by
    /// id. Empty if no fact names the start.
    async fn walk(&self, agent: &Agent, walk: &Walk) -> Result<Vec<Reached>>;

    /// Returns the facts of the shortest path, from start to end. Of several equally short paths, returns the one with the
    /// first fact that comes first in the order of [`Facts::find`]; if these are equal, the second facts decide, and so on.
    /// Empty if both ends are one entity; `None` if there is no path, or if no fact names one of the two.
    async fn path(&self, agent: &Agent, route: &Route) -> Result<Option<Vec<Fact>>>;

    /// Returns the given names that occur as subject or object of a fact, in input order. Ignores case and accents.
    async fn known(&self, agent: &Agent, names: &[String]) -> Result<Vec<String>>;

    /// Returns the predicates of all facts, ended ones included, most used first; at most `limit`.
    async fn predicates(&self, agent: &Agent, limit: usize) -> Result<Vec<String>>;

    /// Writes the agent's table, history included, as a Parquet file that any DuckDB can open.
    async fn export(&self, agent: &Agent, target: &Path) -> Result<()>;

    /// Removes all stored data of the agent.
    async fn remove(&self, agent: &Agent) -> Result<()>;

    /// Returns the places in the agent's stored files at which the decoded text contains any of these words. Used to prove an
    /// erasure.
    async fn find_leftovers(&self, agent: &Agent, words: &[String]) -> Result<Vec<String>>;
}
