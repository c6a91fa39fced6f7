//! Port `Embedder`: turns text into vectors.

use std::ops::Range;

use async_trait::async_trait;

use crate::Result;

/// A model that turns text into vectors of unit length. The same text gives the same vector, alone or in a batch.
#[async_trait]
pub trait Embedder: Send + Sync {
    /// Returns name and revision of the model. Vectors of different models are never compared.
    fn model(&self) -> &str;

    /// Returns the length of each vector.
    fn dimension(&self) -> usize;

    /// Returns byte ranges of `text` that each fit the model's window, in order, covering all of the text. Cuts at
    /// sentence ends where possible. Returns one range for a short text.
    fn split(&self, text: &str) -> Vec<Range<usize>>;

    /// Returns one vector of unit length per text, in order. Truncates texts that exceed the model's window.
    async fn embed(&self, texts: Vec<String>) -> Result<Vec<Vec<f32>>>;
}
