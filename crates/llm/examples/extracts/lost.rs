//! Reports at which step the daily summaries lose the turns that answer later queries.

use std::collections::{BTreeMap, BTreeSet};

use annals_core::{Grain, Memory};
use annals_llm::{Step, explain};

use crate::EARLIER;

/// Counts the evidence turns by the furthest step that one of their sentences reached, and prints the lost turns of one agent.
pub fn print(agents: &BTreeMap<String, Vec<Vec<Memory>>>, evidence: &BTreeSet<(String, String)>, shown: &str) {
    let mut counts: BTreeMap<Option<Step>, usize> = BTreeMap::new();
    for (agent, days) in agents {
        for (place, turns) in days.iter().enumerate() {
            let earlier = days[..place].concat();
            let sentences = explain(Grain::Daily, turns, &earlier[earlier.len().saturating_sub(EARLIER)..]);
            for turn in turns {
                if !evidence.contains(&(agent.clone(), turn.message().unwrap_or_default().to_owned())) {
                    continue;
                }
                let own: Vec<_> = sentences.iter().filter(|(sentence, _)| sentence.from.contains(&turn.id)).collect();
                let furthest = own.iter().map(|(_, step)| *step).max();
                *counts.entry(furthest).or_default() += 1;
                if agent == shown && furthest != Some(Step::Chosen) {
                    println!("{furthest:?} {} {}", turn.speaker().unwrap_or_default(), turn.text);
                    own.iter().for_each(|(sentence, step)| println!("    {step:?}: {}", sentence.text));
                }
            }
        }
    }
    println!("furthest step of the evidence turns: {counts:?}");
}
