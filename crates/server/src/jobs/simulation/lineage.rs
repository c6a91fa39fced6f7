//! Who tells of which message, found out from what memories name as their sources and nothing else: not from the ledger's marks, nor
//! from the code that says what is due or covered.
//!
//! What is pruned cannot be asked any more, so what it told of is written down when it goes.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use annals_core::ports::Select;
use annals_core::{Agent, Catalog, Date, Grain, Kind, Memory, MemoryId, Period};

/// The messages that something tells of.
pub type Told = BTreeSet<MemoryId>;

/// What pruned memories told of.
pub type Gone = HashMap<MemoryId, Told>;

/// All live memories of an agent at one moment.
pub struct Live {
    memories: HashMap<MemoryId, Memory>,
    sealed: HashSet<Period>,
}

/// All that one period is made of, or a yearly summary by itself.
pub type Place = (Grain, Period);

impl Live {
    /// Looks at an agent.
    pub async fn of(catalog: &dyn Catalog, agent: &Agent) -> Live {
        let mut memories = HashMap::new();
        for grain in Grain::ALL {
            let select = Select::all(grain);
            let found = catalog.list(agent, &select).await.unwrap();
            memories.extend(found.into_iter().map(|memory| (memory.id.clone(), memory)));
        }
        let ledger = catalog.ledger(agent).await.unwrap();
        Live { memories, sealed: ledger.iter().filter(|row| row.sealed).map(|row| row.period).collect() }
    }

    /// Whether a memory is live.
    pub fn has(&self, id: &MemoryId) -> bool {
        self.memories.contains_key(id)
    }

    /// The memories that are not in `later` any more.
    pub fn gone_in<'a>(&'a self, later: &'a Live) -> impl Iterator<Item = &'a Memory> {
        self.memories.values().filter(|memory| !later.has(&memory.id))
    }

    /// Sets with the number of their members and the last day that any of them covers.
    pub fn sets(&self) -> BTreeMap<Place, (u64, Date)> {
        let mut sets = BTreeMap::new();
        for memory in self.memories.values() {
            let (rows, last_day) = sets.entry(place(memory)).or_insert((0, memory.days.1));
            *rows += 1;
            *last_day = memory.days.1.max(*last_day);
        }
        sets
    }

    /// The sources of the summary of a period, if it has one.
    pub fn sources(&self, agent: &Agent, period: Period) -> Option<&[MemoryId]> {
        self.memories.get(&MemoryId::summary(agent, period)).map(|memory| memory.sources.as_slice())
    }

    /// What each live summary tells of, by grain.
    pub fn tellers(&self, gone: &Gone) -> HashMap<MemoryId, Vec<(Grain, Period)>> {
        let (mut told, mut tellers) = (HashMap::new(), HashMap::new());
        let mut summaries: Vec<&Memory> =
            self.memories.values().filter(|memory| memory.kind == Kind::Summary).collect();
        summaries.sort_by_key(|summary| (summary.grain, summary.period));
        for summary in summaries {
            let all = self.told_by(summary, gone, &mut told);
            for message in all {
                tellers.entry(message).or_insert_with(Vec::new).push((summary.grain, summary.period));
            }
        }
        tellers
    }

    /// What a summary tells of: what its sources do, and those of its former sources that were pruned from under it.
    pub fn told_by(&self, summary: &Memory, gone: &Gone, known: &mut HashMap<MemoryId, Told>) -> Told {
        if let Some(told) = known.get(&summary.id) {
            return told.clone();
        }
        let mut told = Told::new();
        for source in &summary.sources {
            let live = self.memories.get(source);
            match live {
                Some(finer) if finer.kind == Kind::Summary => told.extend(self.told_by(finer, gone, known)),
                Some(_) => {
                    told.insert(source.clone());
                }
                None if summary.grain == Grain::Daily => {
                    told.insert(source.clone());
                }
                None => {}
            }
            // A pruned summary that came to life again for what came late no longer tells of what it told before.
            if self.sealed.contains(&summary.period) {
                told.extend(gone.get(source).into_iter().flatten().cloned());
            }
        }
        known.insert(summary.id.clone(), told.clone());
        told
    }
}

/// Where a memory belongs.
pub fn place(memory: &Memory) -> Place {
    let parent = if memory.grain == Grain::Working { None } else { memory.period.parent() };
    (memory.grain, parent.unwrap_or(memory.period))
}
