//! The two passes over a large table: the first compares the signs of every row with the query's, the second compares the whole
//! vectors of the rows that differ in few signs. Each pass runs in pieces on all cores.

use annals_core::ones;
use rayon::prelude::*;

use crate::InMemoryTable;
use crate::bitmap::{BLOCK, RowBitmap, count_between};
use crate::signs::Counts;
use crate::sums::Sums;
use crate::vectors::QueryVector;

/// Blocks of a piece: 131,072 rows. Their differences take 256 kB and stay in a core's cache. Small in tests, because their
/// tables are small.
const PIECE: usize = if cfg!(test) { 2 } else { 2_048 };

/// Statistics over all rows that pass the filter.
#[derive(Default)]
pub struct ScanStats {
    /// The number of rows by the number of differing signs.
    pub counts: Counts,
    /// The differing signs summed by conversation.
    pub sums: Sums,
}

impl InMemoryTable {
    /// Writes the number of signs that differ from the query's for each row that passes, and zero for other rows. Returns
    /// statistics over the rows that pass.
    pub fn scan(&self, question: &QueryVector, passing: &RowBitmap, differences: &mut Vec<u16>) -> ScanStats {
        differences.resize(passing.blocks().len() * BLOCK, 0);
        let pieces = passing.blocks().par_chunks(PIECE).zip(differences.par_chunks_mut(PIECE * BLOCK)).enumerate();
        let stats = pieces.map(|(piece, (blocks, differences))| {
            self.vectors.signs.differences(&question.signs, piece * PIECE, blocks, differences);
            self.stats_of(piece * PIECE, blocks, differences)
        });
        stats.reduce(ScanStats::default, ScanStats::and)
    }

    /// Returns the rows that pass and differ in at most `most` signs, ascending, with their similarities. `differences` must
    /// come from [`InMemoryTable::scan`] with the same query and rows.
    pub fn nearest(
        &self,
        question: &QueryVector,
        passing: &RowBitmap,
        differences: &[u16],
        most: u16,
    ) -> (Vec<u32>, Vec<f32>) {
        let pieces = passing.blocks().par_chunks(PIECE).zip(differences.par_chunks(PIECE * BLOCK)).enumerate();
        let nearest = pieces.map(|(piece, (blocks, differences))| {
            let rows = near(piece * PIECE, blocks, differences, most);
            let similarities = self.vectors.similarities(question, &rows);
            rows.into_iter().zip(similarities).collect::<Vec<_>>()
        });
        nearest.flatten_iter().unzip()
    }

    fn stats_of(&self, first: usize, blocks: &[u64], differences: &[u16]) -> ScanStats {
        let (mut sums, mut start) = (Sums::new(self.conversations.len()), 0);
        for (conversation, rows) in self.conversations.runs(first * BLOCK, first * BLOCK + differences.len()) {
            let end = start + rows;
            let sum = differences[start..end].iter().fold(0_u32, |sum, more| sum.wrapping_add(u32::from(*more)));
            sums.add(conversation, count_between(blocks, start, end), f64::from(sum));
            start = end;
        }
        ScanStats { counts: Counts::of(blocks, differences, self.vectors.signs.dimension), sums }
    }
}

/// Returns the rows of these blocks, numbered from block `first` on, that differ in at most `most` signs.
fn near(first: usize, blocks: &[u64], differences: &[u16], most: u16) -> Vec<u32> {
    let mut rows = Vec::new();
    for (block, (bits, differences)) in blocks.iter().zip(differences.chunks_exact(BLOCK)).enumerate() {
        // Computed without branches, because hardly any block has such a row.
        let near = differences.iter().zip(0_u32..).fold(0, |near, (d, bit)| near | u64::from(*d <= most) << bit);
        rows.extend(ones(near & bits).map(|bit| ((first + block) * BLOCK + bit) as u32));
    }
    rows
}

impl ScanStats {
    fn and(self, other: ScanStats) -> ScanStats {
        ScanStats { counts: self.counts.and(other.counts), sums: self.sums.and(other.sums) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_rows_differ_in_the_fewest_signs() {
        let differences: Vec<u16> = [5, 1, 3, 1, 9, 3].into_iter().chain([0; BLOCK - 6]).collect();
        // Row 3 and the rows after row 5 do not pass.
        let blocks = [0b11_0111];
        let counts = Counts::of(&blocks, &differences, 9);
        let check = |many, expect: &[u32]| {
            assert_eq!(near(0, &blocks, &differences, counts.threshold(many)), expect, "{many}");
        };
        check(1, &[1]);
        check(2, &[1, 2, 5]);
        check(4, &[0, 1, 2, 5]);
        check(99, &[0, 1, 2, 4, 5]);
        assert_eq!(near(2, &blocks, &differences, counts.threshold(1)), [129]);
    }
}
