//! Drops results that another result covers. A summary is dropped if a finer memory that it covers ranks above it. The finer
//! summaries of a coarse summary are dropped if there are many of them, because the coarse summary says the same in one place.
//! A text that occurs in two grains is shown once. Only the best passages of a document are shown. Pure.
//!
//! Turns are never dropped.

use std::collections::{HashMap, HashSet};

use annals_core::ports::DocumentKey;
use annals_core::{Found, Grain, Kind, MemoryId, Period, folded};

/// Finer summaries of one coarse summary are dropped if there are more than this many among the results.
const MAX_SIBLINGS: usize = 3;

/// Maximum number of passages of one document among the results. Further passages would say more of the same.
const MAX_PASSAGES: usize = 3;

/// Returns the first `limit` results in their order, after dropping repeated texts, further passages of a document, summaries
/// that rank below a finer memory of their period, and the finer summaries of a summary that has too many of them. Summaries in
/// `requested` are never dropped as repeats or for a finer memory.
pub(crate) fn drop_covered(ranked: Vec<Found>, limit: usize, requested: &HashSet<MemoryId>) -> Vec<Found> {
    let mut covered: HashSet<Period> = HashSet::new();
    let ranked = without_crowds(without_repeats(ranked, requested)).into_iter();
    let mut left: Vec<Found> = ranked.filter(|found| keep(found, &mut covered, requested)).collect();
    while let Some(crowded) = crowded(&left[..left.len().min(limit)]) {
        left.retain(|found| !is_summary_within(found, crowded));
    }
    left.truncate(limit);
    left
}

/// Drops each summary with the text of a turn, statement or passage, or of a higher-ranked result of another grain, unless it
/// is in `requested`.
fn without_repeats(ranked: Vec<Found>, requested: &HashSet<MemoryId>) -> Vec<Found> {
    let text = |found: &Found| folded(found.memory.text.trim());
    if ranked.iter().all(|found| found.memory.kind() != Kind::Summary) {
        return ranked;
    }
    let is_working = |found: &&Found| found.memory.grain == Grain::Working;
    let turns: HashSet<String> = ranked.iter().filter(is_working).map(text).collect();
    let mut shown: HashMap<String, Grain> = HashMap::new();
    let keep = |found: &Found| {
        let (text, grain) = (text(found), found.memory.grain);
        let is_repeat = shown.get(&text).is_some_and(|other| *other != grain) || turns.contains(&text);
        shown.entry(text).or_insert(grain);
        grain == Grain::Working || !is_repeat || requested.contains(&found.memory.id)
    };
    let mut keep = keep;
    ranked.into_iter().filter(|found| keep(found)).collect()
}

/// Drops all but the best passages of each document.
fn without_crowds(mut ranked: Vec<Found>) -> Vec<Found> {
    let mut shown: HashMap<DocumentKey, usize> = HashMap::new();
    ranked.retain(|found| {
        let Some(document) = found.memory.document() else { return true };
        let count = shown.entry(document.clone()).or_default();
        *count += 1;
        *count <= MAX_PASSAGES
    });
    ranked
}

/// Returns the period of the first summary that has too many finer summaries among these results.
fn crowded(results: &[Found]) -> Option<Period> {
    let mut summaries =
        results.iter().filter(|found| found.memory.kind() == Kind::Summary).map(|found| found.memory.period);
    summaries.find(|period| results.iter().filter(|found| is_summary_within(found, *period)).count() > MAX_SIBLINGS)
}

fn is_summary_within(found: &Found, period: Period) -> bool {
    let memory = &found.memory;
    memory.kind() == Kind::Summary && memory.grain < period.grain() && memory.period.ancestor(period.grain()) == period
}

fn keep(found: &Found, covered: &mut HashSet<Period>, requested: &HashSet<MemoryId>) -> bool {
    let memory = &found.memory;
    if memory.grain != Grain::Working && covered.contains(&memory.period) && !requested.contains(&memory.id) {
        return false;
    }
    // A turn is covered by the summary of its own day and by coarser ones; a summary only by coarser ones.
    let coarser = Grain::SUMMARIES.into_iter().filter(|grain| *grain > memory.grain);
    covered.extend(coarser.map(|grain| memory.period.ancestor(grain)));
    true
}

#[cfg(test)]
mod tests {
    use annals_core::{Fit, Role};

    use super::*;
    use crate::fixture::{memory, summarized, turn_body};

    /// Drops covered results from `ranked`, given as labels in order of rank with `t:` before turns, and expects these results
    /// to be left.
    #[track_caller]
    fn check(ranked: &str, expect: &str) {
        check_first(99, ranked, expect);
    }

    #[track_caller]
    fn check_first(limit: usize, ranked: &str, expect: &str) {
        let left = drop_covered(ranked.split_whitespace().map(found).collect(), limit, &HashSet::new());
        let left: Vec<String> = left.iter().map(|found| found.memory.id.to_string()).collect();
        assert_eq!(left.join(" "), expect);
    }

    fn found(text: &str) -> Found {
        let label = text.strip_prefix("t:");
        let period: Period = label.unwrap_or(text).parse().unwrap();
        let body = if label.is_some() { turn_body("Ann", Role::User) } else { summarized() };
        let mut memory = memory(text, period, body);
        memory.text = text.to_owned();
        Found { memory, score: 0.0, fit: Fit::default(), days_outside: 0, parts: Vec::new() }
    }

    #[test]
    fn summary_below_its_descendant_is_dropped() {
        check("t:2026-03-04 2026-03-04 2026-W10 2026", "t:2026-03-04");
        check("2026-W10 2026-03 2026-W11 2026-Q1", "2026-W10 2026-W11");
    }

    #[test]
    fn summary_above_its_descendant_is_kept() {
        check("2026 2026-03 t:2026-03-04 t:2026-03-04", "2026 2026-03 t:2026-03-04 t:2026-03-04");
    }

    #[test]
    fn document_shows_its_best_passages_only() {
        let passage = |key: &str, ordinal: u32| {
            let document = DocumentKey { collection: "notes".into(), key: key.into() };
            let mut found = found("t:2026-03-04");
            let passage = annals_core::ports::Passage { start: 0, end: 1 };
            found.memory.body = annals_core::Body::Passage { document, ordinal, passage, expires_at: None };
            found.memory.text = format!("{key}{ordinal}");
            found
        };
        let ranked = [("a", 5), ("a", 2), ("b", 0), ("a", 0), ("a", 1), ("b", 1)];
        let left = drop_covered(ranked.map(|(key, ordinal)| passage(key, ordinal)).to_vec(), 99, &HashSet::new());
        let left: Vec<&str> = left.iter().map(|found| found.memory.text.as_str()).collect();
        assert_eq!(left, ["a5", "a2", "b0", "a0", "b1"]);
    }

    #[test]
    fn finer_summaries_are_dropped_only_if_there_are_many() {
        check("2026-W10 2026-03-02 2026-03-03 2026-03-04", "2026-W10 2026-03-02 2026-03-03 2026-03-04");
        check("2026-W10 2026-03-02 2026-03-03 2026-03-04 2026-W11 2026-03-05", "2026-W10 2026-W11");
        check("2026 2026-W10 2026-03-12 2026-03-13 2026-06-04", "2026");
        // Turns are not dropped in favour of a summary.
        check(
            "2026 t:2026-03-04 t:2026-03-02 t:2026-03-03 t:2026-06-04",
            "2026 t:2026-03-04 t:2026-03-02 t:2026-03-03 t:2026-06-04",
        );
        // Turns of one day are not dropped in favour of one of them.
        let turn_body = ["t:2026-03-02"; 5].join(" ");
        check(&turn_body, &turn_body);
        // Results beyond the limit do not count as siblings. The next result takes the place of a dropped one.
        check_first(3, "2026-W10 2026-03-02 2026-03-03 2026-03-04 2026-03-05", "2026-W10 2026-03-02 2026-03-03");
        check_first(5, "2026-W10 2026-03-02 2026-03-03 2026-03-04 2026-03-05 t:2026-06-04", "2026-W10 t:2026-06-04");
    }

    #[test]
    fn text_of_two_grains_is_shown_once_preferring_the_turn() {
        fn check(ranked: &[(&str, &str)], requested: &str, expect: &[&str]) {
            let found = |(label, text): &(&str, &str)| {
                let mut found = found(label);
                found.memory.text = (*text).to_owned();
                found
            };
            let requested = HashSet::from([MemoryId::from_text(requested)]);
            let left = drop_covered(ranked.iter().map(found).collect(), 99, &requested);
            let left: Vec<String> = left.iter().map(|found| found.memory.id.to_string()).collect();
            assert_eq!(left, expect, "{ranked:?}");
        }
        check(&[("2026-W10", "a"), ("2026-03", "A ")], "", &["2026-W10"]);
        check(&[("2026-03", "a"), ("2026-W10", "a")], "", &["2026-03"]);
        check(&[("2026-W10", "a"), ("t:2026-03-04", "a")], "", &["t:2026-03-04"]);
        check(&[("2026-W10", "a"), ("t:2026-03-04", "a")], "2026-W10", &["2026-W10", "t:2026-03-04"]);
        check(&[("t:2026-03-04", "a"), ("t:2026-03-05", "a")], "", &["t:2026-03-04", "t:2026-03-05"]);
        check(&[("2026-W10", "a"), ("2026-W11", "a")], "", &["2026-W10", "2026-W11"]);
    }

    #[test]
    fn summary_that_covers_no_result_is_kept() {
        // 30 March is in the first week of April.
        check("t:2026-03-30 2026-03 2026-04", "t:2026-03-30 2026-03");
    }
}
