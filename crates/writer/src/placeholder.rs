//! Embedders that take the place of a model that cannot be opened. [`Placeholders`] returns the same vector for every text,
//! because nothing is ever compared with it. [`UnavailableModel`] returns an error for every text, because the model may be
//! available again later.

use std::ops::Range;
use std::sync::Arc;

use annals_core::ports::VectorModel;
use annals_core::{Embedder, Error, Result};
use async_trait::async_trait;

/// An embedder that splits texts as the configured model does, and returns a fixed vector with the table's number of
/// components.
pub(crate) struct Placeholders {
    pub(crate) configured: Arc<dyn Embedder>,
    pub(crate) dimension: usize,
}

#[async_trait]
impl Embedder for Placeholders {
    fn model(&self) -> &str {
        ""
    }

    fn dimension(&self) -> usize {
        self.dimension
    }

    fn split(&self, text: &str) -> Vec<Range<usize>> {
        self.configured.split(text)
    }

    async fn embed(&self, texts: Vec<String>) -> Result<Vec<Vec<f32>>> {
        let mut vector = vec![0.0; self.dimension];
        vector.iter_mut().take(1).for_each(|number| *number = 1.0);
        Ok(vec![vector; texts.len()])
    }
}

/// An embedder in place of a model that cannot be opened now. Changes without texts, such as deletions, still reach the table.
pub(crate) struct UnavailableModel {
    pub(crate) configured: Arc<dyn Embedder>,
    pub(crate) model: VectorModel,
    pub(crate) error: Error,
}

#[async_trait]
impl Embedder for UnavailableModel {
    fn model(&self) -> &str {
        &self.model.name
    }

    fn dimension(&self) -> usize {
        self.model.dimension
    }

    fn split(&self, text: &str) -> Vec<Range<usize>> {
        self.configured.split(text)
    }

    async fn embed(&self, texts: Vec<String>) -> Result<Vec<Vec<f32>>> {
        match texts.is_empty() {
            true => Ok(Vec::new()),
            false => {
                let cause = std::error::Error::source(&self.error).map(ToString::to_string).unwrap_or_default();
                Err(Error::unavailable(self.error.to_string(), cause))
            }
        }
    }
}
