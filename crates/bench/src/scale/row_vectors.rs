//! Vectors of rows: the model's vector of the text, moved slightly for a row with the words in another order.
//!
//! This is the embedder of the writer, so that filling a million rows takes only the time of the stores, not of the model. The
//! vector depends only on the text, as for any embedder: rows with the same text share a vector.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use annals_core::{Embedder, Error, Result};
use async_trait::async_trait;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

use super::rows::Rows;

/// Length of the noise added to a unit vector. Similarity to the original text becomes 0.96, about what the model gives for the
/// same words in another order.
const NOISE: f32 = 0.3;

/// Vectors by row and by text.
pub(crate) struct RowVectors {
    rows: Arc<Rows>,
    model: String,
    bases: Vec<Vec<f32>>,
    /// The first row with each text.
    first: HashMap<String, usize>,
}

impl RowVectors {
    /// Creates the vectors. `bases` holds the model's vectors of the distinct texts of `rows`, in order.
    pub(crate) fn new(rows: Arc<Rows>, model: &str, bases: Vec<Vec<f32>>) -> RowVectors {
        let mut first = HashMap::with_capacity(rows.count);
        for row in 0..rows.count {
            first.entry(rows.text(row)).or_insert(row);
        }
        RowVectors { rows, model: model.to_owned(), bases, first }
    }

    pub(crate) fn of_row(&self, row: usize) -> Vec<f32> {
        let row = match self.rows.is_original(row) {
            true => row,
            false => self.first.get(&self.rows.text(row)).copied().unwrap_or(row),
        };
        let base = &self.bases[self.rows.base(row)];
        if self.rows.is_original(row) { base.clone() } else { moved(base, row as u64) }
    }
}

/// Adds uniform noise with a total length of about [`NOISE`], and normalizes the result.
fn moved(base: &[f32], seed: u64) -> Vec<f32> {
    let mut random = StdRng::seed_from_u64(seed);
    let most = NOISE * (3.0 / base.len() as f32).sqrt();
    let moved: Vec<f32> = base.iter().map(|number| number + random.random_range(-most..most)).collect();
    let length = moved.iter().map(|number| number * number).sum::<f32>().sqrt();
    moved.into_iter().map(|number| number / length).collect()
}

#[async_trait]
impl Embedder for RowVectors {
    fn model(&self) -> &str {
        &self.model
    }

    fn dimension(&self) -> usize {
        self.bases.first().map_or(0, Vec::len)
    }

    /// Returns the whole text: only texts that fit were chosen as rows.
    fn split(&self, text: &str) -> Vec<Range<usize>> {
        std::iter::once(0..text.len()).collect()
    }

    async fn embed(&self, texts: Vec<String>) -> Result<Vec<Vec<f32>>> {
        let vector = |text: String| match self.first.get(&text) {
            Some(row) => Ok(self.of_row(*row)),
            None => Err(Error::model("looking up the vector of a row", "no row has that text")),
        };
        texts.into_iter().map(vector).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vector_is_moved_by_the_noise_length_and_reproducibly() {
        let base: Vec<f32> = (0..384).map(|index| if index == 7 { 1.0 } else { 0.0 }).collect();
        let one = moved(&base, 1);
        assert!((one[7] - 0.958).abs() < 0.01, "{}", one[7]);
        assert!((one.iter().map(|number| number * number).sum::<f32>() - 1.0).abs() < 1e-5);
        assert_eq!(one, moved(&base, 1));
        assert_ne!(one, moved(&base, 2));
    }
}
