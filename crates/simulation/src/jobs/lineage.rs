//! Derives which summary covers which message from the sources of memories, without the code that decides what is due or
//! covered. From the ledger it reads only which periods are sealed.
//!
//! Pruned memories can no longer be read, so the messages that they covered are recorded when they are pruned.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use annals_core::ports::Select;
use annals_core::{Agent, Catalog, Date, Grain, Kind, Memory, MemoryId, Period};

/// The messages that a summary covers.
pub(crate) type Messages = BTreeSet<MemoryId>;

/// The messages that pruned summaries covered.
pub(crate) type PrunedCovers = HashMap<MemoryId, Messages>;

/// All live memories of an agent at one moment.
pub(crate) struct Live {
    memories: HashMap<MemoryId, Memory>,
    sealed: HashSet<Period>,
}

/// A set of memories that is pruned as a whole: a grain and the period that its members are summarised into, or the period of
/// a yearly summary.
pub(crate) type SetKey = (Grain, Period);

impl Live {
    /// Reads the memories and the ledger of an agent.
    pub(crate) async fn of(catalog: &dyn Catalog, agent: &Agent) -> Live {
        let mut memories = HashMap::new();
        for grain in Grain::ALL {
            let select = Select::all(grain);
            let found = catalog.list(agent, &select).await.unwrap();
            memories.extend(found.into_iter().map(|memory| (memory.id.clone(), memory)));
        }
        let ledger = catalog.ledger(agent).await.unwrap();
        Live { memories, sealed: ledger.iter().filter(|row| row.sealed).map(|row| row.period).collect() }
    }

    /// Returns whether a memory is live.
    pub(crate) fn has(&self, id: &MemoryId) -> bool {
        self.memories.contains_key(id)
    }

    /// Returns the memories that are no longer in `later`.
    pub(crate) fn gone_in<'a>(&'a self, later: &'a Live) -> impl Iterator<Item = &'a Memory> {
        self.memories.values().filter(|memory| !later.has(&memory.id))
    }

    /// Returns each set with the number of its members and the last day that any of them covers.
    pub(crate) fn sets(&self) -> BTreeMap<SetKey, (u64, Date)> {
        let mut sets = BTreeMap::new();
        for memory in self.memories.values() {
            let (rows, last_day) = sets.entry(set_key(memory)).or_insert((0, memory.days.1));
            *rows += 1;
            *last_day = memory.days.1.max(*last_day);
        }
        sets
    }

    /// Returns the sources of the summary of a period, if it has one.
    pub(crate) fn sources(&self, agent: &Agent, period: Period) -> Option<&[MemoryId]> {
        self.memories.get(&MemoryId::summary(agent, period)).map(Memory::sources)
    }

    /// Returns for each message the live summaries that cover it, as grain and period.
    pub(crate) fn summaries_covering(&self, gone: &PrunedCovers) -> HashMap<MemoryId, Vec<(Grain, Period)>> {
        let (mut covered, mut summaries_covering) = (HashMap::new(), HashMap::new());
        let mut summaries: Vec<&Memory> =
            self.memories.values().filter(|memory| memory.kind() == Kind::Summary).collect();
        summaries.sort_by_key(|summary| (summary.grain, summary.period));
        for summary in summaries {
            let all = self.covered_by(summary, gone, &mut covered);
            for message in all {
                summaries_covering.entry(message).or_insert_with(Vec::new).push((summary.grain, summary.period));
            }
        }
        summaries_covering
    }

    /// Returns the messages that a summary covers: its source messages, those that its source summaries cover and, if its
    /// period is sealed, those that its pruned source summaries covered.
    pub(crate) fn covered_by(
        &self,
        summary: &Memory,
        gone: &PrunedCovers,
        known: &mut HashMap<MemoryId, Messages>,
    ) -> Messages {
        if let Some(covered) = known.get(&summary.id) {
            return covered.clone();
        }
        let mut covered = Messages::new();
        for source in summary.sources() {
            let live = self.memories.get(source);
            match live {
                Some(finer) if finer.kind() == Kind::Summary => covered.extend(self.covered_by(finer, gone, known)),
                Some(_) => {
                    covered.insert(source.clone());
                }
                None if summary.grain == Grain::Daily => {
                    covered.insert(source.clone());
                }
                None => {}
            }
            // A pruned summary that was written again for late messages no longer covers its former messages; they are added
            // from the record.
            if self.sealed.contains(&summary.period) {
                covered.extend(gone.get(source).into_iter().flatten().cloned());
            }
        }
        known.insert(summary.id.clone(), covered.clone());
        covered
    }
}

/// Returns the set that a memory belongs to.
pub(crate) fn set_key(memory: &Memory) -> SetKey {
    let parent = if memory.grain == Grain::Working { None } else { memory.period.parent() };
    (memory.grain, parent.unwrap_or(memory.period))
}
