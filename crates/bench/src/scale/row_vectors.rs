//! The vector of each row: that of its text as the model gave it, moved a little for a row that says the words in another order.
//!
//! As an embedder it is what the writer fills the tables through, so that a million rows take the time of the stores and not of
//! the model. It is a function of the text, as any embedder must be: rows that say the very same share a vector.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use annals_core::{Embedder, Error, Result};
use async_trait::async_trait;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

use super::rows::Rows;

/// Length of what is added to a vector of length one: similarity to the text as it was said becomes 0.96, as far as the model
/// itself puts the same words in another order.
const NOISE: f32 = 0.3;

/// Vectors by row and by text.
pub struct RowVectors {
    rows: Arc<Rows>,
    model: String,
    bases: Vec<Vec<f32>>,
    /// The first row that says a text.
    first: HashMap<String, usize>,
}

impl RowVectors {
    /// Of rows whose texts, in their order, have these vectors of this model.
    pub fn new(rows: Arc<Rows>, model: &str, bases: Vec<Vec<f32>>) -> RowVectors {
        let mut first = HashMap::with_capacity(rows.count);
        for row in 0..rows.count {
            first.entry(rows.text(row)).or_insert(row);
        }
        RowVectors { rows, model: model.to_owned(), bases, first }
    }

    /// The vector of a row.
    pub fn of_row(&self, row: usize) -> Vec<f32> {
        let row = match self.rows.is_original(row) {
            true => row,
            false => self.first.get(&self.rows.text(row)).copied().unwrap_or(row),
        };
        let base = &self.bases[self.rows.base(row)];
        if self.rows.is_original(row) { base.clone() } else { moved(base, row as u64) }
    }
}

/// Numbers of equal spread in all directions, of which the sum of squares is about that of [`NOISE`].
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

    /// Rows were chosen to fit.
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
    fn a_vector_is_moved_as_far_as_said_and_always_the_same_way() {
        let base: Vec<f32> = (0..384).map(|place| if place == 7 { 1.0 } else { 0.0 }).collect();
        let one = moved(&base, 1);
        assert!((one[7] - 0.958).abs() < 0.01, "{}", one[7]);
        assert!((one.iter().map(|number| number * number).sum::<f32>() - 1.0).abs() < 1e-5);
        assert_eq!(one, moved(&base, 1));
        assert_ne!(one, moved(&base, 2));
    }
}
