//! Implements the ports `Journal`, `Seals`, `Replies` and `Batches` for [`Faulty`].

use annals_core::ports::{
    BatchedRequest, Batches, Children, ClockNote, Journal, ModelBatch, Refusals, Replies, RequestState, Seals,
    Settlement, TokenRequest,
};
use annals_core::{
    Agent, Base, Digest, Extraction, ExtractionWatermark, FactOperation, MemoryId, Period, Price, Reply, Result,
    Statement, Timestamp, Usage,
};
use async_trait::async_trait;

use super::Faulty;

#[async_trait]
impl<P: Journal> Journal for Faulty<P> {
    async fn extraction(&self, agent: &Agent) -> Result<ExtractionWatermark> {
        self.store()?.extraction(agent).await
    }

    async fn save_extraction(&self, agent: &Agent, extraction: Extraction, now: Timestamp) -> Result<()> {
        self.store()?.save_extraction(agent, extraction, now).await
    }

    async fn note_extraction_failure(
        &self,
        agent: &Agent,
        error: &str,
        not_before: Timestamp,
        now: Timestamp,
    ) -> Result<()> {
        self.store()?.note_extraction_failure(agent, error, not_before, now).await
    }

    async fn log_version(&self, agent: &Agent) -> Result<u64> {
        self.store()?.log_version(agent).await
    }

    async fn operations(&self, agent: &Agent) -> Result<(u64, Vec<FactOperation>)> {
        self.store()?.operations(agent).await
    }

    async fn add_statements(&self, agent: &Agent, statements: Vec<Statement>) -> Result<()> {
        self.store()?.add_statements(agent, statements).await
    }

    async fn add_operations(&self, agent: &Agent, operations: Vec<FactOperation>) -> Result<()> {
        self.store()?.add_operations(agent, operations).await
    }
}

#[async_trait]
impl<P: Seals> Seals for Faulty<P> {
    async fn children(&self, agent: &Agent) -> Result<Vec<Children>> {
        self.store()?.children(agent).await
    }

    async fn seal(&self, agent: &Agent, looked_at: &Children, clean_seq: u64) -> Result<()> {
        self.store()?.seal(agent, looked_at, clean_seq).await
    }

    async fn base(&self, agent: &Agent, period: Period) -> Result<Option<Base>> {
        self.store()?.base(agent, period).await
    }

    async fn pin(&self, agent: &Agent, id: &MemoryId, pinned: bool) -> Result<()> {
        self.store()?.pin(agent, id, pinned).await
    }

    async fn clock(&self) -> Result<Option<ClockNote>> {
        self.store()?.clock().await
    }

    async fn save_clock(&self, note: ClockNote) -> Result<()> {
        self.store()?.save_clock(note).await
    }
}

#[async_trait]
impl<P: Replies> Replies for Faulty<P> {
    async fn reply(&self, agent: &Agent, key: &Digest) -> Result<Option<String>> {
        self.store()?.reply(agent, key).await
    }

    async fn save_reply(&self, agent: &Agent, reply: Reply, now: Timestamp) -> Result<()> {
        self.store()?.save_reply(agent, reply, now).await
    }

    async fn charge(&self, agent: &Agent, reply: Reply, now: Timestamp) -> Result<()> {
        self.store()?.charge(agent, reply, now).await
    }

    async fn drop_replies(&self, agent: &Agent, before: Timestamp) -> Result<u64> {
        self.store()?.drop_replies(agent, before).await
    }

    async fn usage(&self, agent: &Agent, since: Timestamp) -> Result<Vec<Usage>> {
        self.store()?.usage(agent, since).await
    }

    async fn prices(&self) -> Result<Vec<Price>> {
        self.store()?.prices().await
    }

    async fn save_prices(&self, prices: Vec<Price>) -> Result<()> {
        self.store()?.save_prices(prices).await
    }

    async fn refusals(&self, key: &Digest) -> Result<Option<Refusals>> {
        self.store()?.refusals(key).await
    }

    async fn save_refusals(&self, key: Digest, refusals: Refusals) -> Result<()> {
        self.store()?.save_refusals(key, refusals).await
    }

    async fn reserve(&self, agent: &Agent, request: &TokenRequest, now: Timestamp) -> Result<u64> {
        self.store()?.reserve(agent, request, now).await
    }

    async fn release(&self, agent: &Agent, reservation: u64) -> Result<()> {
        self.store()?.release(agent, reservation).await
    }
}

#[async_trait]
impl<P: Batches> Batches for Faulty<P> {
    async fn begin_batch(&self, batch: ModelBatch, requests: Vec<BatchedRequest>) -> Result<()> {
        self.store()?.begin_batch(batch, requests).await
    }

    async fn save_batch(&self, batch: &ModelBatch) -> Result<()> {
        self.store()?.save_batch(batch).await
    }

    async fn open_batches(&self) -> Result<Vec<ModelBatch>> {
        self.store()?.open_batches().await
    }

    async fn failed_batches(&self, since: Timestamp) -> Result<Vec<ModelBatch>> {
        self.store()?.failed_batches(since).await
    }

    async fn settle(&self, batch: &str, settlements: Vec<(u64, Settlement)>, now: Timestamp) -> Result<u64> {
        self.store()?.settle(batch, settlements, now).await
    }

    async fn end_batch(&self, batch: &str, rest: RequestState) -> Result<u64> {
        self.store()?.end_batch(batch, rest).await
    }

    async fn batched(&self, agent: &Agent, period: Period) -> Result<Vec<(Digest, RequestState)>> {
        self.store()?.batched(agent, period).await
    }

    async fn in_batch(&self, agent: &Agent) -> Result<Vec<Period>> {
        self.store()?.in_batch(agent).await
    }
}
