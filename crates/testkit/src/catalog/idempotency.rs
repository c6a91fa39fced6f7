//! Port `Requests`: requests with idempotency keys, and operations found without their agent.

use annals_core::ports::{KeyedReceipt, OnConflict, RequestKey, Requests, Turn};
use annals_core::{Agent, Error, IngestReceipt, Result, Timestamp};
use async_trait::async_trait;

use super::agent_data::request_id;
use super::{MemoryCatalog, erasure};

#[async_trait]
impl Requests for MemoryCatalog {
    async fn ingest_once(
        &self,
        agent: &Agent,
        request: &RequestKey,
        turns: Vec<Turn>,
        on_conflict: OnConflict,
        now: Timestamp,
    ) -> Result<KeyedReceipt> {
        self.write(agent, |data, seq| {
            if let Some((body, operation, _)) = data.keyed.get(&request.key) {
                let receipt = data.requests[operation].clone();
                let is_same = *body == request.body;
                return if is_same { Ok(KeyedReceipt { receipt, repeated: true }) } else { Err(Error::KeyReused) };
            }
            if turns.is_empty() {
                return Err(Error::invalid("messages", "are none"));
            }
            if data.forgotten.contains(&erasure::request(request)) {
                let (id, duplicate) = (request_id(&turns), turns.len() as u64);
                let receipt = IngestReceipt { id, duplicate, ..IngestReceipt::default() };
                data.requests.insert(receipt.id.clone(), receipt.clone());
                return Ok(KeyedReceipt { receipt, repeated: true });
            }
            let receipt = data.ingest(agent, turns, on_conflict, seq, now)?;
            data.keyed.insert(request.key, (request.body, receipt.id.clone(), now));
            Ok(KeyedReceipt { receipt, repeated: false })
        })?
    }

    async fn drop_requests(&self, before: Timestamp) -> Result<u64> {
        let mut dropped = 0;
        for data in self.state().agents_data.values_mut() {
            let kept = data.keyed.len();
            data.keyed.retain(|_, (_, _, kept_at)| *kept_at >= before);
            dropped += (kept - data.keyed.len()) as u64;
        }
        Ok(dropped)
    }

    async fn save_operation(&self, agent: &Agent, operation: IngestReceipt) -> Result<()> {
        self.write(agent, |data, _| {
            data.requests.insert(operation.id.clone(), operation);
        })
    }

    async fn find_operation(&self, workspace: &str, id: &str) -> Result<Option<(Agent, IngestReceipt)>> {
        let state = self.state();
        let mut agents = state.agents_data.iter().filter(|(agent, _)| agent.workspace() == workspace);
        Ok(agents.find_map(|(agent, data)| Some((agent.clone(), data.requests.get(id)?.clone()))))
    }
}
