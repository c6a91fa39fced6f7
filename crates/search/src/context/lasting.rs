//! Finds the lines of a requested period that coarser summaries quote too: what mattered longer than its period. A short excerpt
//! begins with them. Reads summaries from the catalog; leaves out none of the lines.

use std::collections::{HashMap, HashSet};

use annals_core::ports::Select;
use annals_core::{Agent, Body, DateRange, Grain, Kind, Memory, MemoryId, Result, Timestamp, Zones};

use super::items::{Candidate, Pool};
use crate::Search;
use crate::range::within_until;

impl Search {
    /// Sets for each line of the requested period how many coarser summaries quote one of its turns. Summaries of periods that
    /// are not over at `now` do not count.
    pub(super) async fn mark_lasting_lines(
        &self,
        agent: &Agent,
        period: DateRange,
        candidates: &mut [Candidate],
        zones: &Zones,
        now: Timestamp,
    ) -> Result<()> {
        let summaries = candidates.iter().filter(|candidate| candidate.pool == Pool::Period);
        let grains = summaries.filter_map(|candidate| candidate.summary.as_ref()).map(|(period, _)| period.grain());
        let Some(coarsest) = grains.max() else { return Ok(()) };
        let mut coarser: Vec<Memory> = Vec::new();
        for grain in Grain::SUMMARIES.into_iter().filter(|grain| *grain > coarsest) {
            let within = within_until(period, zones, now);
            let select = Select { within, kinds: vec![Kind::Summary], ..Select::all(grain) };
            let listed = self.store.list(agent, &select).await?;
            coarser.extend(listed.into_iter().filter(|summary| summary.cover.end <= now));
        }
        mark(candidates, &coarser);
        Ok(())
    }
}

fn mark(candidates: &mut [Candidate], coarser: &[Memory]) {
    let mut quoted: HashMap<&MemoryId, u32> = HashMap::new();
    for summary in coarser {
        let Body::Summary { sentences, .. } = &summary.body else { continue };
        let turns: HashSet<&MemoryId> = sentences.iter().flat_map(|sentence| &sentence.from).collect();
        turns.into_iter().for_each(|turn| *quoted.entry(turn).or_default() += 1);
    }
    for candidate in candidates.iter_mut().filter(|candidate| candidate.pool == Pool::Period) {
        let lines = candidate.summary.iter_mut().flat_map(|(_, lines)| lines);
        lines.for_each(|line| {
            line.quoted_above = line.from.iter().filter_map(|turn| quoted.get(turn).copied()).max().unwrap_or(0);
        });
    }
}

#[cfg(test)]
mod tests {
    use annals_core::{ContextKind, Sentence};

    use super::*;
    use crate::context::items;
    use crate::fixture::memory;

    /// Returns a summary with a sentence for each list of turns.
    fn summary(label: &str, sentences: &[&[&str]]) -> Memory {
        let sentence = |from: &&[&str]| Sentence {
            day: "2026-03-04".parse().unwrap(),
            speaker: None,
            text: from.join(" "),
            from: from.iter().map(|id| MemoryId::from_text(*id)).collect(),
            ungrounded: false,
        };
        let body = Body::Summary { sentences: sentences.iter().map(sentence).collect(), sources: Vec::new() };
        memory(label, label.parse().unwrap(), body)
    }

    #[test]
    fn lines_count_the_coarser_summaries_that_quote_them() {
        let week = summary("2026-W10", &[&["job"], &["rain"], &["move", "key"]]);
        let mut candidates = [items::of_memory(&week, Pool::Period, 1.0)];
        assert_eq!(candidates[0].item.kind, ContextKind::Summary);
        mark(&mut candidates, &[summary("2026-03", &[&["job"], &["job", "key"]]), summary("2026-Q1", &[&["job"]])]);
        let (_, lines) = candidates[0].summary.as_ref().unwrap();
        assert_eq!(lines.iter().map(|line| line.quoted_above).collect::<Vec<_>>(), [2, 0, 1]);
    }
}
