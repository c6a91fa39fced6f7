//! Port `Requests`: requests with idempotency keys, and operations found without their agent.

use annals_core::ports::Requests;
use annals_core::{Agent, Digest, Error, IngestReceipt, Result, Timestamp};
use async_trait::async_trait;

use super::MemoryCatalog;

#[async_trait]
impl Requests for MemoryCatalog {
    async fn request(&self, agent: &Agent, key: &Digest) -> Result<Option<(Digest, IngestReceipt)>> {
        self.read(agent, |data| {
            let (body, operation, _) = data.keyed.get(key)?;
            Some((*body, data.requests[operation].clone()))
        })
    }

    async fn save_request(
        &self,
        agent: &Agent,
        key: &Digest,
        body: &Digest,
        operation_id: &str,
        now: Timestamp,
    ) -> Result<()> {
        self.write(agent, |data, _| {
            if !data.requests.contains_key(operation_id) {
                return Err(Error::NotFound { what: "operation", name: operation_id.to_owned() });
            }
            data.keyed.insert(*key, (*body, operation_id.to_owned(), now));
            Ok(())
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

    async fn find_operation(&self, workspace: &str, id: &str) -> Result<Option<(Agent, IngestReceipt)>> {
        let state = self.state();
        let mut agents = state.agents_data.iter().filter(|(agent, _)| agent.workspace() == workspace);
        Ok(agents.find_map(|(agent, data)| Some((agent.clone(), data.requests.get(id)?.clone()))))
    }
}
