//! Step 2: an answer often stands beside the words that the question has, "Where did you go?" "To Kyoto!", so each turn is
//! given a share of the scores of the turns before and after it in its conversation.

use super::Row;
use crate::Weights;
use crate::score::Part;

/// Adds the shares. Rows that were not found, in a table too large to be scored whole, give none.
pub(crate) fn neighbours(rows: &mut [Row], weights: &Weights) {
    rows.sort_by(|a, b| (&a.conversation, a.at, &a.memory).cmp(&(&b.conversation, b.at, &b.memory)));
    let scores: Vec<f64> = rows.iter().map(|row| row.score.total()).collect();
    for place in 1..rows.len() {
        let (before, after) = (place - 1, place);
        if rows[before].conversation.is_none() || rows[before].conversation != rows[after].conversation {
            continue;
        }
        rows[after].score.add(Part::Neighbours, weights.before * scores[before]);
        rows[before].score.add(Part::Neighbours, weights.after * scores[after]);
    }
}
