//! Vectors in memory: eight bits a number, which moves a cosine by some thousandths, and beside them one bit a number, the sign.
//!
//! The signs are the index of a large table. Where two vectors have few signs in common, they are unlike; so the rows that have
//! most in common with a question are found by reading 48 bytes a row instead of 384, and only these are compared exactly.
//! There is nothing to train and nothing to rebuild: a row's signs are known when the row is, and every filter goes before.

use rten_simd::{Isa, SimdOp};

use super::passing::{BLOCK, Passing, ones};

/// Bits of a word of signs.
const SIGNS: usize = 64;
/// The largest number of a question's vector: so many that it loses nothing, and few enough that no sum of products with eight
/// bits overflows below eight thousand dimensions.
const FINE: f32 = 4095.0;
/// The largest number of a row's vector.
const COARSE: f32 = 127.0;

/// The vectors of a table, by row.
pub struct Vectors {
    dimension: usize,
    /// One row after the other.
    numbers: Vec<i8>,
    /// What a row's numbers are to be multiplied with.
    scales: Vec<f32>,
    /// Blocks of 64 rows: the first 64 signs of each row, then the next 64, and so on, so that 64 rows are compared side by side.
    signs: Vec<u64>,
}

/// A question's vector.
pub struct Question {
    numbers: Vec<i16>,
    scale: f32,
    signs: Vec<u64>,
}

impl Question {
    /// Of a vector of unit length.
    pub fn new(vector: &[f32]) -> Question {
        let scale = largest(vector) / FINE;
        let numbers = vector.iter().map(|number| (number / scale).round() as i16).collect();
        Question { numbers, scale, signs: signs(vector).collect() }
    }
}

impl Vectors {
    /// None yet, and room for so many rows; each will have so many numbers.
    pub fn new(rows: usize, dimension: usize) -> Vectors {
        let mut vectors = Vectors { dimension, numbers: Vec::new(), scales: Vec::new(), signs: Vec::new() };
        vectors.make_room(rows);
        vectors
    }

    fn make_room(&mut self, rows: usize) {
        let words = self.dimension.div_ceil(SIGNS) * BLOCK;
        self.numbers.reserve_exact(rows * self.dimension);
        self.scales.reserve_exact(rows);
        self.signs.reserve_exact(rows.div_ceil(BLOCK) * words);
    }

    /// Adds the next row.
    pub fn push(&mut self, vector: &[f32]) {
        if self.scales.len() == self.scales.capacity() {
            // Not twice as much as there is, which would be hundreds of megabytes for a large table.
            self.make_room(self.scales.len() / 8 + BLOCK);
        }
        let (row, scale) = (self.scales.len(), largest(vector) / COARSE);
        let words = self.dimension.div_ceil(SIGNS);
        if row.is_multiple_of(BLOCK) {
            self.signs.resize(self.signs.len() + words * BLOCK, 0);
        }
        let block = row / BLOCK * words * BLOCK;
        for (word, signs) in signs(vector).enumerate() {
            self.signs[block + word * BLOCK + row % BLOCK] = signs;
        }
        self.numbers.extend(vector.iter().map(|number| (number / scale).round() as i8));
        self.scales.push(scale);
    }

    /// How similar these rows are to the question.
    pub fn similarities(&self, question: &Question, rows: &[u32]) -> Vec<f32> {
        let products = Products { question: &question.numbers, numbers: &self.numbers, rows }.dispatch();
        let scaled = products.into_iter().zip(rows);
        scaled.map(|(product, row)| product as f32 * question.scale * self.scales[*row as usize]).collect()
    }

    /// For each row how many of its signs differ from the question's, in place of what stood there before; nothing of use for
    /// rows that do not pass.
    pub fn differences(&self, question: &Question, passing: &Passing, differences: &mut Vec<u16>) {
        differences.resize(passing.blocks().len() * BLOCK, 0);
        Differences { question: &question.signs, signs: &self.signs, blocks: passing.blocks(), differences }.dispatch();
    }

    /// About the similarity of two vectors, by how many signs they differ in: the share of signs that differ is the share that
    /// the angle between the vectors has of half a turn.
    pub fn estimates(&self) -> Vec<f32> {
        let half_turn = self.dimension as f32;
        (0..=self.dimension).map(|signs| (std::f32::consts::PI * signs as f32 / half_turn).cos()).collect()
    }

    /// What they take.
    pub fn bytes(&self) -> usize {
        self.numbers.capacity() + self.scales.capacity() * 4 + self.signs.capacity() * 8
    }
}

/// Never nothing, so that dividing by it is defined.
fn largest(vector: &[f32]) -> f32 {
    vector.iter().fold(f32::MIN_POSITIVE, |largest, number| largest.max(number.abs()))
}

fn signs(vector: &[f32]) -> impl Iterator<Item = u64> {
    let bits = |numbers: &[f32]| numbers.iter().rev().fold(0, |bits, number| bits << 1 | u64::from(*number > 0.0));
    vector.chunks(SIGNS).map(bits)
}

/// The products of some rows with the question. Compiled for each instruction set of the processor family, as is what is below,
/// where otherwise the smallest would do. Plain loops, since what the adapters of iterators do is compiled apart, for the smallest,
/// and without a check for overflow at each step, which leaves no two steps to be done at once; [`FINE`] sees to that.
struct Products<'a> {
    question: &'a [i16],
    numbers: &'a [i8],
    rows: &'a [u32],
}

impl SimdOp for Products<'_> {
    type Output = Vec<i32>;

    #[inline(always)]
    fn eval<I: Isa>(self, _: I) -> Vec<i32> {
        let dimension = self.question.len();
        let mut products = Vec::with_capacity(self.rows.len());
        for row in self.rows {
            let numbers = &self.numbers[*row as usize * dimension..][..dimension];
            let mut product = 0_i32;
            for (a, b) in self.question.iter().zip(numbers) {
                product = product.wrapping_add(i32::from(*a).wrapping_mul(i32::from(*b)));
            }
            products.push(product);
        }
        products
    }
}

/// How many signs of each row differ.
struct Differences<'a> {
    question: &'a [u64],
    signs: &'a [u64],
    blocks: &'a [u64],
    differences: &'a mut [u16],
}

impl SimdOp for Differences<'_> {
    type Output = ();

    #[inline(always)]
    fn eval<I: Isa>(self, _: I) {
        let blocks = self.signs.chunks_exact(self.question.len() * BLOCK).zip(self.blocks);
        for ((signs, passing), differences) in blocks.zip(self.differences.chunks_exact_mut(BLOCK)) {
            if *passing == 0 {
                continue;
            }
            let mut counts = [0_u64; BLOCK];
            for (question, signs) in self.question.iter().zip(signs.chunks_exact(BLOCK)) {
                for (count, signs) in counts.iter_mut().zip(signs) {
                    *count = count.wrapping_add(u64::from((question ^ signs).count_ones()));
                }
            }
            for (difference, count) in differences.iter_mut().zip(counts) {
                *difference = count as u16;
            }
        }
    }
}

/// The rows that pass and differ least, about so many: with the last of them come all that differ as little.
pub fn nearest(differences: &[u16], passing: &Passing, many: usize) -> Vec<u32> {
    let most = counts(differences, passing).into_iter().zip(0_u16..).try_fold(0, |found, (count, differing)| {
        if found + count >= many { Err(differing) } else { Ok(found + count) }
    });
    let most = most.err().unwrap_or(u16::MAX);
    let mut rows = Vec::with_capacity(many + BLOCK);
    for (block, (bits, differences)) in passing.blocks().iter().zip(differences.chunks_exact(BLOCK)).enumerate() {
        // Hardly any block has one.
        let near = differences.iter().zip(0_u32..).fold(0, |near, (d, bit)| near | u64::from(*d <= most) << bit);
        rows.extend(ones(near & bits).map(|bit| (block * BLOCK + bit) as u32));
    }
    rows
}

/// How many rows that pass differ in so many signs.
fn counts(differences: &[u16], passing: &Passing) -> Vec<usize> {
    // Four tables in turn, since likely the next row differs in as many and would wait for the last one's count.
    let mut counts = vec![[0_u32; 4]; usize::from(u16::MAX >> 3)];
    for (bits, differences) in passing.blocks().iter().zip(differences.chunks_exact(BLOCK)) {
        match *bits {
            u64::MAX => {
                for four in differences.chunks_exact(4) {
                    (0..4).for_each(|lane| counts[usize::from(four[lane])][lane] += 1);
                }
            }
            bits => ones(bits).for_each(|bit| counts[usize::from(differences[bit])][0] += 1),
        }
    }
    counts.into_iter().map(|lanes| lanes.iter().map(|count| *count as usize).sum()).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// As long as vectors are, and not a multiple of the block of signs.
    const DIMENSION: usize = 100;

    fn vectors() -> impl Strategy<Value = Vec<Vec<f32>>> {
        let vector = prop::collection::vec(-1.0_f32..1.0, DIMENSION).prop_map(|vector| {
            let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
            vector.into_iter().map(|number| number / length).collect()
        });
        prop::collection::vec(vector, 1..200)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

        #[test]
        fn similarities_and_differences_are_those_of_the_plain_vectors(all in vectors(), holes in 0..64_u64) {
            let (mut stored, mut passing) = (Vectors::new(0, DIMENSION), Passing::default());
            for (row, vector) in all.iter().enumerate() {
                stored.push(vector);
                passing.push(row as u64 % 64 != holes);
            }
            let question = Question::new(&all[0]);
            let rows: Vec<u32> = (0..all.len() as u32).collect();
            let mut differences = vec![9; 1_000];
            stored.differences(&question, &passing, &mut differences);
            for (row, similarity) in stored.similarities(&question, &rows).into_iter().enumerate() {
                let cosine: f32 = all[0].iter().zip(&all[row]).map(|(a, b)| a * b).sum();
                prop_assert!((similarity - cosine).abs() < 0.01, "{similarity} is not {cosine}");
                let differing = all[0].iter().zip(&all[row]).filter(|(a, b)| (**a > 0.0) != (**b > 0.0)).count();
                prop_assert!(!passing.holds(row) || usize::from(differences[row]) == differing);
            }
        }
    }

    #[test]
    fn the_nearest_are_those_that_differ_least() {
        let differences: Vec<u16> = [5, 1, 3, 1, 9, 3].into_iter().chain([0; BLOCK - 6]).collect();
        let mut passing = Passing::default();
        (0..6).for_each(|row| passing.push(row != 3));
        let check = |many, expect: &[u32]| assert_eq!(nearest(&differences, &passing, many), expect, "{many}");
        check(1, &[1]);
        check(2, &[1, 2, 5]);
        check(4, &[0, 1, 2, 5]);
        check(99, &[0, 1, 2, 4, 5]);
    }

    #[test]
    fn a_vector_of_nothing_is_like_nothing() {
        let mut stored = Vectors::new(2, 4);
        stored.push(&[0.0; 4]);
        stored.push(&[0.0, 1.0, 0.0, 0.0]);
        assert_eq!(stored.similarities(&Question::new(&[0.0; 4]), &[0, 1]), [0.0, 0.0]);
        assert_eq!(stored.similarities(&Question::new(&[0.0, 1.0, 0.0, 0.0]), &[0, 1]), [0.0, 1.0]);
    }
}
