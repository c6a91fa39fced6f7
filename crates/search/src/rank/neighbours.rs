//! Step 2: each turn gets a share of the scores of the turns right before and after it in its conversation, because the answer
//! often comes right after a turn that has the words of the question: "Where did you go?" "To Kyoto!"
//!
//! If a row has no neighbour on one side, such as a note or the first turn, its own score takes the neighbour's place, so that
//! a missing neighbour is neither a gain nor a loss.

use super::Row;
use crate::Weights;
use crate::score::Part;

/// Adds the shares of the neighbours' scores. Sorts the rows by conversation and position. In a table too large to be scored
/// completely, a neighbour that was not found counts as missing.
pub(crate) fn neighbours(rows: &mut [Row], weights: &Weights) {
    // Rows are large, so the cached sort moves each one once.
    rows.sort_by_cached_key(|row| row.positions);
    let scores: Vec<f64> = rows.iter().map(|row| row.score.total()).collect();
    for index in 0..rows.len() {
        let has_before = index > 0 && follow(&rows[index - 1], &rows[index]);
        let has_after = index + 1 < rows.len() && follow(&rows[index], &rows[index + 1]);
        let before = scores[if has_before { index - 1 } else { index }];
        let after = scores[if has_after { index + 1 } else { index }];
        rows[index].score.add(Part::Neighbours, weights.before * before + weights.after * after);
    }
}

/// Returns whether the second row directly follows the first in the same conversation.
pub(super) fn follow(before: &Row, after: &Row) -> bool {
    let positions = before.positions.zip(after.positions);
    positions.is_some_and(|((_, before), (after, _))| {
        before.conversation == after.conversation && before.index + 1 == after.index
    })
}

#[cfg(test)]
mod tests {
    use annals_core::ports::Position;
    use annals_core::{Fit, MemoryId};

    use super::*;
    use crate::score::Score;

    /// Scores rows given as `conversation:index:score`, with `-` for no conversation. Expects the gain of each row, in the
    /// order given.
    #[track_caller]
    fn check(rows: &str, expect: &[f64]) {
        let mut rows: Vec<Row> = rows.split(' ').enumerate().map(|(index, text)| row(index, text)).collect();
        let weights = Weights { before: 0.5, after: 0.25, ..Weights::default() };
        let before: Vec<(MemoryId, f64)> = rows.iter().map(|row| (row.memory.clone(), row.score.total())).collect();
        neighbours(&mut rows, &weights);
        let gained =
            before.iter().map(|(id, score)| rows.iter().find(|row| row.memory == *id).unwrap().score.total() - score);
        assert_eq!(gained.collect::<Vec<_>>(), expect);
    }

    fn row(index: usize, text: &str) -> Row {
        let fields: Vec<&str> = text.split(':').collect();
        let mut score = Score::default();
        score.add(Part::Vector, fields[2].parse().unwrap());
        Row {
            memory: MemoryId::from_text(index.to_string()),
            positions: fields[0]
                .parse()
                .ok()
                .map(|conversation| Position { conversation, index: fields[1].parse().unwrap() })
                .map(|position| (position, position)),
            matched: 0,
            fit: Fit::default(),
            score,
        }
    }

    #[test]
    fn adjacent_turns_share_scores() {
        check("0:1:4 0:2:8 0:3:0", &[4.0, 2.0, 4.0]);
        check("0:3:0 0:1:4 0:2:8", &[4.0, 4.0, 2.0]);
    }

    #[test]
    fn row_without_a_neighbour_counts_as_its_own() {
        check("0:1:4 1:2:8", &[3.0, 6.0]);
        check("-:1:4 -:2:8", &[3.0, 6.0]);
        check("0:1:4", &[3.0]);
        // The turn between these two was not found.
        check("0:1:4 0:3:8", &[3.0, 6.0]);
    }
}
