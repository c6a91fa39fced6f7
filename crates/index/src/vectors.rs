//! Vectors in memory, quantised to eight bits a component, which changes a cosine by some thousandths.

use rten_simd::{Isa, SimdOp};

use crate::bitmap::BLOCK;
use crate::signs::{Signs, signs};

/// The largest component of a quantised query vector. It is large enough that rounding loses almost nothing, and small enough
/// that sums of products do not overflow below four thousand dimensions.
const FINE: f32 = 4095.0;
/// The largest component of a quantised row vector.
const COARSE: f32 = 127.0;

/// The quantised vectors of a table, by row.
#[derive(Default)]
pub(crate) struct Vectors {
    dimension: usize,
    /// The components, row by row.
    numbers: Vec<i8>,
    /// For each row, the factor that converts its integer components back to the original scale.
    scales: Vec<f32>,
    pub signs: Signs,
}

pub struct QueryVector {
    numbers: Vec<i16>,
    scale: f32,
    pub signs: Vec<u64>,
}

impl QueryVector {
    /// Quantises the vector of a query, which must have unit length.
    pub fn new(vector: &[f32]) -> QueryVector {
        let scale = largest(vector) / FINE;
        let numbers = vector.iter().map(|number| (number / scale).round() as i16).collect();
        QueryVector { numbers, scale, signs: signs(vector).collect() }
    }
}

impl Vectors {
    pub(crate) fn dimension(&self) -> usize {
        self.dimension
    }

    /// Creates an empty table with capacity for `rows` vectors of `dimension` components.
    pub(crate) fn new(rows: usize, dimension: usize) -> Vectors {
        let mut vectors = Vectors { dimension, signs: Signs::new(dimension), ..Vectors::default() };
        vectors.reserve(rows);
        vectors
    }

    fn reserve(&mut self, rows: usize) {
        self.numbers.reserve_exact(rows * self.dimension);
        self.scales.reserve_exact(rows);
        self.signs.reserve(rows);
    }

    /// Quantises and adds the vector of the next row.
    pub(crate) fn push(&mut self, vector: &[f32]) {
        if self.scales.len() == self.scales.capacity() {
            // Grows by an eighth, because doubling would take hundreds of megabytes for a large table.
            self.reserve(self.scales.len() / 8 + BLOCK);
        }
        let scale = largest(vector) / COARSE;
        Rounded { vector, scale, numbers: &mut self.numbers }.dispatch();
        self.scales.push(scale);
        self.signs.push(vector);
    }

    /// Returns the cosines of these rows with the query, to within the error of quantisation.
    pub(crate) fn similarities(&self, question: &QueryVector, rows: &[u32]) -> Vec<f32> {
        let products = Products { question: &question.numbers, numbers: &self.numbers, rows }.dispatch();
        let scaled = products.into_iter().zip(rows);
        scaled.map(|(product, row)| product as f32 * question.scale * self.scales[*row as usize]).collect()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.numbers.capacity() + self.scales.capacity() * size_of::<f32>() + self.signs.bytes()
    }
}

/// Returns the largest absolute component; never zero, since it is a divisor.
fn largest(vector: &[f32]) -> f32 {
    vector.iter().fold(f32::MIN_POSITIVE, |largest, number| largest.max(number.abs()))
}

/// Rounds a vector to eight bits a component.
struct Rounded<'a> {
    vector: &'a [f32],
    scale: f32,
    numbers: &'a mut Vec<i8>,
}

impl SimdOp for Rounded<'_> {
    type Output = ();

    #[inline(always)]
    fn eval<I: Isa>(self, _: I) {
        let start = self.numbers.len();
        self.numbers.resize(start + self.vector.len(), 0);
        for (rounded, number) in self.numbers[start..].iter_mut().zip(self.vector) {
            *rounded = (number / self.scale).round_ties_even() as i8;
        }
    }
}

/// The dot products of some rows with the query. `SimdOp` compiles `eval` once for each instruction set and chooses at run
/// time. It uses plain loops, because closures of iterator adapters are compiled for the baseline instruction set only, and
/// wrapping arithmetic, because overflow checks prevent vectorisation; [`FINE`] rules overflow out.
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

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
        fn similarities_match_cosines_of_plain_vectors(all in vectors()) {
            let mut stored = Vectors::new(0, DIMENSION);
            all.iter().for_each(|vector| stored.push(vector));
            let rows: Vec<u32> = (0..all.len() as u32).rev().collect();
            let similarities = stored.similarities(&QueryVector::new(&all[0]), &rows);
            for (row, similarity) in rows.into_iter().zip(similarities) {
                let cosine: f32 = all[0].iter().zip(&all[row as usize]).map(|(a, b)| a * b).sum();
                prop_assert!((similarity - cosine).abs() < 0.01, "{similarity} is not {cosine}");
            }
        }
    }

    #[test]
    fn zero_vector_has_zero_similarity() {
        let mut stored = Vectors::new(2, 4);
        stored.push(&[0.0; 4]);
        stored.push(&[0.0, 1.0, 0.0, 0.0]);
        assert_eq!(stored.similarities(&QueryVector::new(&[0.0; 4]), &[0, 1]), [0.0, 0.0]);
        assert_eq!(stored.similarities(&QueryVector::new(&[0.0, 1.0, 0.0, 0.0]), &[0, 1]), [0.0, 1.0]);
    }
}
