//! One score from two: similarity of vectors and relevance of words, each normalised over the candidates, then added.
//!
//! Weighted sum of z-scores, not rank fusion: ranks throw away how much better the best one is. Pure.

use std::collections::BTreeMap;

use annals_core::MemoryId;
use annals_core::ports::Hit;

/// Share of the vector; the words have the rest. Words are the better half on conversations (ARCHITECTURE.md, Fusion).
const VECTOR_SHARE: f64 = 0.4;

/// A memory with its score, by its best part.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Scored {
    pub(crate) memory: MemoryId,
    pub(crate) score: f64,
}

/// Scores every memory that was hit, best first; ties by id, so that the same question has the same answer.
pub(crate) fn fuse(hits: &[Hit]) -> Vec<Scored> {
    let similarity = standardise(hits, |hit| hit.similarity);
    let relevance = standardise(hits, |hit| hit.relevance);
    let mut best: BTreeMap<&MemoryId, f64> = BTreeMap::new();
    for (hit, (similarity, relevance)) in hits.iter().zip(similarity.into_iter().zip(relevance)) {
        let score = VECTOR_SHARE * similarity + (1.0 - VECTOR_SHARE) * relevance;
        let entry = best.entry(&hit.memory).or_insert(score);
        *entry = entry.max(score);
    }
    let mut scored: Vec<Scored> =
        best.into_iter().map(|(memory, score)| Scored { memory: memory.clone(), score }).collect();
    scored.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.memory.cmp(&b.memory)));
    scored
}

/// Distance from the mean in standard deviations. A hit that one leg did not find is given the worst that this leg found:
/// it was not among its best, and no more is known.
fn standardise(hits: &[Hit], score: impl Fn(&Hit) -> Option<f32>) -> Vec<f64> {
    let worst = hits.iter().filter_map(&score).fold(f32::INFINITY, f32::min);
    if worst.is_infinite() {
        return vec![0.0; hits.len()];
    }
    let scores: Vec<f64> = hits.iter().map(|hit| f64::from(score(hit).unwrap_or(worst))).collect();
    let count = scores.len() as f64;
    let mean = scores.iter().sum::<f64>() / count;
    let deviation = (scores.iter().map(|score| (score - mean).powi(2)).sum::<f64>() / count).sqrt();
    // All alike says nothing: no division by what is but rounding.
    let scale = if deviation < 1e-9 { 0.0 } else { 1.0 / deviation };
    scores.into_iter().map(|score| (score - mean) * scale).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hits as `id:similarity:relevance`, `-` where a leg did not find it; expects ids, best first.
    #[track_caller]
    fn check(hits: &str, expect: &str) {
        let hits: Vec<Hit> = hits.split_whitespace().map(hit).collect();
        let order: Vec<String> = fuse(&hits).iter().map(|scored| scored.memory.to_string()).collect();
        assert_eq!(order.join(" "), expect);
    }

    fn hit(text: &str) -> Hit {
        let fields: Vec<&str> = text.split(':').collect();
        let score = |text: &str| text.parse().ok();
        Hit {
            memory: MemoryId::from_text(fields[0]),
            part: 0,
            similarity: score(fields[1]),
            relevance: score(fields[2]),
        }
    }

    #[test]
    fn what_both_legs_found_wins() {
        check("a:0.9:- b:0.8:7 c:-:8 d:0.1:1", "b c a d");
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
}
