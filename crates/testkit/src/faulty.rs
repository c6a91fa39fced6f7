//! A wrapper that makes a port fail at chosen calls.

mod catalog;
mod erasure;
mod service;
mod store;
mod strata;

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use annals_core::ports::{EntailmentPair, EntailmentScores, ExtractionTask, RerankTask, SummaryTask};
use annals_core::{
    Agent, Author, Digest, Draft, Embedder, Engine, Entailment, Error, Extracted, Extractor, Grain, Period, Reranker,
    Result, Settings,
};
use async_trait::async_trait;

/// A wrapper around a port. Counts the calls of its async methods, except [`Engine::awaited`]. A failed call never reaches the
/// inner port.
#[derive(Debug)]
pub struct Faulty<P> {
    inner: P,
    calls: AtomicU64,
    /// Numbers of the calls that fail as if the store or model were unavailable, counted from 1.
    outage: Range<u64>,
    /// The marker: a text that contains it is refused as invalid.
    marker: Option<String>,
}

impl<P> Faulty<P> {
    /// Fails the calls with numbers in `outage`, counted from 1, with an error that is worth a retry.
    pub fn during(inner: P, outage: Range<u64>) -> Faulty<P> {
        Faulty { inner, calls: AtomicU64::new(0), outage, marker: None }
    }

    /// Fails the `n`-th call, counted from 1, and no other.
    pub fn at_call(inner: P, n: u64) -> Faulty<P> {
        Faulty::during(inner, n..n + 1)
    }

    /// Refuses each text that contains `marker` with [`Error::Invalid`], which no retry fixes. Only for embedders, engines,
    /// extractors, rerankers and models of entailment.
    pub fn refusing(inner: P, marker: &str) -> Faulty<P> {
        Faulty { marker: Some(marker.into()), ..Faulty::during(inner, 0..0) }
    }

    pub fn inner(&self) -> &P {
        &self.inner
    }

    /// Returns the number of calls, failed ones included. A test that makes the `n`-th call fail for each `n` in turn is
    /// complete when this number stays below `n`.
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
            return Err(Error::unavailable("reaching the model", "it is away"));
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

    async fn embed_query(&self, text: String) -> Result<Vec<f32>> {
        Faulty::model(self, std::iter::once(&*text))?.embed_query(text).await
    }
}

#[async_trait]
impl<P: Engine> Engine for Faulty<P> {
    fn recipe(&self, settings: &Settings, grain: Grain) -> Digest {
        self.inner.recipe(settings, grain)
    }

    fn author(&self, settings: &Settings, grain: Grain) -> Option<Author> {
        self.inner.author(settings, grain)
    }

    fn writes_locally(&self, settings: &Settings, grain: Grain) -> bool {
        self.inner.writes_locally(settings, grain)
    }

    async fn awaited(&self, agent: &Agent) -> Result<Vec<Period>> {
        self.inner.awaited(agent).await
    }

    async fn summarize(&self, task: SummaryTask<'_>) -> Result<Draft> {
        let texts = task.sources.iter().map(|source| source.text.as_str());
        Faulty::model(self, texts)?.summarize(task).await
    }
}

#[async_trait]
impl<P: Entailment> Entailment for Faulty<P> {
    fn model(&self) -> &str {
        self.inner.model()
    }

    async fn judge(&self, pairs: Vec<EntailmentPair>) -> Result<Vec<EntailmentScores>> {
        let texts = pairs.iter().map(|pair| pair.hypothesis.as_str());
        Faulty::model(self, texts)?.judge(pairs.clone()).await
    }
}

#[async_trait]
impl<P: Extractor> Extractor for Faulty<P> {
    fn is_local(&self, settings: &Settings) -> bool {
        self.inner.is_local(settings)
    }

    async fn extract(&self, task: ExtractionTask<'_>) -> Result<Extracted> {
        let texts = task.turns.iter().map(|turn| turn.text.as_str());
        Faulty::model(self, texts)?.extract(task).await
    }
}

#[async_trait]
impl<P: Reranker> Reranker for Faulty<P> {
    async fn rerank(&self, task: RerankTask<'_>) -> Result<Vec<f64>> {
        Faulty::model(self, task.texts.iter().map(String::as_str))?.rerank(task).await
    }
}

#[cfg(test)]
mod tests {
    use annals_core::ports::{Blocks, Erasure, Journal, Keys, OnConflict, Replies, RequestKey, Requests, Seals};
    use annals_core::prelude::*;

    use super::*;
    use crate::{MemoryCatalog, WordEmbedder};

    #[tokio::test]
    async fn fails_only_the_chosen_call() {
        let catalog = Faulty::at_call(MemoryCatalog::new(), 2);
        assert!(catalog.all_agents().await.is_ok());
        assert!(matches!(catalog.check().await, Err(Error::Storage { .. })));
        assert!(catalog.check().await.is_ok());
        assert_eq!(catalog.calls(), 3);
    }

    #[tokio::test]
    async fn ports_of_one_store_share_the_call_count() {
        let (store, agent) = (Faulty::during(MemoryCatalog::new(), 2..4), crate::agent("a"));
        assert!(store.ledger(&agent).await.is_ok());
        assert!(matches!(store.log_version(&agent).await, Err(Error::Storage { .. })));
        assert!(matches!(store.children(&agent).await, Err(Error::Storage { .. })));
        assert!(store.usage(&agent, crate::at("2026-01-01T00:00:00Z")).await.is_ok());
        assert_eq!(store.calls(), 4);
    }

    #[tokio::test]
    async fn service_ports_fail_without_effect() {
        fn is_store(_: &dyn crate::Store) {}
        let (inner, agent, now) = (MemoryCatalog::new(), crate::agent("a"), crate::at("2026-01-01T00:00:00Z"));
        let (store, digest) = (Faulty::during(inner.clone(), 1..6), Digest::of(["x"]));
        is_store(&store);
        let block = annals_core::ports::Block { name: "n".into(), text: "t".into(), updated_at: now };
        let failures = [
            crate::save_block(&store, &agent, block.clone()).await,
            store
                .ingest_once(&agent, &RequestKey { key: digest, body: digest }, Vec::new(), OnConflict::Refuse, now)
                .await
                .map(|_| ()),
            store.revoke_key("k", now).await,
            store.note_outage(&agent, &[], "away", now, now).await,
            store.cleaned(&agent, 1).await,
        ];
        assert!(failures.iter().all(|failure| matches!(failure, Err(Error::Storage { .. }))), "{failures:?}");
        assert_eq!(inner.blocks(&agent).await.unwrap(), []);
        crate::save_block(&store, &agent, block).await.unwrap();
        assert_eq!((store.calls(), inner.blocks(&agent).await.unwrap().len()), (6, 1));
    }

    /// An extractor that finds nothing.
    struct Blank;

    #[async_trait]
    impl Extractor for Blank {
        fn is_local(&self, _settings: &Settings) -> bool {
            true
        }

        async fn extract(&self, _task: ExtractionTask<'_>) -> Result<Extracted> {
            Ok(Extracted::default())
        }
    }

    #[tokio::test]
    async fn extractor_fails_by_outage_and_by_marker_in_its_turns() {
        let (agent, settings) = (crate::agent("a"), Settings::default());
        let memory = |text| crate::catalog::remember(crate::turn(&agent, "2026-03-04T10:00:00Z", text), 1);
        let (turns, context) = ([memory("good")], [memory("a POISON b")]);
        let read = async |extractor: &Faulty<Blank>, turns, context| {
            let now = crate::at("2026-03-05T10:00:00Z");
            let (agent, settings) = (&agent, &settings);
            let task =
                ExtractionTask { agent, settings, turns, context, known: &[], predicates: &[], now, access_key: None };
            extractor.extract(task).await
        };
        let away = Faulty::at_call(Blank, 1);
        assert!(matches!(read(&away, &turns, &[]).await, Err(Error::Unavailable { .. })));
        assert!(read(&away, &turns, &[]).await.is_ok());
        let picky = Faulty::refusing(Blank, "POISON");
        assert!(read(&picky, &turns, &context).await.is_ok(), "the context is not read");
        assert!(matches!(read(&picky, &context, &turns).await, Err(Error::Invalid(_))));
        assert!(picky.is_local(&settings));
    }

    #[tokio::test]
    async fn outage_and_refused_text_give_different_errors() {
        let away = Faulty::during(WordEmbedder::new(), 1..3);
        assert!(matches!(away.embed(vec!["a".into()]).await, Err(Error::Unavailable { .. })));
        let picky = Faulty::refusing(WordEmbedder::new(), "POISON");
        assert!(matches!(picky.embed(vec!["ok".into(), "a POISON b".into()]).await, Err(Error::Invalid(_))));
        assert_eq!(picky.embed(vec!["ok".into()]).await.unwrap().len(), 1);
        assert_eq!(picky.inner().embedded(), 1);
    }
}
