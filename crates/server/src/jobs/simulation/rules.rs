//! What must hold of one agent at one moment, said without the code that is to obey.

use std::collections::HashMap;

use annals_core::{Agent, Grain, Memory, MemoryId, Period, SignedDuration, Timestamp, Zones};
use annals_retention::Plan;

use super::lineage::{Gone, Live, place};

/// The agent and the moment.
pub struct Rules<'a> {
    /// What a failure is called.
    pub name: &'a str,
    /// Who.
    pub agent: &'a Agent,
    /// Where.
    pub zones: &'a Zones,
    /// When.
    pub now: Timestamp,
}

impl Rules<'_> {
    /// Of what went between two looks: whole sets only, past the plan, told of by their parent. What the summaries among it told
    /// of is written down. How many memories went, by grain.
    pub fn what_went(&self, plan: &Plan, before: &Live, after: &Live, gone: &mut Gone) -> [u64; 6] {
        let (mut went, mut told, mut lost) = ([0; 6], HashMap::new(), Vec::new());
        let (sets, left) = (before.sets(), after.sets());
        for memory in before.gone_in(after) {
            let place = place(memory);
            assert!(!left.contains_key(&place), "{}: {place:?} is half-pruned", self.whose());
            let keep = plan.keep(memory.grain).to_string();
            let age = self.now.duration_since(self.zones.day_interval(sets[&place].1).end);
            assert!(age >= at_least(&keep), "{}: {place:?} went after {age:#}, plan {keep}", self.whose());
            assert!(self.is_told_of(memory, before), "{}: {} of {place:?} went untold", self.whose(), memory.id);
            went[memory.grain as usize] += 1;
            if memory.grain > Grain::Working {
                lost.push((memory.id.clone(), before.told_by(memory, gone, &mut told)));
            }
        }
        for (id, told) in lost {
            gone.entry(id).or_default().extend(told);
        }
        went
    }

    /// Whether the parent's summary names a memory among its sources. A year has no parent.
    fn is_told_of(&self, memory: &Memory, before: &Live) -> bool {
        let parent = if memory.grain == Grain::Working { Some(memory.period) } else { memory.period.parent() };
        parent
            .is_none_or(|parent| before.sources(self.agent, parent).is_some_and(|sources| sources.contains(&memory.id)))
    }

    /// Each message is told of by the summary of its own period and no other, at each grain whose period is closed; or that
    /// summary told of it when it was pruned.
    pub fn all_is_told_once<'a>(
        &self,
        said: impl Iterator<Item = (&'a MemoryId, Period)>,
        live: &Live,
        gone: &Gone,
        grace: SignedDuration,
    ) {
        let tellers = live.tellers(gone);
        for (message, day) in said {
            let tellers = tellers.get(message).map(Vec::as_slice).unwrap_or_default();
            for grain in Grain::SUMMARIES {
                let own = day.ancestor(grain);
                let told: Vec<Period> =
                    tellers.iter().filter(|(teller, _)| *teller == grain).map(|(_, period)| *period).collect();
                let pruned = gone.get(&MemoryId::summary(self.agent, own)).is_some_and(|told| told.contains(message));
                let right = match told.as_slice() {
                    [] => pruned || !self.zones.is_closed(own, grace, self.now),
                    told => told == [own],
                };
                assert!(right, "{}: a message of {day} is told of by {told:?} where {own} should", self.whose());
            }
        }
    }

    fn whose(&self) -> String {
        format!("{}: {} at {}", self.name, self.agent, self.now)
    }
}

/// How long is kept at the very least what a plan keeps for `6w`, `2mo` and so on.
fn at_least(keep: &str) -> SignedDuration {
    let (count, unit) = keep.split_at(keep.find(|c: char| c.is_ascii_alphabetic()).unwrap());
    // Days of 23 hours or less, and months of 28 days.
    let hours = match unit {
        "h" => return SignedDuration::from_hours(count.parse().unwrap()),
        "d" => 24,
        "w" => 7 * 24,
        "mo" => 28 * 24,
        "q" => 89 * 24,
        "y" => 365 * 24,
        other => panic!("{other} keeps for ever"),
    };
    // A day that was skipped, and summer time.
    SignedDuration::from_hours(count.parse::<i64>().unwrap() * hours - 26)
}
