//! Step 2: an answer often stands beside the words that the question has, "Where did you go?" "To Kyoto!", so each turn is
//! given a share of the scores of the turns before and after it in its conversation.

use super::Row;
use crate::Weights;
use crate::score::Part;

/// Adds the shares, and leaves the rows in the order in which they were said. Rows that were not found, in a table too large to be
/// scored whole, give none.
pub(crate) fn neighbours(rows: &mut [Row], weights: &Weights) {
    // The rows are long, and so each is moved once.
    rows.sort_by_cached_key(|row| row.seats);
    let scores: Vec<f64> = rows.iter().map(|row| row.score.total()).collect();
    for place in 1..rows.len() {
        let (before, after) = (place - 1, place);
        if !follow(&rows[before], &rows[after]) {
            continue;
        }
        rows[after].score.add(Part::Neighbours, weights.before * scores[before]);
        rows[before].score.add(Part::Neighbours, weights.after * scores[after]);
    }
}

/// Whether the second was said right after the first.
pub(super) fn follow(before: &Row, after: &Row) -> bool {
    let seats = before.seats.zip(after.seats);
    seats.is_some_and(|((_, before), (after, _))| {
        before.conversation == after.conversation && before.place + 1 == after.place
    })
}

#[cfg(test)]
mod tests {
    use annals_core::MemoryId;
    use annals_core::ports::Seat;

    use super::*;
    use crate::score::Score;

    /// Rows as `conversation:place:score`, `-` for no conversation; expects what each turn is given, in order of id.
    #[track_caller]
    fn check(rows: &str, expect: &[f64]) {
        let mut rows: Vec<Row> = rows.split(' ').enumerate().map(|(place, text)| row(place, text)).collect();
        let weights = Weights { before: 0.5, after: 0.25, ..Weights::default() };
        let before: Vec<(MemoryId, f64)> = rows.iter().map(|row| (row.memory.clone(), row.score.total())).collect();
        neighbours(&mut rows, &weights);
        let given =
            before.iter().map(|(id, score)| rows.iter().find(|row| row.memory == *id).unwrap().score.total() - score);
        assert_eq!(given.collect::<Vec<_>>(), expect);
    }

    fn row(place: usize, text: &str) -> Row {
        let fields: Vec<&str> = text.split(':').collect();
        let mut score = Score::default();
        score.add(Part::Vector, fields[2].parse().unwrap());
        Row {
            memory: MemoryId::from_text(place.to_string()),
            seats: fields[0]
                .parse()
                .ok()
                .map(|conversation| Seat { conversation, place: fields[1].parse().unwrap() })
                .map(|seat| (seat, seat)),
            matched: 0,
            score,
        }
    }

    #[test]
    fn turns_beside_each_other_share() {
        check("0:1:4 0:2:8 0:3:0", &[2.0, 2.0, 4.0]);
        check("0:3:0 0:1:4 0:2:8", &[4.0, 2.0, 2.0]);
    }

    #[test]
    fn other_conversations_and_summaries_do_not() {
        check("0:1:4 1:2:8", &[0.0, 0.0]);
        check("-:1:4 -:2:8", &[0.0, 0.0]);
        check("0:1:4", &[0.0]);
        // What stands between them was not found.
        check("0:1:4 0:3:8", &[0.0, 0.0]);
    }
}
