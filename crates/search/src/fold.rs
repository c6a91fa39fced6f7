//! Folding by the calendar: a summary that stands below one of its own days, weeks or months says nothing new; and where many
//! of these follow below it, it says in one place what they say in many. Pure.

use std::collections::HashSet;

use annals_core::{Found, Grain, Kind, Period};

/// With more descendants than this below a summary among the results, they yield to it.
const MOST_SIBLINGS: usize = 3;

/// The first so many, in their order, once each summary of which a descendant ranks above it is dropped, and then the
/// descendants of each summary that has too many of them below it.
pub(crate) fn fold(ranked: Vec<Found>, limit: usize) -> Vec<Found> {
    let mut told: HashSet<Period> = HashSet::new();
    let mut left: Vec<Found> = ranked.into_iter().filter(|found| keep(found, &mut told)).collect();
    while let Some(crowded) = crowded(&left[..left.len().min(limit)]) {
        left.retain(|found| !is_within(found, crowded));
    }
    left.truncate(limit);
    left
}

/// The first summary that has too many of its descendants among these.
fn crowded(results: &[Found]) -> Option<Period> {
    let summaries = results.iter().filter(|found| found.memory.kind == Kind::Summary).map(|found| found.memory.period);
    let mut summaries = summaries;
    summaries.find(|period| results.iter().filter(|found| is_within(found, *period)).count() > MOST_SIBLINGS)
}

fn is_within(found: &Found, period: Period) -> bool {
    let memory = &found.memory;
    memory.grain < period.grain() && memory.period.ancestor(period.grain()) == period
}

fn keep(found: &Found, told: &mut HashSet<Period>) -> bool {
    let memory = &found.memory;
    if memory.grain != Grain::Working && told.contains(&memory.period) {
        return false;
    }
    // A turn tells of its day's summary too, a summary only of what is above it.
    let coarser = Grain::SUMMARIES.into_iter().filter(|grain| *grain > memory.grain);
    told.extend(coarser.map(|grain| memory.period.ancestor(grain)));
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::memory;

    /// Labels in order of rank, `t:` before turns; expects what is left.
    #[track_caller]
    fn check(ranked: &str, expect: &str) {
        check_first(99, ranked, expect);
    }

    #[track_caller]
    fn check_first(limit: usize, ranked: &str, expect: &str) {
        let left = fold(ranked.split_whitespace().map(found).collect(), limit);
        let left: Vec<String> = left.iter().map(|found| found.memory.id.to_string()).collect();
        assert_eq!(left.join(" "), expect);
    }

    fn found(text: &str) -> Found {
        let label = text.strip_prefix("t:");
        let period: Period = label.unwrap_or(text).parse().unwrap();
        let kind = if label.is_some() { Kind::Turn } else { Kind::Summary };
        Found { memory: memory(text, kind, period), score: 0.0, days_outside: 0, parts: Vec::new() }
    }

    #[test]
    fn an_ancestor_below_its_descendant_goes() {
        check("t:2026-03-04 2026-03-04 2026-W10 2026", "t:2026-03-04");
        check("2026-W10 2026-03 2026-W11 2026-Q1", "2026-W10 2026-W11");
    }

    #[test]
    fn an_ancestor_above_its_descendant_stays() {
        check("2026 2026-03 t:2026-03-04 t:2026-03-04", "2026 2026-03 t:2026-03-04 t:2026-03-04");
    }

    #[test]
    fn descendants_yield_only_if_they_are_many() {
        check("2026-W10 2026-03-02 2026-03-03 2026-03-04", "2026-W10 2026-03-02 2026-03-03 2026-03-04");
        check("2026-W10 2026-03-02 2026-03-03 2026-03-04 2026-W11 2026-03-05", "2026-W10 2026-W11");
        check("2026 2026-W10 t:2026-03-02 t:2026-03-03 t:2026-06-04", "2026");
        // Turns of one day do not yield to one of them.
        let turns = ["t:2026-03-02"; 5].join(" ");
        check(&turns, &turns);
        // What lies beyond the limit is no result and crowds nothing; what yields leaves its place.
        check_first(3, "2026-W10 2026-03-02 2026-03-03 2026-03-04 2026-03-05", "2026-W10 2026-03-02 2026-03-03");
        check_first(5, "2026-W10 2026-03-02 2026-03-03 2026-03-04 2026-03-05 t:2026-06-04", "2026-W10 t:2026-06-04");
    }

    #[test]
    fn whats_beside_stays() {
        // 30 March lies in April's first week.
        check("t:2026-03-30 2026-03 2026-04", "t:2026-03-30 2026-03");
    }
}
