//! The first look at a large table: the signs of every row beside the question's, in pieces, each of which any core may take.

use rayon::prelude::*;

use super::Hot;
use super::passing::{BLOCK, Passing, ones};
use super::signs::Counts;
use super::sums::Sums;
use super::vectors::Question;

/// Blocks that a core looks through at a time: 131,072 rows, whose differences are 256 kB and stay in its cache.
const PIECE: usize = 2_048;

/// What all rows that pass come to.
#[derive(Default)]
pub struct Looked {
    /// How many rows differ in so many signs.
    pub counts: Counts,
    /// Of each conversation how many signs of a row differ.
    pub sums: Sums,
}

impl Hot {
    /// For each row that passes how many of its signs differ from the question's, in place of what stood there before.
    pub fn look(&self, question: &Question, passing: &Passing, differences: &mut Vec<u16>) -> Looked {
        differences.resize(passing.blocks().len() * BLOCK, 0);
        let pieces = passing.blocks().par_chunks(PIECE).zip(differences.par_chunks_mut(PIECE * BLOCK)).enumerate();
        let looked = pieces.map(|(piece, (blocks, differences))| {
            self.vectors.signs.differences(&question.signs, piece * PIECE, blocks, differences);
            self.looked_at(piece * PIECE, blocks, differences)
        });
        looked.reduce(Looked::default, Looked::and)
    }

    fn looked_at(&self, first: usize, blocks: &[u64], differences: &[u16]) -> Looked {
        let mut sums = Sums::new(self.talks.len());
        for (block, (bits, differences)) in blocks.iter().zip(differences.chunks_exact(BLOCK)).enumerate() {
            let start = (first + block) * BLOCK;
            let value = |bit: usize| (self.talks.of(start + bit), f64::from(differences[bit]));
            match *bits {
                u64::MAX => sums.add((0..BLOCK).map(value)),
                bits => sums.add(ones(bits).map(value)),
            }
        }
        Looked { counts: Counts::of(blocks, differences, self.vectors.signs.dimension), sums }
    }
}

impl Looked {
    fn and(self, other: Looked) -> Looked {
        Looked { counts: self.counts.and(other.counts), sums: self.sums.and(other.sums) }
    }
}
