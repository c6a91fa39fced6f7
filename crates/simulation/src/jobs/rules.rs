//! The invariants of one agent at one moment, written without the code under test.

use std::collections::HashMap;

use annals_core::{Agent, Grain, Memory, MemoryId, Period, SignedDuration, Timestamp, Zones};
use annals_retention::Plan;

use super::lineage::{Live, PrunedCovers, set_key};

/// Checks the invariants of one agent at one moment.
pub(crate) struct Rules<'a> {
    /// A name for messages of failed assertions.
    pub name: &'a str,
    pub agent: &'a Agent,
    pub zones: &'a Zones,
    pub now: Timestamp,
}

impl Rules<'_> {
    /// Checks the memories pruned between two moments: only whole sets, past the plan, and covered by their parent. Adds to
    /// `gone` the messages that pruned summaries covered. Returns the number of pruned memories by grain.
    pub(crate) fn pruned_between(&self, plan: &Plan, before: &Live, after: &Live, gone: &mut PrunedCovers) -> [u64; 6] {
        let (mut pruned, mut covered, mut lost) = ([0; 6], HashMap::new(), Vec::new());
        let (sets, left) = (before.sets(), after.sets());
        for memory in before.gone_in(after) {
            let set_key = set_key(memory);
            assert!(!left.contains_key(&set_key), "{}: {set_key:?} is half-pruned", self.whose());
            let keep = plan.keep(memory.grain).to_string();
            let age = self.now.duration_since(self.zones.day_interval(sets[&set_key].1).end);
            assert!(age >= at_least(&keep), "{}: {set_key:?} went after {age:#}, plan {keep}", self.whose());
            assert!(self.is_covered(memory, before), "{}: {} of {set_key:?} went uncovered", self.whose(), memory.id);
            pruned[memory.grain as usize] += 1;
            if memory.grain > Grain::Working {
                lost.push((memory.id.clone(), before.covered_by(memory, gone, &mut covered)));
            }
        }
        for (id, covered) in lost {
            gone.entry(id).or_default().extend(covered);
        }
        pruned
    }

    /// Returns whether the parent's summary names a memory among its sources. A year has no parent and always passes.
    fn is_covered(&self, memory: &Memory, before: &Live) -> bool {
        let parent = if memory.grain == Grain::Working { Some(memory.period) } else { memory.period.parent() };
        parent
            .is_none_or(|parent| before.sources(self.agent, parent).is_some_and(|sources| sources.contains(&memory.id)))
    }

    /// Checks that each message is covered by the summary of its own period and no other, at each grain for which that period
    /// is closed; or was covered by that summary when the summary was pruned.
    pub(crate) fn each_message_is_covered_once<'a>(
        &self,
        messages: impl Iterator<Item = (&'a MemoryId, Period)>,
        live: &Live,
        gone: &PrunedCovers,
        grace: SignedDuration,
    ) {
        let summaries = live.summaries_covering(gone);
        for (message, day) in messages {
            let summaries = summaries.get(message).map(Vec::as_slice).unwrap_or_default();
            for grain in Grain::SUMMARIES {
                let own = day.ancestor(grain);
                let periods: Vec<Period> =
                    summaries.iter().filter(|(of, _)| *of == grain).map(|(_, period)| *period).collect();
                let pruned =
                    gone.get(&MemoryId::summary(self.agent, own)).is_some_and(|periods| periods.contains(message));
                let right = match periods.as_slice() {
                    [] => pruned || !self.zones.is_closed(own, grace, self.now),
                    periods => periods == [own],
                };
                assert!(right, "{}: a message of {day} is covered by {periods:?} instead of {own}", self.whose());
            }
        }
    }

    fn whose(&self) -> String {
        format!("{}: {} at {}", self.name, self.agent, self.now)
    }
}

/// Returns the least time for which a plan keeps memories, from text such as `6w` or `2mo`.
fn at_least(keep: &str) -> SignedDuration {
    let (count, unit) = keep.split_at(keep.find(|c: char| c.is_ascii_alphabetic()).unwrap());
    // A day may have 23 hours or less, and a month 28 days.
    let hours = match unit {
        "h" => return SignedDuration::from_hours(count.parse().unwrap()),
        "d" => 24,
        "w" => 7 * 24,
        "mo" => 28 * 24,
        "q" => 89 * 24,
        "y" => 365 * 24,
        other => panic!("{other} keeps for ever"),
    };
    // 26 hours less: a skipped day, and summer time.
    SignedDuration::from_hours(count.parse::<i64>().unwrap() * hours - 26)
}
