//! Step 1: from what the two legs found in one table to one row per memory.
//!
//! A weighted sum of z-scores, not rank fusion: ranks throw away how much better the best one is. A memory counts by its best
//! part. Some imagined rows that have nothing to do with the question count too, so that in a table of three rows a
//! score still says how well a row fits, where the three alone would only say which fits best.

use std::collections::BTreeMap;

use annals_core::MemoryId;
use annals_core::ports::Hit;

use super::Row;
use crate::Weights;
use crate::score::{Part, Score};

/// How many rows are imagined; among hundreds of real ones they do not show.
const IMAGINED: f64 = 8.0;
/// Similarities of texts without anything in common, with the bundled model: their mean and spread.
const UNLIKE: (f64, f64) = (0.05, 0.1);
/// Relevances of the same.
const IRRELEVANT: (f64, f64) = (0.0, 1.5);

/// The rows of a table's hits.
pub(crate) fn legs(hits: Vec<Hit>, weights: &Weights) -> Vec<Row> {
    let mut best: BTreeMap<MemoryId, Hit> = BTreeMap::new();
    for hit in hits {
        match best.get_mut(&hit.memory) {
            Some(known) => {
                known.similarity = larger(known.similarity, hit.similarity);
                known.relevance = larger(known.relevance, hit.relevance);
                known.matched |= hit.matched;
            }
            None => drop(best.insert(hit.memory.clone(), hit)),
        }
    }
    let hits: Vec<Hit> = best.into_values().collect();
    let similarity = standard(hits.iter().map(|hit| hit.similarity), UNLIKE);
    let relevance = standard(hits.iter().map(|hit| hit.relevance), IRRELEVANT);
    let scores = similarity.into_iter().zip(relevance);
    hits.into_iter()
        .zip(scores)
        .map(|(hit, (similarity, relevance))| {
            let mut score = Score::default();
            score.add(Part::Vector, weights.vector * similarity);
            score.add(Part::Words, weights.words * relevance);
            Row { memory: hit.memory, conversation: hit.conversation, at: hit.at, matched: hit.matched, score }
        })
        .collect()
}

fn larger(a: Option<f32>, b: Option<f32>) -> Option<f32> {
    [a, b].into_iter().flatten().reduce(f32::max)
}

/// Distances from the mean in standard deviations; nothing at all where no row was found. A row that this leg did not find
/// is given the worst that it found, or what unlike texts come to if that is less: no more is known of it.
fn standard(found: impl Iterator<Item = Option<f32>>, (unlike, spread): (f64, f64)) -> Vec<f64> {
    let found: Vec<Option<f32>> = found.collect();
    let worst = found.iter().flatten().copied().reduce(f32::min).map(f64::from);
    let Some(worst) = worst else { return vec![0.0; found.len()] };
    let missing = worst.min(unlike);
    let values: Vec<f64> = found.into_iter().map(|value| value.map_or(missing, f64::from)).collect();
    let count = values.len() as f64 + IMAGINED;
    let mean = (values.iter().sum::<f64>() + IMAGINED * unlike) / count;
    let imagined = IMAGINED * (spread.powi(2) + (unlike - mean).powi(2));
    let squares = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() + imagined;
    let spread = (squares / count).sqrt();
    values.into_iter().map(|value| (value - mean) / spread).collect()
}

#[cfg(test)]
mod tests {
    use annals_core::Timestamp;

    use super::*;

    /// Hits as `id:similarity:relevance`, `-` where a leg did not find it; expects ids, best first.
    #[track_caller]
    fn check(hits: &str, expect: &str) {
        let mut rows = legs(hits.split_whitespace().map(hit).collect(), &Weights::default());
        super::super::sort(&mut rows);
        let order: Vec<String> = rows.iter().map(|row| row.memory.to_string()).collect();
        assert_eq!(order.join(" "), expect);
    }

    fn hit(text: &str) -> Hit {
        let fields: Vec<&str> = text.split(':').collect();
        Hit {
            memory: MemoryId::from_text(fields[0]),
            part: 0,
            conversation: None,
            at: Timestamp::UNIX_EPOCH,
            similarity: fields[1].parse().ok(),
            relevance: fields[2].parse().ok(),
            matched: 0,
        }
    }

    #[test]
    fn what_both_legs_found_wins() {
        check("a:0.9:- b:0.8:7 c:-:8 d:0.1:1", "b a c d");
    }

    #[test]
    fn one_leg_alone_decides_if_the_other_is_silent() {
        check("a:0.2:- b:0.9:- c:0.5:-", "b c a");
        check("a:-:2 b:-:9", "b a");
    }

    #[test]
    fn equals_stay_in_the_order_of_ids() {
        check("b:0.5:1 a:0.5:1", "a b");
        check("", "");
    }

    #[test]
    fn a_memory_counts_by_its_best_part() {
        check("a:0.1:1 b:0.5:5 a:0.9:9", "a b");
    }

    #[test]
    fn a_lone_row_is_judged_by_what_it_is() {
        let alone = |text| legs(vec![hit(text)], &Weights::default())[0].score.total();
        assert!(alone("a:0.8:9") > alone("a:0.3:2") && alone("a:0.3:2") > alone("a:0.05:-"));
        assert!(alone("a:0.05:-").abs() < 1e-6);
    }
}
