//! Port `Embedder`: turns text into vectors.

use std::ops::Range;

use async_trait::async_trait;

use crate::Result;

/// A model that turns text into vectors of unit length. The same text gives the same vector, alone or in company.
#[async_trait]
pub trait Embedder: Send + Sync {
    /// Name and revision of the model; vectors of different models are never compared.
    fn model(&self) -> &str;

    /// Length of each vector.
    fn dimension(&self) -> usize;

    /// Byte ranges of `text` that each fit the model's window, cut at sentence ends where possible; in order, covering all of
    /// the text. One range for a short text.
    fn split(&self, text: &str) -> Vec<Range<usize>>;

    /// One vector of unit length per text, in order. Longer texts are cut at the model's window.
    async fn embed(&self, texts: Vec<String>) -> Result<Vec<Vec<f32>>>;
}
