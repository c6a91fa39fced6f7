//! A wrapper of ports that measures how long some calls take, and counts failures and tokens. The binary wraps ports before
//! it passes them to other parts.

use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

use annals_core::ports::{
    Batch, Embedder, Engine, Findings, Probe, Refusals, Replies, RerankTask, Reranker, Stored, Strata, SummaryTask,
    Table, TableStats, TokenRequest,
};
use annals_core::{Agent, Author, Digest, Draft, Grain, Period, Price, Reply, Result, Settings, Timestamp, Usage};
use async_trait::async_trait;

use super::Metrics;
use super::labels::Tokens;

/// A port that passes every call on, and records durations, failures and tokens in metrics.
pub struct Measured<P: ?Sized> {
    port: Arc<P>,
    metrics: Metrics,
}

impl<P: ?Sized> Measured<P> {
    pub fn new(port: Arc<P>, metrics: &Metrics) -> Measured<P> {
        Measured { port, metrics: metrics.clone() }
    }
}

#[async_trait]
impl<P: Strata + ?Sized> Strata for Measured<P> {
    async fn apply(&self, table: &Table, batch: Batch) -> Result<()> {
        self.port.apply(table, batch).await
    }

    async fn exists(&self, table: &Table) -> Result<bool> {
        self.port.exists(table).await
    }

    async fn require(&self, table: &Table, applied: u64) -> Result<()> {
        self.port.require(table, applied).await
    }

    async fn search(&self, table: &Table, probe: &Probe) -> Result<Findings> {
        let begun = Instant::now();
        let hits = self.port.search(table, probe).await?;
        self.metrics.0.search.get_or_create(&table.grain.into()).observe(begun.elapsed().as_secs_f64());
        Ok(hits)
    }

    async fn scan(&self, table: &Table) -> Result<Vec<Stored>> {
        self.port.scan(table).await
    }

    async fn remove(&self, table: &Table) -> Result<()> {
        self.port.remove(table).await
    }

    async fn rewrite(&self, from: &Table, generation: u32) -> Result<()> {
        self.port.rewrite(from, generation).await
    }

    async fn generations(&self, agent: &Agent) -> Result<Vec<Table>> {
        self.port.generations(agent).await
    }

    async fn remove_below(&self, agent: &Agent, tables: &[Table]) -> Result<()> {
        self.port.remove_below(agent, tables).await
    }

    async fn remove_agent(&self, agent: &Agent) -> Result<()> {
        self.port.remove_agent(agent).await
    }

    async fn find_leftovers(&self, agent: &Agent, words: &[String]) -> Result<Vec<String>> {
        self.port.find_leftovers(agent, words).await
    }

    async fn compact(&self, table: &Table) -> Result<()> {
        self.port.compact(table).await
    }

    async fn table_stats(&self, table: &Table) -> Result<TableStats> {
        self.port.table_stats(table).await
    }

    async fn quarantine(&self, table: &Table) -> Result<Option<String>> {
        self.port.quarantine(table).await
    }
}

#[async_trait]
impl<P: Embedder + ?Sized> Embedder for Measured<P> {
    fn model(&self) -> &str {
        self.port.model()
    }

    fn dimension(&self) -> usize {
        self.port.dimension()
    }

    fn split(&self, text: &str) -> Vec<Range<usize>> {
        self.port.split(text)
    }

    async fn embed(&self, texts: Vec<String>) -> Result<Vec<Vec<f32>>> {
        let (begun, number) = (Instant::now(), u32::try_from(texts.len()).unwrap_or(u32::MAX).max(1));
        let vectors = self.port.embed(texts).await?;
        self.metrics.0.embed.observe((begun.elapsed() / number).as_secs_f64());
        Ok(vectors)
    }

    async fn embed_query(&self, text: String) -> Result<Vec<f32>> {
        let begun = Instant::now();
        let vector = self.port.embed_query(text).await?;
        self.metrics.0.embed.observe(begun.elapsed().as_secs_f64());
        Ok(vector)
    }
}

#[async_trait]
impl<P: Engine + ?Sized> Engine for Measured<P> {
    fn recipe(&self, settings: &Settings, grain: Grain) -> Digest {
        self.port.recipe(settings, grain)
    }

    fn author(&self, settings: &Settings, grain: Grain) -> Option<Author> {
        self.port.author(settings, grain)
    }

    fn writes_locally(&self, settings: &Settings, grain: Grain) -> bool {
        self.port.writes_locally(settings, grain)
    }

    async fn awaited(&self, agent: &Agent) -> Result<Vec<Period>> {
        self.port.awaited(agent).await
    }

    async fn summarize(&self, task: SummaryTask<'_>) -> Result<Draft> {
        let (begun, grain) = (Instant::now(), task.period.grain());
        let draft = self.port.summarize(task).await.inspect_err(|error| self.metrics.failed("rollup", error))?;
        self.metrics.0.rollup.get_or_create(&grain.into()).observe(begun.elapsed().as_secs_f64());
        Ok(draft)
    }
}

#[async_trait]
impl<P: Replies + ?Sized> Replies for Measured<P> {
    async fn reply(&self, agent: &Agent, key: &Digest) -> Result<Option<String>> {
        self.port.reply(agent, key).await
    }

    async fn save_reply(&self, agent: &Agent, reply: Reply, now: Timestamp) -> Result<()> {
        self.metrics.paid(&reply);
        self.port.save_reply(agent, reply, now).await
    }

    async fn charge(&self, agent: &Agent, reply: Reply, now: Timestamp) -> Result<()> {
        self.metrics.paid(&reply);
        self.port.charge(agent, reply, now).await
    }

    async fn drop_replies(&self, agent: &Agent, before: Timestamp) -> Result<u64> {
        self.port.drop_replies(agent, before).await
    }

    async fn usage(&self, agent: &Agent, since: Timestamp) -> Result<Vec<Usage>> {
        self.port.usage(agent, since).await
    }

    async fn prices(&self) -> Result<Vec<Price>> {
        self.port.prices().await
    }

    async fn save_prices(&self, prices: Vec<Price>) -> Result<()> {
        self.port.save_prices(prices).await
    }

    async fn refusals(&self, key: &Digest) -> Result<Option<Refusals>> {
        self.port.refusals(key).await
    }

    async fn save_refusals(&self, key: Digest, refusals: Refusals) -> Result<()> {
        self.port.save_refusals(key, refusals).await
    }

    async fn reserve(&self, agent: &Agent, request: &TokenRequest, now: Timestamp) -> Result<u64> {
        self.port.reserve(agent, request, now).await
    }

    async fn release(&self, agent: &Agent, reservation: u64) -> Result<()> {
        self.port.release(agent, reservation).await
    }
}

#[async_trait]
impl<P: Reranker + ?Sized> Reranker for Measured<P> {
    async fn rerank(&self, task: RerankTask<'_>) -> Result<Vec<f64>> {
        let begun = Instant::now();
        let scores = self.port.rerank(task).await.inspect_err(|error| {
            self.metrics.failed("rerank", error);
            tracing::warn!(%error, "results were not reranked");
        })?;
        self.metrics.0.rerank.observe(begun.elapsed().as_secs_f64());
        Ok(scores)
    }
}

impl Metrics {
    fn paid(&self, reply: &Reply) {
        for (direction, tokens) in [("in", reply.tokens_in), ("out", reply.tokens_out)] {
            self.0.tokens.get_or_create(&Tokens { purpose: reply.purpose.as_str(), direction }).inc_by(tokens);
        }
    }
}

#[cfg(test)]
mod tests {
    use annals_core::{CacheTokens, Purpose};
    use annals_testkit::{Faulty, MemoryCatalog, MemoryStrata, WordEmbedder, WordReranker};

    use super::*;

    #[tokio::test]
    async fn durations_and_tokens_are_recorded() {
        let (metrics, agent) = (Metrics::new(), Agent::new("ann").unwrap());
        let embedder = Measured::new(Arc::new(WordEmbedder::default()), &metrics);
        embedder.embed(vec!["one".into(), "two".into()]).await.unwrap();
        let strata = Measured::new(Arc::new(MemoryStrata::default()), &metrics);
        let table = Table { agent: agent.clone(), grain: Grain::Weekly, generation: 0 };
        strata.search(&table, &Probe::default()).await.unwrap();
        let replies = Measured::new(Arc::new(MemoryCatalog::new()), &metrics);
        let reply = Reply {
            key: Digest::of(["q"]),
            purpose: Purpose::Daily,
            model: "m".into(),
            text: "a".into(),
            tokens_in: 100,
            cache: CacheTokens::default(),
            tokens_out: 7,
            read_seq: 1_000,
            reservation: None,
            access_key: None,
        };
        replies.save_reply(&agent, reply.clone(), Timestamp::UNIX_EPOCH).await.unwrap();
        replies.charge(&agent, reply, Timestamp::UNIX_EPOCH).await.unwrap();
        let reranker = Measured::new(Arc::new(Faulty::at_call(WordReranker::new(), 2)), &metrics);
        let texts = ["one".to_owned()];
        let task =
            RerankTask { agent: &agent, question: "one?", texts: &texts, now: Timestamp::UNIX_EPOCH, access_key: None };
        reranker.rerank(task).await.unwrap();
        reranker.rerank(task).await.unwrap_err();
        let text = metrics.text();
        for line in [
            "annals_rerank_seconds_count 1",
            "annals_failures_total{part=\"rerank\",cause=\"unavailable\"} 1",
            "annals_embed_seconds_count 1",
            "annals_search_seconds_count{grain=\"weekly\"} 1",
            "annals_tokens_total{purpose=\"daily\",direction=\"in\"} 200",
            "annals_tokens_total{purpose=\"daily\",direction=\"out\"} 14",
        ] {
            assert!(text.contains(line), "{line} is not in\n{text}");
        }
    }
}
