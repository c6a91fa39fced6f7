//! Counts how often memories are returned by searches with a query and by contexts.
//!
//! Counts are collected in memory, so that no answer waits for a count and no search costs a commit. They are written to the
//! catalog in batches: once a minute, and when the service stops or a command ends. A crash loses the counts since the last
//! write. If the catalog fails to store the counts of an agent, the counts of the agent that are not stored yet are lost too.
//! Only ranking uses counts, as a weak signal.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use annals_core::ports::Access;
use annals_core::{Agent, MemoryId, Result, Timestamp};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

use crate::Service;

/// Interval between writes of counts to the catalog.
const EVERY: Duration = Duration::from_secs(60);
/// Maximum number of memories with a count in memory, about 200 bytes each. Until the next write, further memories are not
/// counted.
const MAX_COUNTED: usize = 100_000;
/// Maximum number of counts written in one transaction: small, so that other writers do not wait long.
const BATCH: usize = 500;

/// The accesses to memories of one agent that another process has counted.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct AccessCounts {
    workspace: String,
    /// The key of the agent, which is its name at its creation.
    agent: String,
    /// Id of each memory, number of accesses, and the last of them.
    memories: Vec<(String, u64, Timestamp)>,
}

/// Access counts that are not in the catalog yet.
#[derive(Clone, Default)]
pub(crate) struct AccessCounter(Arc<Mutex<HashMap<(Agent, MemoryId), Access>>>);

impl AccessCounter {
    /// Counts one access to each of these memories.
    pub(crate) fn note(&self, agent: &Agent, memories: impl Iterator<Item = MemoryId>, now: Timestamp) {
        self.add(agent, memories.map(|memory| (memory, Access { times: 1, last: now })));
    }

    fn add(&self, agent: &Agent, accesses: impl Iterator<Item = (MemoryId, Access)>) {
        let mut counts = self.0.lock();
        for (memory, more) in accesses {
            let key = (agent.clone(), memory);
            if counts.len() < MAX_COUNTED || counts.contains_key(&key) {
                counts.entry(key).and_modify(|known| *known = known.and(more)).or_insert(more);
            }
        }
    }

    fn take(&self) -> BTreeMap<Agent, Vec<(MemoryId, Access)>> {
        let counts = std::mem::take(&mut *self.0.lock());
        let mut by_agent: BTreeMap<Agent, Vec<_>> = BTreeMap::new();
        for ((agent, memory), access) in counts {
            by_agent.entry(agent).or_default().push((memory, access));
        }
        by_agent
    }
}

impl Service {
    /// Writes counts once a minute until `stop` is cancelled.
    pub async fn flush_periodically(&self, stop: CancellationToken) {
        while tokio::time::timeout(EVERY, stop.cancelled()).await.is_err() {
            self.flush_access_counts().await;
        }
    }

    /// Writes the counts since the last call to the catalog. If the counts of an agent cannot be written, logs a
    /// warning and continues with the other agents.
    pub async fn flush_access_counts(&self) {
        for (agent, counts) in self.access_counter.take() {
            if let Err(error) = self.add_accesses(&agent, &counts).await {
                tracing::warn!(agent.folder = agent.folder(), %error, "accesses to memories could not be counted");
            }
        }
    }

    /// Returns the counts since the last call, for the process that writes the catalog.
    pub fn take_access_counts(&self) -> Vec<AccessCounts> {
        let counted = |(agent, memories): (Agent, Vec<(MemoryId, Access)>)| {
            let memory = |(memory, access): (MemoryId, Access)| (memory.to_string(), access.times, access.last);
            let mut memories: Vec<_> = memories.into_iter().map(memory).collect();
            memories.sort();
            AccessCounts { workspace: agent.workspace().to_owned(), agent: agent.key().to_owned(), memories }
        };
        self.access_counter.take().into_iter().map(counted).collect()
    }

    /// Adds counts of another process to those of this one. Fails if the name of an agent is not valid.
    pub fn add_access_counts(&self, counts: Vec<AccessCounts>) -> Result<()> {
        for AccessCounts { workspace, agent, memories } in counts {
            let agent = Agent::in_workspace(&workspace, &agent)?;
            let access = |(memory, times, last)| (MemoryId::from_text(memory), Access { times, last });
            self.access_counter.add(&agent, memories.into_iter().map(access));
        }
        Ok(())
    }

    async fn add_accesses(&self, agent: &Agent, counts: &[(MemoryId, Access)]) -> Result<()> {
        for batch in counts.chunks(BATCH) {
            self.parts.store.add_accesses(agent, batch).await?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use annals_core::ports::{Access, OnConflict, Target, Turns};
    use annals_testkit::{Faulty, MemoryCatalog, agent, at, turn};
    use serde_json::json;

    use super::*;
    use crate::fixture::{NOW, over, service_with_memories};

    /// Searches for the sailing trip and returns the ids of the results.
    async fn ask(service: &Service, agent: &Agent) -> Vec<MemoryId> {
        let request = serde_json::from_value(json!({ "query": "sailing trip", "limit": 2 })).unwrap();
        let answer = service.search(agent, request, at(NOW)).await.unwrap();
        answer.results.iter().map(|found| MemoryId::from_text(&found.id)).collect()
    }

    async fn counts(service: &Service, agent: &Agent, ids: &[MemoryId]) -> Vec<u64> {
        let recalled = service.parts.store.recall(agent, ids).await.unwrap().into_iter();
        recalled.map(|(_, access)| access.map_or(0, |access| access.times)).collect()
    }

    #[tokio::test]
    async fn counts_of_results_and_contexts_are_stored_by_the_next_write() {
        let me = agent("a");
        let service = service_with_memories(&me).await;
        let found = ask(&service, &me).await;
        assert_eq!((found.len(), ask(&service, &me).await), (2, found.clone()));
        assert_eq!(counts(&service, &me, &found).await, [0, 0], "no answer waits for a count");
        service.flush_access_counts().await;
        assert_eq!(counts(&service, &me, &found).await, [2, 2]);
        service.flush_access_counts().await;
        assert_eq!(counts(&service, &me, &found).await, [2, 2], "once");

        let request = serde_json::from_value(json!({ "prompt": "sailing trip", "budget_tokens": 1000 })).unwrap();
        let context = service.context(&me, request, at(NOW)).await.unwrap();
        assert!(context.items.iter().any(|item| item.id == found[0].to_string()), "{context:?}");
        service.flush_access_counts().await;
        assert_eq!(counts(&service, &me, &found[..1]).await, [3]);
    }

    #[tokio::test]
    async fn counts_of_another_process_are_stored_too() {
        let me = agent("a");
        let (service, replica) = (service_with_memories(&me).await, service_with_memories(&me).await);
        let found = ask(&replica, &me).await;
        ask(&service, &me).await;
        let sent = serde_json::to_string(&replica.take_access_counts()).unwrap();
        service.add_access_counts(serde_json::from_str(&sent).unwrap()).unwrap();
        service.flush_access_counts().await;
        assert_eq!(counts(&service, &me, &found).await, [2, 2]);
        assert_eq!(replica.take_access_counts(), [], "once");
    }

    #[tokio::test]
    async fn listing_without_a_query_is_not_counted() {
        let me = agent("a");
        let service = service_with_memories(&me).await;
        let request = serde_json::from_value(json!({ "limit": 5 })).unwrap();
        assert!(!service.search(&me, request, at(NOW)).await.unwrap().results.is_empty());
        assert_eq!(service.access_counter.take().len(), 0);
    }

    #[tokio::test]
    async fn counts_of_an_erased_agent_are_dropped() {
        let me = agent("a");
        let service = service_with_memories(&me).await;
        let found = ask(&service, &me).await;
        service.parts.eraser.erase(&me, &Target::Agent, at(NOW)).await.unwrap();
        service.flush_access_counts().await;
        assert_eq!(service.parts.store.all_agents().await.unwrap(), []);
        assert_eq!(counts(&service, &me, &found).await, Vec::<u64>::new());
    }

    #[tokio::test]
    async fn failed_write_drops_the_counts_of_one_agent_only() {
        let catalog = MemoryCatalog::new();
        let agents = [agent("a"), agent("b")];
        let turns = agents.each_ref().map(|agent| turn(agent, NOW, "tea"));
        for (agent, turn) in agents.iter().zip(&turns) {
            catalog.ingest(agent, vec![turn.clone()], OnConflict::Refuse, at(NOW)).await.unwrap();
        }
        let service = over(Arc::new(Faulty::at_call(catalog.clone(), 1)), Arc::new(|| at(NOW)));
        for (agent, turn) in agents.iter().zip(&turns) {
            service.access_counter.note(agent, [turn.id.clone()].into_iter(), at(NOW));
        }
        service.flush_access_counts().await;
        let [first, second] = [0, 1].map(|index| (&agents[index], [turns[index].id.clone()]));
        let counted = over(Arc::new(catalog), Arc::new(|| at(NOW)));
        assert_eq!(counts(&counted, first.0, &first.1).await, [0]);
        assert_eq!(counts(&counted, second.0, &second.1).await, [1]);
    }

    #[test]
    fn memories_beyond_the_limit_are_not_counted() {
        let (access_counter, me) = (AccessCounter::default(), agent("a"));
        let ids = |numbers: std::ops::Range<usize>| numbers.map(|number| MemoryId::from_text(format!("t-{number}")));
        access_counter.note(&me, ids(0..MAX_COUNTED + 5), at(NOW));
        access_counter.note(&me, ids(0..1), at(NOW));
        let counts = access_counter.take().remove(&me).unwrap();
        assert_eq!(counts.len(), MAX_COUNTED);
        let first = MemoryId::from_text("t-0");
        assert!(counts.contains(&(first, Access { times: 2, last: at(NOW) })));
        assert!(access_counter.take().is_empty());
    }
}
