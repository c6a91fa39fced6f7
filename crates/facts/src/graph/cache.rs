//! The graphs that are kept: those last walked, of a bounded number of facts together.

use std::sync::{Arc, Mutex};

use annals_core::Agent;
use lru::LruCache;

use super::Graph;

/// The most facts in all graphs that are kept; a single larger one is kept alone.
const MOST: usize = 200_000;

/// The graphs of the agents whose facts were last walked.
pub struct Graphs {
    kept: Mutex<LruCache<Agent, Arc<Graph>>>,
}

impl Default for Graphs {
    fn default() -> Graphs {
        // Bounded by facts instead of by number.
        Graphs { kept: Mutex::new(LruCache::unbounded()) }
    }
}

impl Graphs {
    /// The agent's graph, if it is kept.
    pub fn get(&self, agent: &Agent) -> Option<Arc<Graph>> {
        self.kept.lock().expect("no holder of the lock panics").get(agent).cloned()
    }

    /// Keeps a graph, and gives up those that were not used for longest.
    pub fn keep(&self, agent: &Agent, graph: Arc<Graph>) {
        let mut kept = self.kept.lock().expect("no holder of the lock panics");
        kept.put(agent.clone(), graph);
        while kept.len() > 1 && kept.iter().map(|(_, graph)| graph.len()).sum::<usize>() > MOST {
            kept.pop_lru();
        }
    }

    /// Gives the agent's graph up, because its table is about to change.
    pub fn give_up(&self, agent: &Agent) {
        self.kept.lock().expect("no holder of the lock panics").pop(agent);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::fact;
    use annals_testkit::agent;

    #[test]
    fn the_graphs_used_last_are_kept_up_to_a_number_of_facts() {
        let graphs = Graphs::default();
        let half = || Arc::new(Graph::of(vec![fact("Ann", "likes", "tea"); MOST / 2]));
        for name in ["a", "b"] {
            graphs.keep(&agent(name), half());
        }
        assert!(graphs.get(&agent("a")).is_some());
        graphs.keep(&agent("c"), half());
        let is_kept = |name: &str| graphs.get(&agent(name)).is_some();
        assert_eq!(["a", "b", "c"].map(is_kept), [true, false, true]);
        graphs.keep(&agent("d"), Arc::new(Graph::of(vec![fact("Ann", "likes", "tea"); MOST + 1])));
        assert_eq!(["a", "c", "d"].map(is_kept), [false, false, true]);
        graphs.give_up(&agent("d"));
        assert!(!is_kept("d"));
    }
}
