//! Which grains answer, if the query names none: the finest that still hold the time asked for, and for a longer time the
//! summary of about that length too.
//!
//! Fine near now and coarse far back follows from what retention kept: a grain is added where it reaches further back than the
//! finer ones. What is pinned outlives its neighbours and says nothing of how far a grain reaches.

use annals_core::ports::Select;
use annals_core::{Agent, Date, Grain, Interval, Query, Result, Said};
use futures::future::try_join_all;

use crate::Search;
use crate::said::length;

/// The first memories of a grain, of which the first that is not pinned says how far the grain reaches.
const LOOKED_AT: usize = 4;

/// What a grain holds of the range: nothing, or from which day on.
type Held = Option<Date>;

impl Search {
    /// The grains to search, from fine to coarse.
    pub(crate) async fn grains(
        &self,
        agent: &Agent,
        query: &Query,
        within: Interval,
        said: &[Said],
    ) -> Result<Vec<Grain>> {
        if !query.grains.is_empty() {
            return Ok(Grain::ALL.into_iter().filter(|grain| query.grains.contains(grain)).collect());
        }
        // A list of the newest is not an answer to anything: all of them may be in it.
        if query.text.as_deref().is_none_or(|text| text.trim().is_empty()) {
            return Ok(Grain::ALL.to_vec());
        }
        let held = try_join_all(Grain::ALL.map(|grain| self.held(agent, grain, within))).await?;
        Ok(choose(&held, within_days(query, said)))
    }

    async fn held(&self, agent: &Agent, grain: Grain, within: Interval) -> Result<Held> {
        let first = self.catalog.list(agent, &Select { within, limit: LOOKED_AT, ..Select::all(grain) }).await?;
        let reaches = first.iter().find(|memory| !memory.pinned).or(first.first());
        Ok(reaches.map(|memory| memory.days.0))
    }
}

/// How many days are asked for, by parameters or in words; the longest, if several are.
fn within_days(query: &Query, said: &[Said]) -> Option<i64> {
    let period = query.period.map(|period| period.last_day().duration_since(period.first_day()).as_hours() / 24 + 1);
    let bounds = query.from.zip(query.to).map(|(from, to)| to.duration_since(from).as_hours() / 24 + 1);
    let ago = query.max_days_ago.map(|most| i64::from(most - query.min_days_ago.unwrap_or(0).min(most)) + 1);
    let words = said.iter().filter_map(|said| length(said.days)).max();
    period.or(bounds).or(ago).or(words)
}

fn choose(held: &[Held], asked: Option<i64>) -> Vec<Grain> {
    let mut reached: Option<Date> = None;
    let mut chosen = Vec::new();
    let fitting = asked.and_then(|days| fitting(held, days));
    for (grain, first) in Grain::ALL.into_iter().zip(held) {
        let Some(first) = first else { continue };
        let reaches_further = reached.is_none_or(|reached| *first < reached);
        if reaches_further || fitting == Some(grain) {
            chosen.push(grain);
        }
        reached = Some(reached.map_or(*first, |reached| reached.min(*first)));
    }
    // Where nothing is held, something must be searched to find that out.
    if chosen.is_empty() { vec![Grain::Working] } else { chosen }
}

/// The coarsest grain of which a whole period fits into so many days, and that holds something.
fn fitting(held: &[Held], days: i64) -> Option<Grain> {
    let lengths =
        [(Grain::Yearly, 360), (Grain::Quarterly, 84), (Grain::Monthly, 28), (Grain::Weekly, 7), (Grain::Daily, 1)];
    let fits = |(grain, least): &(Grain, i64)| days >= *least && held[*grain as usize].is_some();
    lengths.into_iter().find(fits).map(|(grain, _)| grain)
}

#[cfg(test)]
mod tests {
    use annals_core::DateRange;

    use super::*;

    /// First days of the six grains, `-` where one holds nothing.
    #[track_caller]
    fn check(held: &str, asked: Option<i64>, expect: &str) {
        let held: Vec<Held> = held.split(' ').map(|day| day.parse().ok()).collect();
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
        // Further back than any finer one, not than the last.
        check("2026-01-05 2026-03-02 2026-02-02 - - -", None, "working");
    }

    #[test]
    fn the_longest_time_that_fits_is_asked_for() {
        fn check(query: Query, said: &[(&str, &str)], expect: Option<i64>) {
            let said: Vec<Said> = said
                .iter()
                .map(|(from, to)| DateRange { from: Some(day(from)), to: Some(day(to)) })
                .map(|days| Said { words: String::new(), days })
                .collect();
            assert_eq!(within_days(&query, &said), expect, "{query:?}");
        }
        fn day(text: &str) -> Date {
            text.parse().unwrap()
        }
        let words = [("2026-03-01", "2026-03-07"), ("2026-01-01", "2026-01-31"), ("2026-03-04", "2026-03-04")];
        let period = Query { period: Some("2026-W10".parse().unwrap()), ..Query::default() };
        let bounds = Query { from: Some(day("2026-03-01")), to: Some(day("2026-03-28")), ..Query::default() };
        let ago = Query { max_days_ago: Some(9), ..Query::default() };
        check(Query::default(), &[], None);
        check(Query::default(), &words, Some(31));
        check(period, &words, Some(7));
        check(bounds.clone(), &words, Some(28));
        check(Query { to: None, ..bounds }, &[], None);
        check(ago.clone(), &words, Some(10));
        check(Query { min_days_ago: Some(3), ..ago.clone() }, &[], Some(7));
        check(Query { min_days_ago: Some(20), ..ago }, &[], Some(1));
    }
}
