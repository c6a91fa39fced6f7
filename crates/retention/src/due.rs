//! Selects what is due to be pruned: complete sets that are past the plan and covered by a summary that has read them.
//!
//! A *set* is the whole input of one period (turns and statements of a day, days of a week, …), or a yearly summary, which no
//! coarser summary covers. [`due`] has the conditions.

use std::collections::{HashMap, HashSet};

use annals_core::ports::Children;
use annals_core::{Grain, LedgerRow, Period, Timestamp, Zones};

use crate::Plan;

/// The input of [`due`]: everything that decides which sets are due.
#[derive(Clone, Copy, Debug)]
pub struct State<'a> {
    pub plan: &'a Plan,
    pub zones: &'a Zones,
    /// All sets of the agent.
    pub children: &'a [Children],
    pub ledger: &'a [LedgerRow],
    /// The periods with a live summary; only those of sets that are past the plan are needed.
    pub summarized: &'a HashSet<Period>,
    /// The sequence number up to which extraction has read all turns.
    pub extracted: u64,
    pub now: Timestamp,
}

/// A set that is due.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pruning {
    /// The set as it was read. Sealing fails if it has changed since.
    pub children: Children,
    /// The `clean_seq` of its period as it was read.
    pub clean_seq: u64,
}

/// A set that is past the plan but stays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    pub children: Children,
    pub hold: Hold,
}

/// Why a set that is past the plan stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Hold {
    /// It contains a pinned memory.
    Pinned,
    /// The summary of its period has not read all of it yet, or there is no summary.
    Uncovered,
    /// The summary of its period is degraded, and the set is needed to rewrite that summary. This can last as long as the
    /// model fails, so a person should check.
    Degraded,
    /// Extraction has not read its turns yet.
    Unread,
    /// A finer set that belongs to it stays.
    Finer,
}

/// Sets that are due, and sets past the plan that are held. Both from fine to coarse: the order in which to prune.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Due {
    pub prunings: Vec<Pruning>,
    /// The sets that are past the plan but must not be pruned yet.
    pub held: Vec<Held>,
}

/// The number of sets of one grain, and their size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    pub sets: u64,
    /// Number of memories.
    pub rows: u64,
    pub bytes: u64,
}

/// Returns what is due in this state. A set is due if all of this holds:
///
/// - It is past the plan, counted from the end of the last day that any of it covers.
/// - Its period is clean, and has a live summary that is not degraded. The model needs the set to rewrite a degraded summary.
/// - Extraction has read its turns.
/// - Nothing in it is pinned.
/// - All finer sets below it are gone, or are due too and come before it. So a path from day to year is only ever shortened from
///   below.
pub fn due(state: &State<'_>) -> Due {
    let rows: HashMap<Period, &LedgerRow> = state.ledger.iter().map(|row| (row.period, row)).collect();
    let mut sets: Vec<&Children> = state.children.iter().collect();
    sets.sort_by_key(|set| sort_key(set));
    let mut over_staying = HashSet::new();
    let mut due = Due::default();
    for set in sets {
        let finer = over_staying.contains(&sort_key(set));
        match verdict(state, set, rows.get(&set.parent).copied(), finer) {
            Verdict::Goes(clean_seq) => {
                due.prunings.push(Pruning { children: set.clone(), clean_seq });
                continue;
            }
            Verdict::Waits(hold) => due.held.push(Held { children: set.clone(), hold }),
            Verdict::IsKept => {}
        }
        over_staying.extend(above(set));
    }
    due
}

enum Verdict {
    IsKept,
    Waits(Hold),
    Goes(u64),
}

fn verdict(state: &State<'_>, set: &Children, row: Option<&LedgerRow>, finer: bool) -> Verdict {
    if !is_past(set, state.plan, state.zones, state.now) {
        return Verdict::IsKept;
    }
    let Some(row) = row.filter(|row| !row.is_dirty() && state.summarized.contains(&set.parent)) else {
        return Verdict::Waits(Hold::Uncovered);
    };
    let reasons = [
        (set.pinned, Hold::Pinned),
        (row.degraded, Hold::Degraded),
        (set.last_turn > state.extracted, Hold::Unread),
        (finer, Hold::Finer),
    ];
    let hold = reasons.into_iter().find(|(applies, _)| *applies);
    hold.map_or(Verdict::Goes(row.clean_seq), |(_, hold)| Verdict::Waits(hold))
}

/// Returns whether the plan no longer keeps a set at `now`.
pub(crate) fn is_past(set: &Children, plan: &Plan, zones: &Zones, now: Timestamp) -> bool {
    plan.keep(grain(set)).is_past(set.last_day, zones, now)
}

/// Returns the grain of the memories in a set.
pub(crate) fn grain(set: &Children) -> Grain {
    match set.parent.grain().finer() {
        Some(finer) if !set.yearly => finer,
        _ => set.parent.grain(),
    }
}

/// Returns the position of a set in the tree; sorts from fine to coarse.
pub(crate) fn sort_key(set: &Children) -> (Grain, Period) {
    (grain(set), set.parent)
}

/// Returns grain and period of every coarser set that contains this set. None of them may be pruned before it.
pub(crate) fn above(set: &Children) -> impl Iterator<Item = (Grain, Period)> {
    let coarser = Grain::SUMMARIES.into_iter().filter(|coarser| *coarser > grain(set));
    coarser.map(|coarser| (coarser, set.parent.ancestor(coarser.coarser().unwrap_or(Grain::Yearly))))
}

impl Due {
    /// Returns how much is due, by grain in the order of [`Grain::ALL`].
    pub fn totals(&self) -> [Totals; 6] {
        totals(self.prunings.iter().map(|pruning| &pruning.children))
    }
}

/// Returns how much the sets hold, by grain.
pub(crate) fn totals<'a>(sets: impl Iterator<Item = &'a Children>) -> [Totals; 6] {
    let mut totals = [Totals::default(); 6];
    for set in sets {
        let total = &mut totals[grain(set) as usize];
        total.sets += 1;
        total.rows += set.rows;
        total.bytes += set.bytes;
    }
    totals
}

#[cfg(test)]
mod tests;
