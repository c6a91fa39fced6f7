//! Finds the rows nearest to each question by comparing all of them in full precision: the reference for any index.

use std::ops::Range;
use std::thread;

use lance_linalg::distance::dot;

use super::row_vectors::RowVectors;

/// Number of nearest rows that are found for a question, besides ties.
pub(crate) const WANTED: usize = 10;
/// Rows with a similarity this close to that of the tenth row count as ties. Summing in another order changes a similarity by
/// less. Many texts that differ only in capitals have the same vector.
const TIE: f32 = 1e-6;
/// Rows compared with all questions before the next block is generated: 150 kB, which stay in the processor cache.
const BLOCK: usize = 96;

/// The rows nearest to one question, including ties.
#[derive(Clone, Default)]
pub(crate) struct Nearest {
    /// The nearest among all rows.
    pub all: Vec<usize>,
    /// The nearest among the rows in the range.
    pub in_range: Vec<usize>,
}

/// Returns the rows nearest to each question vector. `in_range` holds one flag per row.
pub(crate) fn nearest(vectors: &RowVectors, in_range: &[bool], questions: &[Vec<f32>]) -> Vec<Nearest> {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let share = in_range.len().div_ceil(threads).max(1);
    let mut best: Vec<[Best; 2]> = vec![Default::default(); questions.len()];
    thread::scope(|scope| {
        let work = |start: usize| {
            let rows = start..(start + share).min(in_range.len());
            scope.spawn(move || compare(vectors, in_range, questions, rows))
        };
        let workers: Vec<_> = (0..in_range.len()).step_by(share).map(work).collect();
        for worker in workers {
            let found = worker.join().expect("comparing numbers does not panic");
            for (best, found) in best.iter_mut().zip(found) {
                best.iter_mut().zip(found).for_each(|(best, found)| best.merge(found));
            }
        }
    });
    let done = |[all, in_range]: [Best; 2]| Nearest { all: all.rows(), in_range: in_range.rows() };
    best.into_iter().map(done).collect()
}

fn compare(vectors: &RowVectors, in_range: &[bool], questions: &[Vec<f32>], rows: Range<usize>) -> Vec<[Best; 2]> {
    let mut best: Vec<[Best; 2]> = vec![Default::default(); questions.len()];
    for start in rows.clone().step_by(BLOCK) {
        let block: Vec<(usize, Vec<f32>)> =
            (start..(start + BLOCK).min(rows.end)).map(|row| (row, vectors.of_row(row))).collect();
        for (question, [all, within]) in questions.iter().zip(&mut best) {
            for (row, vector) in &block {
                let similarity = dot(question, vector);
                all.add(similarity, *row);
                if in_range[*row] {
                    within.add(similarity, *row);
                }
            }
        }
    }
    best
}

/// The best rows so far.
#[derive(Clone, Default)]
struct Best {
    found: Vec<(f32, usize)>,
    /// Minimum similarity. Rows below it are dropped.
    least: Option<f32>,
    /// Number of rows that are collected before the next sort.
    room: usize,
}

impl Best {
    fn add(&mut self, similarity: f32, row: usize) {
        if self.least.is_some_and(|least| similarity < least) {
            return;
        }
        self.found.push((similarity, row));
        if self.found.len() > self.room {
            self.prune();
        }
    }

    fn merge(&mut self, other: Best) {
        self.found.extend(other.found);
        self.prune();
    }

    fn prune(&mut self) {
        self.found.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        if let Some((tenth, _)) = self.found.get(WANTED - 1) {
            let least = tenth - TIE;
            self.found.retain(|(similarity, _)| *similarity >= least);
            self.least = Some(least);
        }
        self.room = self.found.len() * 2 + WANTED * 2;
    }

    fn rows(mut self) -> Vec<usize> {
        self.prune();
        self.found.into_iter().map(|(_, row)| row).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use annals_core::{Agent, Message, Role, Timestamp};

    use super::*;
    use crate::input::Messages;
    use crate::scale::rows::Rows;

    /// Returns rows of 40 texts with vectors of three numbers that differ widely.
    fn vectors(count: usize) -> RowVectors {
        let message = |number: usize| Message {
            conversation: "c".into(),
            client_id: None,
            role: Role::User,
            name: None,
            content: format!("this is the text with number {number}"),
            at: Timestamp::UNIX_EPOCH,
        };
        let messages = Messages::from([(Agent::new("a").unwrap(), (0..40).map(message).collect())]);
        let rows = Arc::new(Rows::new(&messages, count, |_| true).unwrap());
        let base = |number: usize| {
            let (up, side) = (number as f32 * 0.37).sin_cos();
            vec![up * 0.6, side * 0.6, 0.8]
        };
        RowVectors::new(rows, "m", (0..40).map(base).collect())
    }

    #[test]
    fn result_equals_sorting_all_rows() {
        let (vectors, questions) = (vectors(1000), [vec![0.0, 0.6, 0.8], vec![1.0, 0.0, 0.0]]);
        let in_range: Vec<bool> = (0..1000).map(|row| row % 10 == 3).collect();
        let sorted = |question: &[f32], rows: Vec<usize>| {
            let mut scored: Vec<(f32, usize)> =
                rows.into_iter().map(|row| (dot(question, &vectors.of_row(row)), row)).collect();
            scored.sort_by(|a, b| b.0.total_cmp(&a.0));
            scored.into_iter().take(WANTED).map(|(_, row)| row).collect::<Vec<_>>()
        };
        for (found, question) in nearest(&vectors, &in_range, &questions).iter().zip(&questions) {
            assert_eq!(found.all[..WANTED], sorted(question, (0..1000).collect()));
            assert_eq!(found.in_range[..WANTED], sorted(question, (3..1000).step_by(10).collect()));
        }
    }

    #[test]
    fn ten_best_rows_and_ties_with_the_tenth_are_kept() {
        let check = |similarities: &[f32], expect: &[usize]| {
            let mut best = Best::default();
            similarities.iter().zip(0..).for_each(|(similarity, row)| best.add(*similarity, row));
            assert_eq!(best.rows(), expect);
        };
        check(&[0.1, 0.3, 0.2], &[1, 2, 0]);
        let rising: Vec<f32> = (0..1000_u16).map(|number| f32::from(number) / 1000.0).collect();
        check(&rising, &(990..1000).rev().collect::<Vec<_>>());
        let mut level = vec![0.5; 100];
        level[7] = 0.6;
        check(&level, &std::iter::once(7).chain((0..100).filter(|row| *row != 7)).collect::<Vec<_>>());
    }
}
