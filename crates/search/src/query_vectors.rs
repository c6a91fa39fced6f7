//! The vectors of one question: one for each model whose tables it searches. While a change of model is under way, the grains of
//! an agent may differ in theirs.

use std::collections::HashMap;

use annals_core::ports::VectorModel;
use annals_core::{Embedders, Result};
use futures::lock::Mutex;

/// A question, and its vectors by model as far as they were needed.
pub(crate) struct QueryVectors<'a> {
    embedders: &'a dyn Embedders,
    text: &'a str,
    /// None for a model that cannot be opened. Locked while a model is busy, so that no vector is made twice.
    made: Mutex<HashMap<VectorModel, Option<Vec<f32>>>>,
}

impl<'a> QueryVectors<'a> {
    pub(crate) fn new(embedders: &'a dyn Embedders, text: &'a str) -> QueryVectors<'a> {
        QueryVectors { embedders, text, made: Mutex::default() }
    }

    /// Returns the question's vector by this model. None if it cannot be opened.
    pub(crate) async fn by(&self, model: &VectorModel) -> Result<Option<Vec<f32>>> {
        let mut made = self.made.lock().await;
        if let Some(vector) = made.get(model) {
            return Ok(vector.clone());
        }
        let vector = match model.open(self.embedders).await? {
            Some(embedder) => Some(embedder.embed_query(self.text.to_owned()).await?),
            None => None,
        };
        made.insert(model.clone(), vector.clone());
        Ok(vector)
    }

    /// Returns why some tables were searched by words alone, if any was.
    pub(crate) fn words_alone(self) -> Option<String> {
        let made = self.made.into_inner();
        let missing = made.into_iter().filter(|(_, vector)| vector.is_none()).map(|(model, _)| model);
        let mut missing: Vec<VectorModel> = missing.collect();
        missing.sort();
        let first = missing.pop()?;
        let made_by = match first.is_placeholder() {
            true => "memories were stored while the model of their table could not be opened".to_owned(),
            false => format!("the model of the stored vectors, {}, cannot be opened", first.name),
        };
        Some(format!("{made_by}; until all are embedded again, words alone find them"))
    }
}
