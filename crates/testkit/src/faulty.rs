//! A port that fails when a test says so.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use annals_core::ports::{Batch, Catalog, Change, Counts, Hit, Lane, Probe, Select, Stored, Strata, Table, Turn};
use annals_core::{
    Agent, DeadLetter, Digest, Draft, Embedder, Engine, Error, Grain, LedgerRow, Memory, MemoryId, Operation, Period,
    Result, Settings, Summary, Timestamp,
};
use async_trait::async_trait;

/// A port around a port. Calls of its async methods are counted; those it refuses never reach the inner one.
#[derive(Debug)]
pub struct Faulty<P> {
    inner: P,
    calls: AtomicU64,
    /// The calls that fail as if the store or model were away, counted from 1.
    outage: Range<u64>,
    /// A text that contains this is refused as a fault of its own.
    marker: Option<String>,
}

impl<P> Faulty<P> {
    /// Fails the calls whose numbers, counted from 1, lie in `outage`: as an outage, worth trying again.
    pub fn during(inner: P, outage: Range<u64>) -> Faulty<P> {
        Faulty { inner, calls: AtomicU64::new(0), outage, marker: None }
    }

    /// Fails the `n`-th call, counted from 1, and no other.
    pub fn at_call(inner: P, n: u64) -> Faulty<P> {
        Faulty::during(inner, n..n + 1)
    }

    /// Refuses each text that contains `marker` with [`Error::Invalid`]: trying again never helps. Embedders and engines only.
    pub fn refusing(inner: P, marker: &str) -> Faulty<P> {
        Faulty { marker: Some(marker.into()), ..Faulty::during(inner, 0..0) }
    }

    /// What it is wrapped around.
    pub fn inner(&self) -> &P {
        &self.inner
    }

    /// How many calls there were, the failed ones included. A test that fails call after call ends when this stays below `n`.
    pub fn calls(&self) -> u64 {
        self.calls.load(Ordering::SeqCst)
    }

    fn is_away(&self) -> bool {
        self.outage.contains(&(self.calls.fetch_add(1, Ordering::SeqCst) + 1))
    }

    fn store(&self) -> Result<&P> {
        if self.is_away() { Err(Error::storage("reaching the store", "it is away")) } else { Ok(&self.inner) }
    }

    fn model<'a>(&self, mut texts: impl Iterator<Item = &'a str>) -> Result<&P> {
        if self.is_away() {
            return Err(Error::model("reaching the model", "it is away"));
        }
        match &self.marker {
            Some(marker) if texts.any(|text| text.contains(marker)) => Err(Error::invalid("content", "is refused")),
            _ => Ok(&self.inner),
        }
    }
}

#[async_trait]
impl<P: Embedder> Embedder for Faulty<P> {
    fn model(&self) -> &str {
        self.inner.model()
    }

    fn dimension(&self) -> usize {
        self.inner.dimension()
    }

    fn split(&self, text: &str) -> Vec<Range<usize>> {
        self.inner.split(text)
    }

    async fn embed(&self, texts: Vec<String>) -> Result<Vec<Vec<f32>>> {
        Faulty::model(self, texts.iter().map(String::as_str))?.embed(texts).await
    }
}

#[async_trait]
impl<P: Engine> Engine for Faulty<P> {
    fn recipe(&self, grain: Grain) -> Digest {
        self.inner.recipe(grain)
    }

    async fn summarize(&self, period: Period, sources: &[Memory]) -> Result<Draft> {
        let texts = sources.iter().map(|source| source.text.as_str());
        Faulty::model(self, texts)?.summarize(period, sources).await
    }
}

#[async_trait]
impl<P: Strata> Strata for Faulty<P> {
    async fn apply(&self, table: &Table, batch: Batch) -> Result<()> {
        self.store()?.apply(table, batch).await
    }

    async fn search(&self, table: &Table, probe: &Probe) -> Result<Vec<Hit>> {
        self.store()?.search(table, probe).await
    }

    async fn scan(&self, table: &Table) -> Result<Vec<Stored>> {
        self.store()?.scan(table).await
    }

    async fn remove(&self, table: &Table) -> Result<()> {
        self.store()?.remove(table).await
    }

    async fn quarantine(&self, table: &Table) -> Result<Option<String>> {
        self.store()?.quarantine(table).await
    }
}

#[async_trait]
impl<P: Catalog> Catalog for Faulty<P> {
    async fn agents(&self) -> Result<Vec<Agent>> {
        self.store()?.agents().await
    }

    async fn settings(&self, agent: &Agent) -> Result<Settings> {
        self.store()?.settings(agent).await
    }

    async fn save_settings(&self, agent: &Agent, settings: &Settings) -> Result<()> {
        self.store()?.save_settings(agent, settings).await
    }

    async fn ingest(&self, agent: &Agent, turns: Vec<Turn>, revise: bool, now: Timestamp) -> Result<Operation> {
        self.store()?.ingest(agent, turns, revise, now).await
    }

    async fn changes(&self, agent: &Agent, grain: Grain, after: u64, limit: usize) -> Result<Vec<Change>> {
        self.store()?.changes(agent, grain, after, limit).await
    }

    async fn backlog(&self, agent: &Agent, grain: Grain, after: u64) -> Result<u64> {
        self.store()?.backlog(agent, grain, after).await
    }

    async fn lane(&self, agent: &Agent, grain: Grain) -> Result<Lane> {
        self.store()?.lane(agent, grain).await
    }

    async fn save_lane(&self, agent: &Agent, grain: Grain, lane: Lane) -> Result<()> {
        self.store()?.save_lane(agent, grain, lane).await
    }

    async fn ledger(&self, agent: &Agent) -> Result<Vec<LedgerRow>> {
        self.store()?.ledger(agent).await
    }

    async fn inputs(&self, agent: &Agent, period: Period) -> Result<Vec<Memory>> {
        self.store()?.inputs(agent, period).await
    }

    async fn save_summaries(&self, agent: &Agent, summaries: Vec<Summary>, now: Timestamp) -> Result<()> {
        self.store()?.save_summaries(agent, summaries, now).await
    }

    async fn note_failure(&self, agent: &Agent, period: Period, error: &str, not_before: Timestamp) -> Result<()> {
        self.store()?.note_failure(agent, period, error, not_before).await
    }

    async fn list(&self, agent: &Agent, select: &Select) -> Result<Vec<Memory>> {
        self.store()?.list(agent, select).await
    }

    async fn get(&self, agent: &Agent, ids: &[MemoryId]) -> Result<Vec<Memory>> {
        self.store()?.get(agent, ids).await
    }

    async fn counts(&self, agent: &Agent) -> Result<Counts> {
        self.store()?.counts(agent).await
    }

    async fn operation(&self, agent: &Agent, id: &str) -> Result<Option<Operation>> {
        self.store()?.operation(agent, id).await
    }

    async fn bury(&self, letters: Vec<DeadLetter>) -> Result<()> {
        self.store()?.bury(letters).await
    }

    async fn dead_letters(&self, agent: &Agent) -> Result<Vec<DeadLetter>> {
        self.store()?.dead_letters(agent).await
    }

    async fn exhume(&self, agent: &Agent, memories: &[MemoryId]) -> Result<()> {
        self.store()?.exhume(agent, memories).await
    }

    async fn check(&self) -> Result<Vec<String>> {
        self.store()?.check().await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{MemoryCatalog, WordEmbedder};

    #[tokio::test]
    async fn fails_the_call_it_was_told_to() {
        let catalog = Faulty::at_call(MemoryCatalog::new(), 2);
        assert!(catalog.agents().await.is_ok());
        assert!(matches!(catalog.check().await, Err(Error::Storage { .. })));
        assert!(catalog.check().await.is_ok());
        assert_eq!(catalog.calls(), 3);
    }

    #[tokio::test]
    async fn an_outage_and_a_bad_text_differ() {
        let away = Faulty::during(WordEmbedder::new(), 1..3);
        assert!(matches!(away.embed(vec!["a".into()]).await, Err(Error::Model { .. })));
        let picky = Faulty::refusing(WordEmbedder::new(), "POISON");
        assert!(matches!(picky.embed(vec!["ok".into(), "a POISON b".into()]).await, Err(Error::Invalid(_))));
        assert_eq!(picky.embed(vec!["ok".into()]).await.unwrap().len(), 1);
        assert_eq!(picky.inner().embedded(), 1);
    }
}
