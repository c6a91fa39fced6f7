//! The vector index of a large table: the signs of each vector's components. Vectors with few signs in common are dissimilar.
//! So the candidates of a query are found by reading 48 bytes a row instead of 384 (with 384 components), and only they are
//! compared exactly. The index needs no training and no rebuild, and filters apply before it.

use annals_core::ones;
use rten_simd::{Isa, SimdOp};

use crate::bitmap::BLOCK;

/// Signs that a `u64` holds.
const SIGNS: usize = 64;

/// The signs of the vectors of all rows of a table.
#[derive(Default)]
pub(crate) struct Signs {
    /// Number of signs of a row.
    pub dimension: usize,
    rows: usize,
    /// Blocks of 64 rows: the first 64 signs of each row, then the next 64, and so on, so that 64 rows are compared side by
    /// side.
    words: Vec<u64>,
}

impl Signs {
    /// Creates an empty index of vectors with `dimension` components.
    pub(crate) fn new(dimension: usize) -> Signs {
        Signs { dimension, ..Signs::default() }
    }

    /// Reserves capacity for `rows` more rows.
    pub(crate) fn reserve(&mut self, rows: usize) {
        self.words.reserve_exact(rows.div_ceil(BLOCK) * self.block());
    }

    /// Returns the number of `u64`s in a block.
    fn block(&self) -> usize {
        self.dimension.div_ceil(SIGNS) * BLOCK
    }

    /// Adds the signs of the next row's vector.
    pub(crate) fn push(&mut self, vector: &[f32]) {
        let block = self.block();
        if self.rows.is_multiple_of(BLOCK) {
            self.words.resize(self.words.len() + block, 0);
        }
        let start = self.rows / BLOCK * block + self.rows % BLOCK;
        for (word, signs) in signs(vector).enumerate() {
            self.words[start + word * BLOCK] = signs;
        }
        self.rows += 1;
    }

    /// Writes the number of signs that differ from the query's for each row of these blocks, which start at block `first`; zero
    /// for rows that do not pass.
    pub(crate) fn differences(&self, question: &[u64], first: usize, blocks: &[u64], differences: &mut [u16]) {
        let words = &self.words[first * self.block()..][..blocks.len() * self.block()];
        Differences { question, words, blocks, differences }.dispatch();
    }

    /// Estimates the cosine of vectors that differ in `differing` signs: the share of differing signs approximates their angle
    /// divided by 180 degrees.
    pub(crate) fn similarity(&self, differing: f64) -> f32 {
        (std::f64::consts::PI * differing / self.dimension as f64).cos() as f32
    }

    pub(crate) fn bytes(&self) -> usize {
        self.words.capacity() * 8
    }
}

/// Returns the signs of a vector, 64 in each `u64`. A set bit marks a positive component.
pub(crate) fn signs(vector: &[f32]) -> impl Iterator<Item = u64> {
    let bits = |numbers: &[f32]| numbers.iter().rev().fold(0, |bits, number| bits << 1 | u64::from(*number > 0.0));
    vector.chunks(SIGNS).map(bits)
}

/// The arguments of [`Signs::differences`]. Its loop is compiled once for each instruction set; `vectors.rs` explains how such
/// loops are written.
struct Differences<'a> {
    question: &'a [u64],
    words: &'a [u64],
    blocks: &'a [u64],
    differences: &'a mut [u16],
}

impl SimdOp for Differences<'_> {
    type Output = ();

    #[inline(always)]
    fn eval<I: Isa>(self, _: I) {
        let blocks = self.words.chunks_exact(self.question.len() * BLOCK).zip(self.blocks);
        for ((words, passing), differences) in blocks.zip(self.differences.chunks_exact_mut(BLOCK)) {
            if *passing == 0 {
                differences.fill(0);
                continue;
            }
            let mut counts = [0_u64; BLOCK];
            for (question, words) in self.question.iter().zip(words.chunks_exact(BLOCK)) {
                for (count, signs) in counts.iter_mut().zip(words) {
                    *count = count.wrapping_add(u64::from((question ^ signs).count_ones()));
                }
            }
            for (bit, (difference, count)) in differences.iter_mut().zip(counts).enumerate() {
                *difference = (count as u16).wrapping_mul((passing >> bit & 1) as u16);
            }
        }
    }
}

/// The number of rows that pass, by the number of differing signs.
#[derive(Default)]
pub struct Counts(Vec<u32>);

impl Counts {
    /// Counts the rows of these blocks by their number of differing signs.
    pub fn of(blocks: &[u64], differences: &[u16], dimension: usize) -> Counts {
        // Four tables in turn: neighbouring rows often have the same count, and one table would make each increment wait for
        // the last.
        let mut counts = vec![[0_u32; 4]; dimension + 1];
        for (bits, differences) in blocks.iter().zip(differences.chunks_exact(BLOCK)) {
            match *bits {
                u64::MAX => {
                    for four in differences.chunks_exact(4) {
                        (0..4).for_each(|lane| counts[usize::from(four[lane])][lane] += 1);
                    }
                }
                bits => ones(bits).for_each(|bit| counts[usize::from(differences[bit])][0] += 1),
            }
        }
        Counts(counts.into_iter().map(|lanes| lanes.iter().sum()).collect())
    }

    pub fn and(mut self, other: Counts) -> Counts {
        self.0.resize(self.0.len().max(other.0.len()), 0);
        self.0.iter_mut().zip(other.0).for_each(|(count, more)| *count += more);
        self
    }

    /// Returns the smallest number of signs for which at least `many` rows differ in at most that many signs. Returns
    /// [`u16::MAX`] if fewer rows pass.
    pub fn threshold(&self, many: usize) -> u16 {
        let mut found = 0;
        let reached = |count: &u32| {
            found += *count as usize;
            found >= many
        };
        self.0.iter().position(reached).and_then(|most| u16::try_from(most).ok()).unwrap_or(u16::MAX)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::bitmap::RowBitmap;

    /// Deliberately not a multiple of the 64 bits of a word.
    const DIMENSION: usize = 100;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

        #[test]
        fn differences_match_the_signs_of_plain_vectors(
            all in prop::collection::vec(prop::collection::vec(-1.0_f32..1.0, DIMENSION), 65..200),
            holes in 0..64_u64,
        ) {
            let (mut stored, mut passing) = (Signs::new(DIMENSION), RowBitmap::default());
            for (row, vector) in all.iter().enumerate() {
                stored.push(vector);
                passing.push(row as u64 % 64 != holes);
            }
            let question: Vec<u64> = signs(&all[0]).collect();
            let blocks = passing.blocks();
            let mut differences = vec![9; blocks.len() * BLOCK];
            let (first, rest) = differences.split_at_mut(BLOCK);
            stored.differences(&question, 0, &blocks[..1], first);
            stored.differences(&question, 1, &blocks[1..], rest);
            for (row, vector) in all.iter().enumerate().filter(|(row, _)| passing.contains(*row)) {
                let differing = all[0].iter().zip(vector).filter(|(a, b)| (**a > 0.0) != (**b > 0.0)).count();
                prop_assert_eq!(usize::from(differences[row]), differing);
            }
            for row in (0..all.len()).filter(|row| !passing.contains(*row)) {
                prop_assert_eq!(differences[row], 0);
            }
        }
    }

    #[test]
    fn counts_of_pieces_add_up_to_the_whole() {
        let differences: Vec<u16> = (0..BLOCK as u16 * 3).map(|row| row * 7 % 10).collect();
        let blocks = [u64::MAX, 0b1011, u64::MAX];
        let (one, two) = differences.split_at(BLOCK);
        let pieces = Counts::of(&blocks[..1], one, 9).and(Counts::of(&blocks[1..], two, 9));
        assert_eq!(Counts::default().and(pieces).0, Counts::of(&blocks, &differences, 9).0);
    }

    #[test]
    fn half_of_the_signs_differing_is_cosine_zero() {
        let signs = Signs::new(DIMENSION);
        assert_eq!([0.0, 50.0, 100.0].map(|differing| signs.similarity(differing).round()), [1.0, 0.0, -1.0]);
    }
}
