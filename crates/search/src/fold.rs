//! Folding by the calendar: a summary that stands below one of its own days, weeks or months says nothing new. Pure.

use std::collections::HashSet;

use annals_core::{Found, Grain, Period};

/// Drops each summary of which a descendant ranks above it. Keeps the order.
pub(crate) fn fold(ranked: Vec<Found>) -> Vec<Found> {
    let mut told: HashSet<Period> = HashSet::new();
    ranked.into_iter().filter(|found| keep(found, &mut told)).collect()
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
    use annals_core::{Kind, Memory, MemoryId, Zones};

    use super::*;

    /// Labels in order of rank, `t:` before turns; expects what is left.
    #[track_caller]
    fn check(ranked: &str, expect: &str) {
        let left = fold(ranked.split_whitespace().map(found).collect());
        let left: Vec<String> = left.iter().map(|found| found.memory.id.to_string()).collect();
        assert_eq!(left.join(" "), expect);
    }

    fn found(text: &str) -> Found {
        let label = text.strip_prefix("t:");
        let period: Period = label.unwrap_or(text).parse().unwrap();
        let (grain, kind) =
            if label.is_some() { (Grain::Working, Kind::Turn) } else { (period.grain(), Kind::Summary) };
        let memory = Memory {
            id: MemoryId::from_text(text),
            grain,
            kind,
            period,
            cover: Zones::new("UTC").unwrap().cover(period),
            days: period.cover_days(),
            text: String::new(),
            speaker: None,
            role: None,
            conversation: None,
            message: None,
            sentences: Vec::new(),
            sources: Vec::new(),
            importance: None,
            pinned: false,
            seq: 0,
        };
        Found { memory, score: 0.0, days_outside: 0, parts: Vec::new() }
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
    fn whats_beside_stays() {
        // 30 March lies in April's first week.
        check("t:2026-03-30 2026-03 2026-04", "t:2026-03-30 2026-03");
    }
}
