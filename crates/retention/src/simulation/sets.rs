//! Groups memories into sets, independently of the code that decides what is due.

use std::collections::BTreeMap;

use annals_core::{Date, Grain, Kind, Memory, Period};

/// The input of one period.
pub(super) struct Set {
    pub(super) rows: u64,
    pub(super) bytes: u64,
    pub(super) last_day: Date,
}

/// Sets by the grain of their members and the period that they are the input of.
pub(super) type Sets = BTreeMap<(Grain, Period), Set>;

pub(super) fn sets(memories: &[Memory]) -> Sets {
    let mut sets = Sets::new();
    for memory in memories {
        let parent = if memory.kind() == Kind::Turn { None } else { memory.period.parent() };
        let parent_key = (memory.grain, parent.unwrap_or(memory.period));
        let set = sets.entry(parent_key).or_insert(Set { rows: 0, bytes: 0, last_day: memory.days.1 });
        set.rows += 1;
        set.bytes += memory.text.len() as u64;
        set.last_day = set.last_day.max(memory.days.1);
    }
    sets
}
