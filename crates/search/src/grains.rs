//! Which grains answer, if the query names none: the finest that still hold the time asked for, and for a longer time the
//! summary of about that length too.
//!
//! Fine near now and coarse far back follows from what retention kept: a grain is added where it reaches further back than the
//! finer ones do without a gap. A pin keeps its day where all others are pruned, and that day says nothing of the others.

use annals_core::ports::Select;
use annals_core::{Agent, Date, DateRange, Grain, Interval, Query, Result, Said};
use futures::future::try_join_all;
use jiff::ToSpan;

use crate::Search;
use crate::said::length;

/// What a grain holds of the range.
#[derive(Clone, Copy, Debug)]
struct Held {
    /// The first day of which it holds something.
    first: Date,
    /// From which day on nothing of it was pruned.
    whole_from: Date,
}

impl Search {
    /// The grains to search, from fine to coarse.
    pub(crate) async fn grains(
        &self,
        agent: &Agent,
        query: &Query,
        within: Interval,
        asked_days: Option<i64>,
    ) -> Result<Vec<Grain>> {
        if !query.grains.is_empty() {
            return Ok(Grain::ALL.into_iter().filter(|grain| query.grains.contains(grain)).collect());
        }
        // A list of the newest is not an answer to anything: all of them may be in it.
        if query.text.as_deref().is_none_or(|text| text.trim().is_empty()) {
            return Ok(Grain::ALL.to_vec());
        }
        let held = try_join_all(Grain::ALL.map(|grain| self.held(agent, grain, within))).await?;
        Ok(choose(&held, asked_days))
    }

    async fn held(&self, agent: &Agent, grain: Grain, within: Interval) -> Result<Option<Held>> {
        let listed = self.catalog.list(agent, &Select { within, limit: 1, ..Select::all(grain) }).await?;
        let Some(first) = listed.first().map(|memory| memory.days.0) else { return Ok(None) };
        let pruned = self.catalog.pruned_until(agent, grain).await?;
        Ok(Some(Held { first, whole_from: first.max(pruned.map_or(first, |day| day.saturating_add(1.day()))) }))
    }
}

/// How many days are asked for: those of the range, which goes on until today where it has no end, or else the most that are
/// said in words.
pub(crate) fn asked_days(range: DateRange, said: &[Said], today: Date) -> Option<i64> {
    let begins = range.from.map(|from| DateRange { from: Some(from), to: range.to.or(Some(today)) });
    begins.and_then(length).or_else(|| said.iter().filter_map(|said| length(said.days)).max())
}

fn choose(held: &[Option<Held>], asked: Option<i64>) -> Vec<Grain> {
    let mut reached: Option<Date> = None;
    let mut chosen = Vec::new();
    let fitting = asked.and_then(|days| fitting(held, days));
    for (grain, held) in Grain::ALL.into_iter().zip(held) {
        let Some(Held { first, whole_from }) = *held else { continue };
        if reached.is_none_or(|reached| first < reached) || fitting == Some(grain) {
            chosen.push(grain);
        }
        reached = Some(reached.map_or(whole_from, |reached| reached.min(whole_from)));
    }
    // Where nothing is held, something must be searched to find that out.
    if chosen.is_empty() { vec![Grain::Working] } else { chosen }
}

/// The coarsest grain of which a whole period fits into so many days, and that holds something.
fn fitting(held: &[Option<Held>], days: i64) -> Option<Grain> {
    let lengths =
        [(Grain::Yearly, 360), (Grain::Quarterly, 84), (Grain::Monthly, 28), (Grain::Weekly, 7), (Grain::Daily, 1)];
    let fits = |(grain, least): &(Grain, i64)| days >= *least && held[*grain as usize].is_some();
    lengths.into_iter().find(fits).map(|(grain, _)| grain)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// First days of the six grains, `-` where one holds nothing, and after a `/` the day from which on nothing was pruned.
    #[track_caller]
    fn check(held: &str, asked: Option<i64>, expect: &str) {
        let held = held.split(' ').map(|text| {
            let (first, whole_from) = text.split_once('/').unwrap_or((text, text));
            Some(Held { first: first.parse().ok()?, whole_from: whole_from.parse().ok()? })
        });
        let held: Vec<Option<Held>> = held.collect();
        let chosen: Vec<&str> = choose(&held, asked).into_iter().map(Grain::as_str).collect();
        assert_eq!(chosen.join(" "), expect);
    }

    #[test]
    fn where_all_is_kept_turns_answer() {
        let kept = "2026-01-05 2026-01-05 2026-01-05 2026-01-05 2026-01-05 -";
        check(kept, None, "working");
        check(kept, Some(1), "working daily");
        check(kept, Some(31), "working monthly");
        check(kept, Some(400), "working quarterly");
        check("- - - - - -", Some(400), "working");
    }

    #[test]
    fn further_back_is_coarser() {
        check("2026-03-02 2026-02-02 2026-02-02 2025-12-29 - -", None, "working daily monthly");
        check("- - 2026-02-02 2026-02-02 - -", None, "weekly");
        // A day that was kept hides none that were pruned after it.
        check("2026-01-05/2026-03-02 2026-01-05/2026-02-02 2026-01-05 - - -", None, "working daily weekly");
        check("2026-01-05/2026-03-02 2026-02-02 - - - -", None, "working daily");
        check("2026-01-05/2026-03-02 2026-03-02 - - - -", None, "working");
        // Further back than any finer one, not than the last.
        check("2026-01-05 2026-03-02 2026-02-02 - - -", None, "working");
    }

    #[test]
    fn the_range_says_how_long_a_time_is_asked_for_and_else_the_words() {
        fn check(range: &str, said: &[&str], expect: Option<i64>) {
            let said = said.iter().map(|days| Said { words: String::new(), days: days_of(days) });
            let said: Vec<Said> = said.collect();
            assert_eq!(asked_days(days_of(range), &said, "2026-03-10".parse().unwrap()), expect, "{range} {said:?}");
        }
        fn days_of(text: &str) -> DateRange {
            let (from, to) = text.split_once("..").unwrap();
            DateRange { from: from.parse().ok(), to: to.parse().ok() }
        }
        let words = ["2026-03-01..2026-03-07", "2026-01-01..2026-01-31", "2026-03-04..2026-03-04"];
        check("..", &[], None);
        check("..", &words, Some(31));
        check("2026-03-02..2026-03-08", &words, Some(7));
        check("2026-03-01..", &words, Some(10));
        check("2026-03-01..", &[], Some(10));
        check("..2026-03-01", &[], None);
        check("..2026-03-01", &words, Some(31));
    }
}
