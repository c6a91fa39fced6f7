//! The two looks at a large table, in pieces, each of which any core may take: at the signs of every row beside the question's,
//! then at the whole vectors of those rows alone that differ in few.

use annals_core::ones;
use rayon::prelude::*;

use crate::Hot;
use crate::passing::{BLOCK, Passing, count_between};
use crate::signs::Counts;
use crate::sums::Sums;
use crate::vectors::Question;

/// Blocks that a core looks through at a time: 131,072 rows, whose differences are 256 kB and stay in its cache.
/// Few in tests, whose tables are small.
const PIECE: usize = if cfg!(test) { 2 } else { 2_048 };

/// What all rows that pass come to.
#[derive(Default)]
pub struct Looked {
    /// How many rows differ in so many signs.
    pub counts: Counts,
    /// Of each conversation how many signs of a row differ.
    pub sums: Sums,
}

impl Hot {
    /// For each row that passes how many of its signs differ from the question's, and nothing for others, in place of what stood
    /// there before.
    pub fn look(&self, question: &Question, passing: &Passing, differences: &mut Vec<u16>) -> Looked {
        differences.resize(passing.blocks().len() * BLOCK, 0);
        let pieces = passing.blocks().par_chunks(PIECE).zip(differences.par_chunks_mut(PIECE * BLOCK)).enumerate();
        let looked = pieces.map(|(piece, (blocks, differences))| {
            self.vectors.signs.differences(&question.signs, piece * PIECE, blocks, differences);
            self.looked_at(piece * PIECE, blocks, differences)
        });
        looked.reduce(Looked::default, Looked::and)
    }

    /// The rows that pass and differ in no more signs than so many, ascending, and how similar they are.
    pub fn nearest(
        &self,
        question: &Question,
        passing: &Passing,
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

    fn looked_at(&self, first: usize, blocks: &[u64], differences: &[u16]) -> Looked {
        let (mut sums, mut start) = (Sums::new(self.talks.len()), 0);
        for (talk, rows) in self.talks.runs(first * BLOCK, first * BLOCK + differences.len()) {
            let end = start + rows;
            let sum = differences[start..end].iter().fold(0_u32, |sum, more| sum.wrapping_add(u32::from(*more)));
            sums.add(talk, count_between(blocks, start, end), f64::from(sum));
            start = end;
        }
        Looked { counts: Counts::of(blocks, differences, self.vectors.signs.dimension), sums }
    }
}

/// Of blocks from number `first` on.
fn near(first: usize, blocks: &[u64], differences: &[u16], most: u16) -> Vec<u32> {
    let mut rows = Vec::new();
    for (block, (bits, differences)) in blocks.iter().zip(differences.chunks_exact(BLOCK)).enumerate() {
        // Hardly any block has one.
        let near = differences.iter().zip(0_u32..).fold(0, |near, (d, bit)| near | u64::from(*d <= most) << bit);
        rows.extend(ones(near & bits).map(|bit| ((first + block) * BLOCK + bit) as u32));
    }
    rows
}

impl Looked {
    fn and(self, other: Looked) -> Looked {
        Looked { counts: self.counts.and(other.counts), sums: self.sums.and(other.sums) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_are_those_that_differ_least() {
        let differences: Vec<u16> = [5, 1, 3, 1, 9, 3].into_iter().chain([0; BLOCK - 6]).collect();
        // The fourth does not pass, nor do those behind the sixth.
        let blocks = [0b11_0111];
        let counts = Counts::of(&blocks, &differences, 9);
        let check = |many, expect: &[u32]| {
            assert_eq!(near(0, &blocks, &differences, counts.most(many)), expect, "{many}");
        };
        check(1, &[1]);
        check(2, &[1, 2, 5]);
        check(4, &[0, 1, 2, 5]);
        check(99, &[0, 1, 2, 4, 5]);
        assert_eq!(near(2, &blocks, &differences, counts.most(1)), [129]);
    }
}
