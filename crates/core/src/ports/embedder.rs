//! Ports `Embedder` and `Embedders`: turn text into vectors, with one model or with each that this process can use.

use std::ops::Range;
use std::sync::Arc;

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

    /// Returns the vector of a question. A model that distinguishes questions from passages gets the text marked as a question.
    async fn embed_query(&self, text: String) -> Result<Vec<f32>> {
        Ok(self.embed(vec![text]).await?.pop().unwrap_or_default())
    }
}

/// The embedders that this process can use.
#[async_trait]
pub trait Embedders: Send + Sync {
    /// Returns the configured embedder. New vectors are made by it.
    fn configured(&self) -> Arc<dyn Embedder>;

    /// Returns the embedder that made stored vectors, by the recorded name of its model ([`Embedder::model`]). `None` if this
    /// process can no longer open the model: its folder is missing, or its endpoint is no longer configured.
    async fn by_model(&self, model: &str) -> Result<Option<Arc<dyn Embedder>>>;
}

/// The embedders of a process that can use only the configured one.
#[derive(Clone)]
pub struct OneEmbedder(pub Arc<dyn Embedder>);

#[async_trait]
impl Embedders for OneEmbedder {
    fn configured(&self) -> Arc<dyn Embedder> {
        self.0.clone()
    }

    async fn by_model(&self, model: &str) -> Result<Option<Arc<dyn Embedder>>> {
        Ok((self.0.model() == model).then(|| self.0.clone()))
    }
}
