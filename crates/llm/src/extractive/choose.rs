//! Chooses the sentences of a summary by content and without repetition, until the budget is used up. Each sentence that is
//! already chosen lowers the value of the others of its child.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use annals_core::Grain;

use super::budget::Budget;
use super::candidates::Candidate;
use super::lines;

/// Penalty for each sentence that was already chosen from the same child. With 1, 75.7 % of LoCoMo's answering turns are
/// quoted, with 1.5 76.4 %.
const HEARD: f64 = 1.5;

/// Returns the indices of the chosen candidates, in order. Their lines are within the budget.
pub(super) fn within(grain: Grain, budget: Budget, pool: &[Candidate]) -> Vec<usize> {
    let mut open = Open::of(pool);
    let mut chosen: BTreeSet<usize> = BTreeSet::new();
    while let Some(index) = open.take_best() {
        let text = |chosen: &BTreeSet<usize>| lines::set(grain, chosen.iter().map(|index| &pool[*index].sentence));
        if pool[index].is_filling && !budget.is_to_fill(&text(&chosen)) {
            break;
        }
        chosen.insert(index);
        let sentences = || chosen.iter().map(|index| &pool[*index].sentence);
        if budget.fits(&lines::set(grain, sentences()), lines::added(grain, sentences())) {
            open.mark_chosen(index);
        } else {
            // Goes on, because a shorter candidate may still fit.
            chosen.remove(&index);
        }
    }
    chosen.into_iter().collect()
}

/// The candidates that have not been tried yet, with the state of the choice.
struct Open<'a> {
    pool: &'a [Candidate],
    untried: Vec<usize>,
    /// Per candidate, the worth that its words add, without words that a chosen sentence contains.
    values: Vec<f64>,
    /// Per candidate, its words as numbers, each with its worth.
    words: Vec<Vec<(usize, f64)>>,
    /// Per word, whether a chosen sentence contains it.
    covered: Vec<bool>,
    /// Per child, the number of its chosen sentences.
    heard: BTreeMap<usize, usize>,
}

impl Open<'_> {
    fn of(pool: &[Candidate]) -> Open<'_> {
        let (words, different) = numbered(pool);
        Open {
            pool,
            untried: (0..pool.len()).collect(),
            values: pool.iter().map(|candidate| candidate.worth.full()).collect(),
            words,
            covered: vec![false; different],
            heard: BTreeMap::new(),
        }
    }

    /// Takes out the next candidate to try: the one with the highest value, reduced by the number of chosen sentences of its
    /// child. Candidates that only fill a short summary and notes of small talk come last.
    fn take_best(&mut self) -> Option<usize> {
        let position =
            (0..self.untried.len()).min_by(|one, other| self.order(self.untried[*one], self.untried[*other]))?;
        Some(self.untried.swap_remove(position))
    }

    /// Compares two candidates. Notes of small talk come last, and before them those that only fill a short summary. Among
    /// equals, a higher weight comes first, then an earlier position.
    fn order(&self, one: usize, other: usize) -> Ordering {
        let is_small_talk = |index: usize| self.words[index].is_empty();
        is_small_talk(one)
            .cmp(&is_small_talk(other))
            .then(self.pool[one].is_filling.cmp(&self.pool[other].is_filling))
            .then(self.weight(other).total_cmp(&self.weight(one)))
            .then(one.cmp(&other))
    }

    fn weight(&self, index: usize) -> f64 {
        let heard = self.heard.get(&self.pool[index].child).copied().unwrap_or_default();
        self.values[index] / (1.0 + HEARD * heard as f64)
    }

    /// Records that the candidate is chosen: its words add no more value to others, and its child counts one more. Removes the
    /// candidates that begin with the same sentence, and those that add nothing new.
    fn mark_chosen(&mut self, index: usize) {
        *self.heard.entry(self.pool[index].child).or_default() += 1;
        for (word, _) in &self.words[index] {
            self.covered[*word] = true;
        }
        for untried in &self.untried {
            let news = self.words[*untried].iter().filter(|(word, _)| !self.covered[*word]);
            self.values[*untried] = self.pool[*untried].worth.of_words(news.map(|(_, worth)| worth).sum());
        }
        let (child, position) = (self.pool[index].child, self.pool[index].position);
        self.untried.retain(|index| (self.pool[*index].child, self.pool[*index].position) != (child, position));
        // A sentence that only repeats is never chosen, even if there is room.
        self.untried.retain(|index| self.values[*index] > 0.0 || self.words[*index].is_empty());
    }
}

/// Returns each candidate's words as numbers, and the number of different words.
fn numbered(pool: &[Candidate]) -> (Vec<Vec<(usize, f64)>>, usize) {
    let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
    let mut number = |word| {
        let next = numbers.len();
        *numbers.entry(word).or_insert(next)
    };
    let mut words = Vec::with_capacity(pool.len());
    for candidate in pool {
        words.push(candidate.worth.words.iter().map(|(word, worth)| (number(word.as_str()), *worth)).collect());
    }
    (words, numbers.len())
}
