//! The model of stored vectors, which a table records for the embedder that made them.

use std::sync::Arc;

use super::{Embedder, Embedders};
use crate::Result;

/// The model of stored vectors. Vectors are compared only if both name and dimension of their models are equal.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VectorModel {
    /// Name and revision of the model ([`Embedder::model`]). Empty if the vectors are placeholders: these rows were written
    /// while their model could not be opened, and only a search by words finds them.
    pub name: String,
    /// The length of each vector.
    pub dimension: usize,
}

impl VectorModel {
    /// Returns the model of the vectors that an embedder makes.
    pub fn of(embedder: &dyn Embedder) -> VectorModel {
        VectorModel { name: embedder.model().to_owned(), dimension: embedder.dimension() }
    }

    /// Returns the value that is recorded for placeholder vectors of the same length.
    pub fn placeholder(&self) -> VectorModel {
        VectorModel { name: String::new(), ..self.clone() }
    }

    /// Returns whether the vectors are placeholders.
    pub fn is_placeholder(&self) -> bool {
        self.name.is_empty()
    }

    /// Returns the embedder that makes comparable vectors. `None` for placeholders, if this process cannot open the model, or
    /// if the model now makes vectors of another length.
    pub async fn open(&self, embedders: &dyn Embedders) -> Result<Option<Arc<dyn Embedder>>> {
        if self.is_placeholder() {
            return Ok(None);
        }
        let found = embedders.by_model(&self.name).await?;
        Ok(found.filter(|embedder| embedder.dimension() == self.dimension))
    }
}
