//! Which rows are there, and between which instants those of each block lie: turns come in the order of time, so that of a
//! range most blocks are wholly inside or wholly outside.

use annals_core::Interval;

use crate::passing::{BLOCK, Passing};

/// The rows that are there.
#[derive(Default)]
pub struct Living {
    all: Passing,
    bounds: Vec<Bounds>,
}

/// Of the rows of a block the first and the last start, and the first and the last end.
struct Bounds {
    starts: (i64, i64),
    ends: (i64, i64),
}

impl Living {
    /// One more row, that covers from the first instant up to the second.
    pub fn push(&mut self, (start, end): (i64, i64)) {
        self.all.push(true);
        if self.bounds.len() < self.all.blocks().len() {
            self.bounds.push(Bounds { starts: (start, start), ends: (end, end) });
        }
        if let Some(bounds) = self.bounds.last_mut() {
            bounds.starts = (bounds.starts.0.min(start), bounds.starts.1.max(start));
            bounds.ends = (bounds.ends.0.min(end), bounds.ends.1.max(end));
        }
    }

    /// The row is gone.
    pub fn clear(&mut self, row: usize) {
        self.all.clear(row);
    }

    /// All that are there.
    pub fn all(&self) -> &Passing {
        &self.all
    }

    /// Those that share an instant with a range; each is asked where its block lies across the edge.
    pub fn within(&self, range: Interval, overlaps: impl Fn(usize) -> bool) -> Passing {
        let (from, to) = (range.start.as_microsecond(), range.end.as_microsecond());
        let blocks = self.all.blocks().iter().zip(&self.bounds).enumerate().map(|(block, (living, bounds))| {
            if bounds.ends.1 <= from || to <= bounds.starts.0 {
                return 0;
            }
            if bounds.ends.0 > from && bounds.starts.1 < to {
                return *living;
            }
            let inside = |bit: &usize| living >> bit & 1 == 1 && overlaps(block * BLOCK + bit);
            (0..BLOCK).filter(inside).fold(0, |bits, bit| bits | 1 << bit)
        });
        self.all.with(blocks.collect())
    }
}

#[cfg(test)]
mod tests {
    use annals_core::Timestamp;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_range_holds_what_overlaps_it(
            covers in prop::collection::vec((0..500_i64, 1..50_i64), 1..300),
            gone in 0..300_usize,
            from in 0..500_i64,
            length in 0..200_i64,
        ) {
            let mut living = Living::default();
            let covers: Vec<(i64, i64)> = covers.into_iter().map(|(start, length)| (start, start + length)).collect();
            covers.iter().for_each(|cover| living.push(*cover));
            if gone < covers.len() {
                living.clear(gone);
            }
            let at = |second| Timestamp::from_microsecond(second).unwrap();
            let range = Interval { start: at(from), end: at(from + length) };
            let overlaps = |row: usize| covers[row].0 < from + length && from < covers[row].1;
            let expect: Vec<usize> = (0..covers.len()).filter(|row| *row != gone && overlaps(*row)).collect();
            prop_assert_eq!(living.within(range, overlaps).rows().collect::<Vec<_>>(), expect);
        }
    }
}
