//! Step 2: each turn gets a share of the scores of the turns right before and after it in its conversation, because the answer
//! often comes right after a turn that has the words of the question: "Where did you go?" "To Kyoto!"
//!
//! The answer also comes a few turns later, after a remark of somebody else or after another topic: "Where is the key?" "Hi all!"
//! "In the shed". So a turn gains from the best of the three turns before its neighbour.
//!
//! If a row has no neighbour on one side, such as a note or the first turn, its own score takes the neighbour's place, so that
//! a missing neighbour is neither a gain nor a loss.

use super::Row;
use crate::Weights;
use crate::score::Part;

/// Number of turns before the previous one of which the best counts.
const EARLIER: u32 = 3;

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
        let earlier = best_earlier(rows, &scores, index).unwrap_or(scores[index]).max(0.0);
        let gain = weights.before * before + weights.after * after + weights.earlier * earlier;
        rows[index].score.add(Part::Neighbours, gain);
    }
}

/// Returns the best score of the [`EARLIER`] turns before the previous one; `None` if the conversation has none there.
fn best_earlier(rows: &[Row], scores: &[f64], index: usize) -> Option<f64> {
    let own = rows[index].positions?.0;
    let distance = |row: &Row| {
        let last = row.positions.filter(|(_, last)| last.conversation == own.conversation)?.1;
        own.index.checked_sub(last.index)
    };
    let is_near = |place: &usize| distance(&rows[*place]).is_some_and(|distance| distance <= EARLIER + 1);
    let places = (0..index).rev().take_while(is_near);
    places.filter(|place| distance(&rows[*place]) > Some(1)).map(|place| scores[place]).max_by(f64::total_cmp)
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
        check_with(rows, expect, &Weights { before: 0.5, after: 0.25, earlier: 0.0, ..Weights::default() });
    }

    #[track_caller]
    fn check_with(rows: &str, expect: &[f64], weights: &Weights) {
        let mut rows: Vec<Row> = rows.split(' ').enumerate().map(|(index, text)| row(index, text)).collect();
        let before: Vec<(MemoryId, f64)> = rows.iter().map(|row| (row.memory.clone(), row.score.total())).collect();
        neighbours(&mut rows, weights);
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
    fn turn_gains_from_the_best_of_three_earlier_turns() {
        let weights = Weights { before: 0.0, after: 0.0, earlier: 0.5, ..Weights::default() };
        check_with("0:1:4 0:2:2 0:3:1 0:4:1 0:5:1 0:6:0", &[2.0, 1.0, 2.0, 2.0, 2.0, 1.0], &weights);
        // Without earlier turns, and in another conversation, the own score counts.
        check_with("0:1:4 1:2:2 1:3:1 -:4:6", &[2.0, 1.0, 0.5, 3.0], &weights);
        // Scores below the mean take nothing away.
        check_with("0:1:-4 0:2:2 0:3:1", &[0.0, 1.0, 0.0], &weights);
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
