//! Step 6: what says much the same as something above goes down, so that few places are not all taken by one thing.

use std::collections::HashSet;

use super::Ranked;
use crate::Weights;
use crate::question::spaced;
use crate::score::Part;

/// Places that are compared with each other; work grows with the square.
const COMPARED: usize = 60;
/// The share of words in common from which on two texts say the same.
const SAME: f64 = 0.8;
/// Shorter texts are alike by chance, and cost little.
const LEAST_WORDS: usize = 4;

/// Takes from each of the best that repeats one above it. Expects the best first, and leaves them so.
pub(crate) fn repeats(ranked: &mut [Ranked], weights: &Weights) {
    if weights.repeat == 0.0 {
        return;
    }
    let mut told: Vec<HashSet<String>> = Vec::new();
    for row in ranked.iter_mut().take(COMPARED) {
        let words: HashSet<String> = spaced(&row.memory.text).split_whitespace().map(str::to_owned).collect();
        if words.len() < LEAST_WORDS {
            continue;
        }
        if told.iter().any(|other| alike(other, &words) >= SAME) {
            row.score.add(Part::Repeat, weights.repeat);
        } else {
            told.push(words);
        }
    }
    super::sort_ranked(ranked);
}

/// The share of the words of both that both have.
fn alike(a: &HashSet<String>, b: &HashSet<String>) -> f64 {
    if a.len().min(b.len()) * 10 < a.len().max(b.len()) * 8 {
        return 0.0;
    }
    let both = a.intersection(b).count() as f64;
    both / ((a.len() + b.len()) as f64 - both)
}
