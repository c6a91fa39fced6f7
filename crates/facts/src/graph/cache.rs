//! Caches the graphs used last, up to a total number of facts.

use std::sync::Arc;

use annals_core::Agent;
use lru::LruCache;
use parking_lot::Mutex;

use super::Graph;

/// The most facts in all cached graphs together; a single larger graph is cached alone.
const MAX_CACHED_FACTS: usize = 200_000;

/// The graphs that were queried last, by agent.
pub(crate) struct Graphs {
    kept: Mutex<LruCache<Agent, Arc<Graph>>>,
}

impl Default for Graphs {
    fn default() -> Graphs {
        // Bounded by facts, not by the number of graphs.
        Graphs { kept: Mutex::new(LruCache::unbounded()) }
    }
}

impl Graphs {
    /// Returns the agent's graph, if it is cached.
    pub(crate) fn get(&self, agent: &Agent) -> Option<Arc<Graph>> {
        self.kept.lock().get(agent).cloned()
    }

    /// Caches a graph, and evicts the least recently used ones beyond the limit.
    pub(crate) fn keep(&self, agent: &Agent, graph: Arc<Graph>) {
        let mut kept = self.kept.lock();
        kept.put(agent.clone(), graph);
        while kept.len() > 1 && kept.iter().map(|(_, graph)| graph.len()).sum::<usize>() > MAX_CACHED_FACTS {
            kept.pop_lru();
        }
    }

    /// Evicts the agent's graph, because its table is about to change.
    pub(crate) fn give_up(&self, agent: &Agent) {
        self.kept.lock().pop(agent);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::fact;
    use annals_testkit::agent;

    #[test]
    fn least_recently_used_graphs_are_evicted_beyond_the_fact_limit() {
        let graphs = Graphs::default();
        let half = || Arc::new(Graph::of(vec![fact("Ann", "likes", "tea"); MAX_CACHED_FACTS / 2]));
        for name in ["a", "b"] {
            graphs.keep(&agent(name), half());
        }
        assert!(graphs.get(&agent("a")).is_some());
        graphs.keep(&agent("c"), half());
        let is_kept = |name: &str| graphs.get(&agent(name)).is_some();
        assert_eq!(["a", "b", "c"].map(is_kept), [true, false, true]);
        graphs.keep(&agent("d"), Arc::new(Graph::of(vec![fact("Ann", "likes", "tea"); MAX_CACHED_FACTS + 1])));
        assert_eq!(["a", "c", "d"].map(is_kept), [false, false, true]);
        graphs.give_up(&agent("d"));
        assert!(!is_kept("d"));
    }
}
