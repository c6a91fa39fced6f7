//! Port `Accesses`: how often memories were returned.

use annals_core::ports::{Access, Accesses};
use annals_core::{Agent, Memory, MemoryId, Result};
use async_trait::async_trait;

use super::MemoryCatalog;
use super::agent_data::AgentData;

#[async_trait]
impl Accesses for MemoryCatalog {
    async fn recall(&self, agent: &Agent, ids: &[MemoryId]) -> Result<Vec<(Memory, Option<Access>)>> {
        self.read(agent, |data| {
            let live = ids.iter().filter_map(|id| data.memories.get(id));
            live.map(|memory| (memory.clone(), data.accesses.get(&memory.id).copied())).collect()
        })
    }

    async fn add_accesses(&self, agent: &Agent, accesses: &[(MemoryId, Access)]) -> Result<()> {
        self.write(agent, |data, _| accesses.iter().for_each(|(id, access)| data.access(id, *access)))
    }
}

impl AgentData {
    /// Adds to the access count of a live memory. Ignores all others.
    pub(super) fn access(&mut self, id: &MemoryId, access: Access) {
        if self.memories.contains_key(id) {
            self.accesses.entry(id.clone()).and_modify(|known| *known = known.and(access)).or_insert(access);
        }
    }
}
