//! A cache of outlines: the days with turns and the periods with summaries of an agent. Counting the turns of an agent with a
//! million takes 0.2 s, and a page about it needs the counts several times.
//!
//! Every change of a memory raises the agent's sequence number in the same transaction, so an outline is valid until that
//! number changes. The number is read before the counting, so an outline may be newer than its sequence number, but never
//! older.

use std::collections::VecDeque;
use std::sync::Arc;

use annals_core::ports::Outline;
use annals_core::{Agent, Result};
use parking_lot::Mutex;

use crate::Service;

/// Maximum number of outlines in memory. An outline of ten years takes about half a megabyte.
const MAX_OUTLINES: usize = 8;

/// The outlines that were counted last, newest first, at most one per agent. Clones share them.
#[derive(Clone, Default)]
pub(crate) struct Outlines(Arc<Mutex<VecDeque<Counted>>>);

/// The outline of an agent when its sequence number was `change`.
struct Counted {
    agent: Agent,
    change: u64,
    outline: Arc<Outline>,
}

impl Outlines {
    fn find(&self, agent: &Agent, change: u64) -> Option<Arc<Outline>> {
        let known = self.0.lock();
        let found = known.iter().find(|counted| counted.agent == *agent && counted.change == change);
        found.map(|counted| counted.outline.clone())
    }

    fn keep(&self, agent: &Agent, change: u64, outline: &Arc<Outline>) {
        let mut known = self.0.lock();
        known.retain(|counted| counted.agent != *agent);
        known.push_front(Counted { agent: agent.clone(), change, outline: outline.clone() });
        known.truncate(MAX_OUTLINES);
    }
}

impl Service {
    /// Returns the days with turns and the periods with summaries of an agent, from the cache if nothing has changed since.
    pub(crate) async fn outline(&self, agent: &Agent) -> Result<Arc<Outline>> {
        let change = self.parts.store.last_change(agent).await?;
        if let Some(known) = self.outlines.find(agent, change) {
            return Ok(known);
        }
        let outline = Arc::new(self.parts.store.outline(agent).await?);
        self.outlines.keep(agent, change, &outline);
        Ok(outline)
    }
}

#[cfg(test)]
mod tests {
    use annals_testkit::{agent, at, message};

    use crate::fixture::{NOW, ingest, service_with_memories};
    use crate::wire::ForgetRequest;

    #[tokio::test]
    async fn outline_follows_messages_and_forgetting() {
        let (ann, bob) = (agent("ann"), agent("bob"));
        let service = service_with_memories(&ann).await;
        let turns = async || service.outline(&ann).await.unwrap().turns.values().sum::<u64>();
        let before = turns().await;
        ingest(&service, &bob, vec![message("2026-03-04T10:00:00Z", "tea")]).await;
        assert_eq!((turns().await, service.outline(&bob).await.unwrap().turns.len()), (before, 1));
        ingest(&service, &ann, vec![message("2026-03-04T11:00:00Z", "cake")]).await;
        assert_eq!(turns().await, before + 1);
        let all = ForgetRequest {
            from: "2026-03-04".parse().ok(),
            to: "2026-03-04".parse().ok(),
            ..ForgetRequest::default()
        };
        service.forget(&ann, all, at(NOW)).await.unwrap();
        assert!(turns().await < before, "forgotten turns are counted");
    }
}
