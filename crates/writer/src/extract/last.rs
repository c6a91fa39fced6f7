//! Caches the sentences of each agent's last memories, for a limited number of agents. So a batch reads only new memories, and
//! its cost does not depend on how many memories an agent has.

use std::collections::HashMap;

use annals_core::ports::{Change, Select};
use annals_core::{Agent, Grain, Interval, Memory, Result, Timestamp};
use parking_lot::{Mutex, MutexGuard};

use super::FactWriter;
use crate::recalled::SeenSentences;

/// Maximum number of cached agents. Each takes about 100 KB.
const AGENTS: usize = 64;

/// The sentences of an agent's last memories, and how far its changes were read.
#[derive(Debug)]
pub(super) struct Last {
    pub(super) seen: SeenSentences,
    /// The highest sequence number that was read, for each grain.
    read: [u64; Grain::ALL.len()],
}

/// The cache: the last memories by agent.
#[derive(Debug, Default)]
pub(crate) struct LastMemories(Mutex<HashMap<Agent, Last>>);

impl LastMemories {
    fn kept(&self) -> MutexGuard<'_, HashMap<Agent, Last>> {
        self.0.lock()
    }

    pub(super) fn keep(&self, agent: &Agent, last: Last) {
        let mut kept = self.kept();
        if kept.len() >= AGENTS
            && let Some(other) = kept.keys().next().cloned()
        {
            kept.remove(&other);
        }
        kept.insert(agent.clone(), last);
    }

    /// Removes an agent from the cache. Needed after an erasure of the whole agent, because no changes remain then that would
    /// remove its sentences.
    pub(crate) fn drop_agent(&self, agent: &Agent) {
        self.kept().remove(agent);
    }
}

impl FactWriter {
    /// Returns the sentences of the last memories up to and including a batch: from the cache, otherwise from the catalog.
    pub(super) async fn last_memories(&self, agent: &Agent, after: u64, batch: &[Change]) -> Result<Last> {
        let kept = self.last.kept().remove(agent);
        // Something else, such as a restore, may have moved the watermark.
        let mut last = match kept.filter(|last| last.read[Grain::Working as usize] >= after) {
            Some(last) => last,
            None => self.load_last(agent, batch).await?,
        };
        last.add(Grain::Working, batch);
        for grain in Grain::SUMMARIES {
            let most = SeenSentences::last(grain);
            let changes = self.store.changes(agent, grain, last.read[grain as usize], most).await?;
            last.add(grain, &changes);
        }
        Ok(last)
    }

    async fn load_last(&self, agent: &Agent, batch: &[Change]) -> Result<Last> {
        let turns = batch.iter().filter_map(|change| match change {
            Change::Upsert(memory) => Some(memory),
            Change::Delete { .. } => None,
        });
        let mut last = Last { seen: SeenSentences::default(), read: [0; Grain::ALL.len()] };
        for memory in self.listed(agent, turns).await? {
            let read = &mut last.read[memory.grain as usize];
            *read = memory.seq.max(*read);
            last.seen.add(&memory);
        }
        Ok(last)
    }

    /// Returns the sentences of these turns and of the last memories before their end.
    pub(crate) async fn seen(&self, agent: &Agent, turns: &[Memory]) -> Result<SeenSentences> {
        Ok(SeenSentences::new(self.listed(agent, turns).await?.iter().chain(turns)))
    }

    /// Lists the last memories of each grain before the end of the latest of these turns; within a grain the oldest first.
    async fn listed<'m>(&self, agent: &Agent, turns: impl IntoIterator<Item = &'m Memory>) -> Result<Vec<Memory>> {
        let end = turns.into_iter().map(|turn| turn.cover.end).max().unwrap_or(Timestamp::MIN);
        let within = Interval { start: Timestamp::MIN, end };
        let mut listed = Vec::new();
        for grain in Grain::ALL {
            let limit = SeenSentences::last(grain);
            let select = Select { within, newest_first: true, limit, ..Select::all(grain) };
            listed.extend(self.store.list(agent, &select).await?.into_iter().rev());
        }
        Ok(listed)
    }
}

impl Last {
    fn add(&mut self, grain: Grain, changes: &[Change]) {
        for change in changes {
            match change {
                Change::Upsert(memory) => self.seen.add(memory),
                Change::Delete { id, .. } => self.seen.remove(id),
            }
            let read = &mut self.read[grain as usize];
            *read = change.seq().max(*read);
        }
    }
}
