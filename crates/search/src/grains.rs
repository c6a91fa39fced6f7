//! Which grains answer, if the query names none: turns, and a coarser grain only for times that the finer ones no longer hold.
//!
//! Fine near now and coarse far back follows from what retention pruned. A first memory says nothing: the week of an agent that
//! begins on a Wednesday starts before its first turn and tells of nothing else, and a pin keeps its day where all others are
//! pruned. Summaries of a time that turns still hold are added by `period.rs`, where a question asks for them.

use annals_core::ports::Select;
use annals_core::{Agent, Date, Grain, Interval, Query, Result};
use futures::future::try_join_all;
use jiff::ToSpan;

use crate::Search;
use crate::range::Bounds;

/// What a grain holds of the range, and from when on it holds everything.
#[derive(Clone, Copy, Debug)]
struct Held {
    /// The last day of its first memory in the range; none if it holds nothing there.
    first_ends: Option<Date>,
    /// From which day on nothing is missing; none if it holds nothing at all.
    complete_from: Option<Date>,
}

impl Search {
    /// The grains to search, from fine to coarse.
    pub(crate) async fn grains(&self, agent: &Agent, query: &Query, bounds: &Bounds) -> Result<Vec<Grain>> {
        if !query.grains.is_empty() {
            return Ok(Grain::ALL.into_iter().filter(|grain| query.grains.contains(grain)).collect());
        }
        // A list of the newest is not an answer to anything: all of them may be in it.
        if query.text.as_deref().is_none_or(|text| text.trim().is_empty()) {
            return Ok(Grain::ALL.to_vec());
        }
        let held = try_join_all(Grain::ALL.map(|grain| self.held(agent, grain, bounds.of_grain(grain)))).await?;
        Ok(choose(&held))
    }

    async fn held(&self, agent: &Agent, grain: Grain, within: Interval) -> Result<Held> {
        let first = self.first_of(agent, grain, within).await?;
        let complete_from = match self.catalog.pruned_until(agent, grain).await? {
            Some(pruned) => Some(pruned.saturating_add(1.day())),
            None => self.first_of(agent, grain, Interval::ALWAYS).await?.map(|days| days.0),
        };
        Ok(Held { first_ends: first.map(|days| days.1), complete_from })
    }

    /// The days of the first memory.
    async fn first_of(&self, agent: &Agent, grain: Grain, within: Interval) -> Result<Option<(Date, Date)>> {
        let listed = self.catalog.list(agent, &Select { within, limit: 1, ..Select::all(grain) }).await?;
        Ok(listed.first().map(|memory| memory.days))
    }
}

fn choose(held: &[Held]) -> Vec<Grain> {
    // Of earlier days finer grains no longer tell everything.
    let mut complete: Option<Date> = None;
    let mut chosen = Vec::new();
    for (grain, Held { first_ends, complete_from }) in Grain::ALL.into_iter().zip(held) {
        if first_ends.is_some_and(|ends| grain == Grain::Working || complete.is_none_or(|complete| ends < complete)) {
            chosen.push(grain);
        }
        complete = [complete, *complete_from].into_iter().flatten().min();
    }
    // Where nothing is held, something must be searched to find that out.
    if chosen.is_empty() { vec![Grain::Working] } else { chosen }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// For the six grains the last day of the first memory in the range, `-` where there is none, and after a `/` the day from
    /// which on everything is there: the first day of its first memory, or the one after what was pruned.
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
    fn kept_turns_answer_alone_whenever_their_periods_begin() {
        check("2026-01-07/2026-01-07 2026-01-07/2026-01-07 2026-01-11/2026-01-05 2026-02-01/2026-01-05 - -", "working");
        check("2026-03-31/2026-03-31 - 2026-04-05/2026-03-30 2026-05-03/2026-03-30 2026-06-28/2026-03-30 -", "working");
        check("2026-05-22/2026-05-22 - - - - 2027-01-03/2025-12-29", "working");
        check("- - - - - -", "working");
        // The range holds no turn, though the grain holds others: the week beside it knows no more.
        check("-/2026-01-07 - 2026-01-11/2026-01-05 - - -", "working");
    }

    #[test]
    fn pruned_days_are_answered_by_the_finest_grain_that_holds_them() {
        check(
            "2026-03-02/2026-03-02 2026-02-02/2026-02-02 2026-02-01/2026-01-05 2026-02-01/2026-01-05 - -",
            "working daily weekly",
        );
        check("-/2026-03-02 2026-02-02/2026-02-02 2026-03-01/2026-01-05 2026-03-01/2026-01-05 - -", "daily");
        // A day that was kept hides none that were pruned after it.
        check("2026-01-05/2026-03-02 2026-01-05/2026-02-02 2026-01-11/2026-01-05 - - -", "working daily weekly");
        check("2026-01-05/2026-03-02 2026-02-02/2026-02-02 - - - -", "working daily");
        check("2026-03-05/2026-03-02 2026-03-05/2026-03-05 - - - -", "working");
        // A summary that reaches past the first day that is complete tells of nothing before it.
        check("2026-03-02/2026-03-02 2026-03-02/2026-03-02 2026-03-08/2026-03-02 - - -", "working");
    }

    #[test]
    fn summaries_answer_where_nothing_finer_is_held() {
        check("- - 2026-02-08/2026-02-02 2026-03-01/2026-02-02 - -", "weekly");
        check("2026-03-02/2026-03-02 - 2026-02-22/2026-02-16 - - -", "working weekly");
    }
}
