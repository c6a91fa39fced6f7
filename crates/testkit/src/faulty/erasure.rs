//! Implements the ports `Erasure` and `Facts` for [`Faulty`].

use std::path::Path;

use annals_core::ports::{Erasure, ErasureReport, ItemKey, Target};
use annals_core::{Agent, Digest, Fact, FactQuery, Facts, Reached, Result, Route, Timestamp, TurnKey, Walk};
use async_trait::async_trait;

use super::Faulty;

#[async_trait]
impl<P: Erasure> Erasure for Faulty<P> {
    async fn preview(&self, agent: &Agent, target: &Target) -> Result<ErasureReport> {
        self.store()?.preview(agent, target).await
    }

    async fn erase(&self, agent: &Agent, target: &Target, now: Timestamp) -> Result<ErasureReport> {
        self.store()?.erase(agent, target, now).await
    }

    async fn forgotten(&self, agent: &Agent, messages: &[(TurnKey, Digest)]) -> Result<Vec<bool>> {
        self.store()?.forgotten(agent, messages).await
    }

    async fn unforget(&self, agent: &Agent, messages: &[(TurnKey, Digest)]) -> Result<()> {
        self.store()?.unforget(agent, messages).await
    }

    async fn forgotten_items(&self, agent: &Agent, items: &[ItemKey]) -> Result<Vec<bool>> {
        self.store()?.forgotten_items(agent, items).await
    }

    async fn unforget_items(&self, agent: &Agent, items: &[ItemKey]) -> Result<()> {
        self.store()?.unforget_items(agent, items).await
    }

    async fn pending_cleanings(&self) -> Result<Vec<(Agent, u64)>> {
        self.store()?.pending_cleanings().await
    }

    async fn cleaned(&self, agent: &Agent, erasure: u64) -> Result<()> {
        self.store()?.cleaned(agent, erasure).await
    }

    async fn scrub(&self) -> Result<()> {
        self.store()?.scrub().await
    }

    async fn find_leftovers(&self, agent: &Agent, words: &[String]) -> Result<Vec<String>> {
        self.store()?.find_leftovers(agent, words).await
    }

    async fn unused_space_contains(&self, words: &[String]) -> Result<bool> {
        self.store()?.unused_space_contains(words).await
    }
}

#[async_trait]
impl<P: Facts> Facts for Faulty<P> {
    async fn version(&self, agent: &Agent) -> Result<u64> {
        self.store()?.version(agent).await
    }

    async fn replace(&self, agent: &Agent, facts: Vec<Fact>, version: u64) -> Result<()> {
        self.store()?.replace(agent, facts, version).await
    }

    async fn find(&self, agent: &Agent, query: &FactQuery) -> Result<Vec<Fact>> {
        self.store()?.find(agent, query).await
    }

    async fn walk(&self, agent: &Agent, walk: &Walk) -> Result<Vec<Reached>> {
        self.store()?.walk(agent, walk).await
    }

    async fn path(&self, agent: &Agent, route: &Route) -> Result<Option<Vec<Fact>>> {
        self.store()?.path(agent, route).await
    }

    async fn known(&self, agent: &Agent, names: &[String]) -> Result<Vec<String>> {
        self.store()?.known(agent, names).await
    }

    async fn predicates(&self, agent: &Agent, limit: usize) -> Result<Vec<String>> {
        self.store()?.predicates(agent, limit).await
    }

    async fn export(&self, agent: &Agent, target: &Path) -> Result<()> {
        self.store()?.export(agent, target).await
    }

    async fn remove(&self, agent: &Agent) -> Result<()> {
        self.store()?.remove(agent).await
    }

    async fn find_leftovers(&self, agent: &Agent, words: &[String]) -> Result<Vec<String>> {
        self.store()?.find_leftovers(agent, words).await
    }
}
