//! Quality measures of one ranked list, and their means over many. Pure.

use std::collections::{BTreeMap, HashSet};

use serde_json::{Map, Value};

/// Cut-off ranks.
const CUTS: [usize; 4] = [1, 5, 10, 25];
/// Cut-off rank of the discounted cumulative gain.
const GAIN_AT: usize = 10;

/// Values from 0 to 1, by name.
pub(crate) type Measures = BTreeMap<String, f64>;

/// Returns the names in the order for display.
pub(crate) fn names() -> Vec<String> {
    let at = |name: &'static str| CUTS.map(|cut| format!("{name}@{cut}"));
    let mut names: Vec<String> = at("hit").into_iter().chain(at("recall")).collect();
    names.extend(["recall_all@5".to_owned(), format!("ndcg@{GAIN_AT}"), "mrr".to_owned()]);
    names
}

/// Judges a ranked list without duplicates, best first, against the wanted ids.
pub(crate) fn measure(ranked: &[String], wanted: &HashSet<String>) -> Measures {
    let right: Vec<bool> = ranked.iter().map(|id| wanted.contains(id)).collect();
    let found = |cut: usize| right.iter().take(cut).filter(|right| **right).count() as f64;
    let mut measures = Measures::new();
    for cut in CUTS {
        measures.insert(format!("hit@{cut}"), found(cut).min(1.0));
        measures.insert(format!("recall@{cut}"), found(cut) / wanted.len() as f64);
    }
    measures.insert("recall_all@5".into(), f64::from(found(5) as usize == wanted.len()));
    measures.insert(format!("ndcg@{GAIN_AT}"), gain(&right) / gain(&vec![true; wanted.len()]));
    let first = right.iter().position(|right| *right);
    measures.insert("mrr".into(), first.map_or(0.0, |rank| 1.0 / (rank + 1) as f64));
    measures
}

fn gain(right: &[bool]) -> f64 {
    let ranked = right.iter().take(GAIN_AT).zip(2..);
    ranked.filter(|(right, _)| **right).map(|(_, rank)| 1.0 / f64::from(rank).log2()).sum()
}

/// Returns the means in percent with two decimals.
pub(crate) fn percent<'m>(all: impl IntoIterator<Item = &'m Measures>) -> Map<String, Value> {
    let mut sums: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
    for (name, value) in all.into_iter().flatten() {
        let sum = sums.entry(name).or_default();
        *sum = (sum.0 + value, sum.1 + 1.0);
    }
    let mean = |(sum, count): (f64, f64)| (sum / count * 10_000.0).round() / 100.0;
    sums.into_iter().map(|(name, sum)| (name.to_owned(), mean(sum).into())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(ranked: &str, wanted: &str, name: &str, expect: f64) {
        let ids = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let value = measure(&ids(ranked), &ids(wanted).into_iter().collect())[name];
        assert!((value - expect).abs() < 1e-9, "{name} of {ranked} for {wanted}: {value}");
    }

    #[test]
    fn hits_and_recall_count_up_to_the_cut_off() {
        check("a b c", "b", "hit@1", 0.0);
        check("a b c", "b", "hit@5", 1.0);
        check("a b c d e f", "f a", "hit@5", 1.0);
        check("a b c d e f", "f a", "recall@5", 0.5);
        check("a b c d e f", "f a", "recall@10", 1.0);
        check("a b c d e f", "f a", "recall_all@5", 0.0);
        check("a f c d e b", "f a", "recall_all@5", 1.0);
        check("", "a", "hit@25", 0.0);
    }

    #[test]
    fn gain_is_discounted_by_rank() {
        check("a b", "a", "ndcg@10", 1.0);
        check("b a", "a", "ndcg@10", 1.0 / 3.0_f64.log2());
        check(
            "x a x2 b",
            "a b",
            "ndcg@10",
            (1.0 / 3.0_f64.log2() + 1.0 / 5.0_f64.log2()) / (1.0 + 1.0 / 3.0_f64.log2()),
        );
        check("1 2 3 4 5 6 7 8 9 10 a", "a", "ndcg@10", 0.0);
        check("1 2 a", "a z", "mrr", 1.0 / 3.0);
    }

    #[test]
    fn every_name_is_measured_and_means_are_in_percent() {
        let measured = measure(&["a".into()], &HashSet::from(["a".into()]));
        let names: HashSet<String> = names().into_iter().collect();
        assert_eq!(measured.keys().cloned().collect::<HashSet<_>>(), names);
        let other = measure(&["b".into()], &HashSet::from(["a".into()]));
        assert_eq!(percent([&measured, &measured, &other])["hit@1"], 66.67);
    }
}
