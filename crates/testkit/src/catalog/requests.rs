//! Port `Requests`: requests with idempotency keys, and operations found without their agent.

use annals_core::ports::Requests;
use annals_core::{Agent, Digest, Error, Operation, Result, Timestamp};
use async_trait::async_trait;

use super::MemoryCatalog;

#[async_trait]
impl Requests for MemoryCatalog {
    async fn request(&self, agent: &Agent, key: &Digest) -> Result<Option<(Digest, Operation)>> {
        self.read(agent, |shelf| {
            let (body, operation, _) = shelf.keyed.get(key)?;
            Some((*body, shelf.requests[operation].clone()))
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
        self.write(agent, |shelf, _| {
            if !shelf.requests.contains_key(operation_id) {
                return Err(Error::NotFound { what: "operation", name: operation_id.to_owned() });
            }
            shelf.keyed.insert(*key, (*body, operation_id.to_owned(), now));
            Ok(())
        })?
    }

    async fn drop_requests(&self, before: Timestamp) -> Result<u64> {
        let mut dropped = 0;
        for shelf in self.state().shelves.values_mut() {
            let kept = shelf.keyed.len();
            shelf.keyed.retain(|_, (_, _, kept_at)| *kept_at >= before);
            dropped += (kept - shelf.keyed.len()) as u64;
        }
        Ok(dropped)
    }

    async fn find_operation(&self, workspace: &str, id: &str) -> Result<Option<(Agent, Operation)>> {
        let state = self.state();
        let mut agents = state.shelves.iter().filter(|(agent, _)| agent.workspace() == workspace);
        Ok(agents.find_map(|(agent, shelf)| Some((agent.clone(), shelf.requests.get(id)?.clone()))))
    }
}
