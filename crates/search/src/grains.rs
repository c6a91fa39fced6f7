//! Chooses the grains to search if the query names none: turns, and coarser grains only for times that the finer grains no
//! longer hold. Passages of documents are searched together with turns, as long as the range holds either.
//!
//! So answers are detailed for recent times and coarse for old times, depending on what retention pruned. What was pruned
//! cannot be derived from the first memory of a grain: the first week of an agent that begins on a Wednesday starts before its
//! first turn but covers nothing else, and a pinned memory stays although all other days were pruned. `period.rs` adds
//! summaries of times for which turns still exist, if the question asks for them.

use annals_core::ports::Select;
use annals_core::{Agent, Date, Grain, Interval, Kind, Query, Result};
use futures::future::try_join_all;
use jiff::ToSpan;

use crate::Search;
use crate::range::Bounds;

/// How much of the query's range a grain covers, and the day from which the grain is complete.
#[derive(Clone, Copy, Debug)]
struct Held {
    /// The last day of the grain's first memory in the range; `None` if the grain holds nothing in the range. Passages do not
    /// count here.
    first_ends: Option<Date>,
    /// No memory is missing from this day on. `None` if nothing of the grain was pruned and it holds nothing.
    complete_from: Option<Date>,
}

impl Search {
    /// Returns the grains to search, from fine to coarse.
    pub(crate) async fn grains(&self, agent: &Agent, query: &Query, bounds: &Bounds) -> Result<Vec<Grain>> {
        if !query.grains.is_empty() {
            return Ok(Grain::ALL.into_iter().filter(|grain| query.grains.contains(grain)).collect());
        }
        // Without a text the newest memories are listed, and the list may contain all grains.
        if query.text.as_deref().is_none_or(|text| text.trim().is_empty()) {
            return Ok(Grain::ALL.to_vec());
        }
        let held = try_join_all(Grain::ALL.map(|grain| self.held(agent, grain, bounds.of_grain(grain)))).await?;
        let mut chosen = choose(&held);
        if chosen[0] != Grain::Working && self.holds_passage(agent, bounds).await? {
            chosen.insert(0, Grain::Working);
        }
        Ok(chosen)
    }

    async fn holds_passage(&self, agent: &Agent, bounds: &Bounds) -> Result<bool> {
        let within = bounds.of_grain(Grain::Working);
        let passages = Select { within, kinds: vec![Kind::Passage], limit: 1, ..Select::all(Grain::Working) };
        Ok(!self.store.list(agent, &passages).await?.is_empty())
    }

    async fn held(&self, agent: &Agent, grain: Grain, within: Interval) -> Result<Held> {
        let first = self.first_of(agent, grain, within).await?;
        let complete_from = match self.store.pruned_until(agent, grain).await? {
            Some(pruned) => Some(pruned.saturating_add(1.day())),
            None => self.first_of(agent, grain, Interval::ALWAYS).await?.map(|days| days.0),
        };
        Ok(Held { first_ends: first.map(|days| days.1), complete_from })
    }

    /// Returns the first and last day of the grain's first memory within the interval.
    async fn first_of(&self, agent: &Agent, grain: Grain, within: Interval) -> Result<Option<(Date, Date)>> {
        let listed = self.store.list(agent, &Select { within, limit: 1, ..Select::all(grain) }).await?;
        Ok(listed.first().map(|memory| memory.days))
    }
}

fn choose(held: &[Held]) -> Vec<Grain> {
    // The day before which all finer grains are incomplete.
    let mut complete: Option<Date> = None;
    let mut chosen = Vec::new();
    for (grain, Held { first_ends, complete_from }) in Grain::ALL.into_iter().zip(held) {
        if first_ends.is_some_and(|ends| grain == Grain::Working || complete.is_none_or(|complete| ends < complete)) {
            chosen.push(grain);
        }
        complete = [complete, *complete_from].into_iter().flatten().min();
    }
    // If nothing is held, one grain is still searched to establish that.
    if chosen.is_empty() { vec![Grain::Working] } else { chosen }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Expects these grains to be chosen. `held` has a word for each of the six grains: the last day of its first memory in the
    /// range, or `-` for none; after a `/` the day from which on the grain is complete, which is the first day of its first
    /// memory or the day after its last pruned day.
    #[track_caller]
    fn check(held: &str, expect: &str) {
        let chosen: Vec<&str> =
            choose(&held.split(' ').map(read).collect::<Vec<_>>()).into_iter().map(Grain::as_str).collect();
        assert_eq!(chosen.join(" "), expect, "{held}");
    }

    fn read(text: &str) -> Held {
        let (first, complete) = text.split_once('/').map_or((text, None), |(first, from)| (first, from.parse().ok()));
        Held { first_ends: first.parse().ok(), complete_from: complete }
    }

    #[test]
    fn kept_turns_answer_alone_whatever_day_their_periods_begin() {
        check("2026-01-07/2026-01-07 2026-01-07/2026-01-07 2026-01-11/2026-01-05 2026-02-01/2026-01-05 - -", "working");
        check("2026-03-31/2026-03-31 - 2026-04-05/2026-03-30 2026-05-03/2026-03-30 2026-06-28/2026-03-30 -", "working");
        check("2026-05-22/2026-05-22 - - - - 2027-01-03/2025-12-29", "working");
        check("- - - - - -", "working");
        // No turn lies in the range, but turns lie outside it: the overlapping week holds nothing that the turns do not hold.
        check("-/2026-01-07 - 2026-01-11/2026-01-05 - - -", "working");
    }

    #[test]
    fn pruned_days_are_answered_by_the_finest_remaining_grain() {
        check(
            "2026-03-02/2026-03-02 2026-02-02/2026-02-02 2026-02-01/2026-01-05 2026-02-01/2026-01-05 - -",
            "working daily weekly",
        );
        check("-/2026-03-02 2026-02-02/2026-02-02 2026-03-01/2026-01-05 2026-03-01/2026-01-05 - -", "daily");
        // A pinned day does not hide that later days were pruned.
        check("2026-01-05/2026-03-02 2026-01-05/2026-02-02 2026-01-11/2026-01-05 - - -", "working daily weekly");
        check("2026-01-05/2026-03-02 2026-02-02/2026-02-02 - - - -", "working daily");
        check("2026-03-05/2026-03-02 2026-03-05/2026-03-05 - - - -", "working");
        // A summary that extends past the first complete day covers nothing before it.
        check("2026-03-02/2026-03-02 2026-03-02/2026-03-02 2026-03-08/2026-03-02 - - -", "working");
    }

    #[test]
    fn summaries_answer_where_nothing_finer_is_held() {
        check("- - 2026-02-08/2026-02-02 2026-03-01/2026-02-02 - -", "weekly");
        check("2026-03-02/2026-03-02 - 2026-02-22/2026-02-16 - - -", "working weekly");
    }
}
