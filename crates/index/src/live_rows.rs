//! The rows of a table that were not removed, with the time range of each block of rows. Turns arrive in order of time, so most
//! blocks lie wholly inside or wholly outside a range.

use annals_core::Interval;

use crate::bitmap::{BLOCK, RowBitmap};

#[derive(Default)]
pub(crate) struct LiveRows {
    all: RowBitmap,
    bounds: Vec<Bounds>,
}

/// The earliest and latest start, and the earliest and latest end, of the rows of a block, removed ones included.
struct Bounds {
    starts: (i64, i64),
    ends: (i64, i64),
}

impl LiveRows {
    /// Adds the next row, which covers the time from `start` up to `end`, in microseconds.
    pub(crate) fn push(&mut self, (start, end): (i64, i64)) {
        self.all.push(true);
        if self.bounds.len() < self.all.blocks().len() {
            self.bounds.push(Bounds { starts: (start, start), ends: (end, end) });
        }
        if let Some(bounds) = self.bounds.last_mut() {
            bounds.starts = (bounds.starts.0.min(start), bounds.starts.1.max(start));
            bounds.ends = (bounds.ends.0.min(end), bounds.ends.1.max(end));
        }
    }

    pub(crate) fn remove(&mut self, row: usize) {
        self.all.clear(row);
    }

    /// Returns all rows that were not removed.
    pub(crate) fn all(&self) -> &RowBitmap {
        &self.all
    }

    /// Returns the live rows that overlap a range. If a block lies across an edge of the range, `overlaps` decides for
    /// each of its rows.
    pub(crate) fn within(&self, range: Interval, overlaps: impl Fn(usize) -> bool) -> RowBitmap {
        let (from, to) = (range.start.as_microsecond(), range.end.as_microsecond());
        let blocks = self.all.blocks().iter().zip(&self.bounds).enumerate().map(|(block, (live, bounds))| {
            if bounds.ends.1 <= from || to <= bounds.starts.0 {
                return 0;
            }
            if bounds.ends.0 > from && bounds.starts.1 < to {
                return *live;
            }
            let inside = |bit: &usize| live >> bit & 1 == 1 && overlaps(block * BLOCK + bit);
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
        fn range_returns_live_rows_that_overlap_it(
            covers in prop::collection::vec((0..500_i64, 1..50_i64), 1..300),
            gone in 0..300_usize,
            from in 0..500_i64,
            length in 0..200_i64,
        ) {
            let mut live = LiveRows::default();
            let covers: Vec<(i64, i64)> = covers.into_iter().map(|(start, length)| (start, start + length)).collect();
            covers.iter().for_each(|cover| live.push(*cover));
            if gone < covers.len() {
                live.remove(gone);
            }
            let at = |second| Timestamp::from_microsecond(second).unwrap();
            let range = Interval { start: at(from), end: at(from + length) };
            let overlaps = |row: usize| covers[row].0 < from + length && from < covers[row].1;
            let expect: Vec<usize> = (0..covers.len()).filter(|row| *row != gone && overlaps(*row)).collect();
            prop_assert_eq!(live.within(range, overlaps).rows().collect::<Vec<_>>(), expect);
        }
    }
}
