//! The vectors of one question, one for each model of a searched table. While a change of model is under way, the tables of an
//! agent's grains may have different models. If a model cannot be opened, does not answer or refuses the question, its tables
//! are searched by words alone, and the answer says so.

use std::collections::HashMap;

use annals_core::ports::VectorModel;
use annals_core::{Embedders, Error, Result};
use futures::lock::Mutex;

/// A question, with its vectors by model. A vector is made when it is first needed.
pub(crate) struct QueryVectors<'a> {
    embedders: &'a dyn Embedders,
    text: &'a str,
    /// The results by model. Locked while a model embeds the question, so that no vector is made twice.
    made: Mutex<HashMap<VectorModel, Made>>,
}

/// The result of embedding the question with one model.
enum Made {
    Vector(Vec<f32>),
    /// The model cannot be opened.
    NotOpened,
    /// The model gave no vector, for this reason.
    Failed(String),
}

impl Made {
    fn vector(&self) -> Option<Vec<f32>> {
        match self {
            Made::Vector(vector) => Some(vector.clone()),
            Made::NotOpened | Made::Failed(_) => None,
        }
    }
}

impl<'a> QueryVectors<'a> {
    pub(crate) fn new(embedders: &'a dyn Embedders, text: &'a str) -> QueryVectors<'a> {
        QueryVectors { embedders, text, made: Mutex::default() }
    }

    /// Returns the question's vector by this model, or `None` if the model cannot be opened, does not answer or refuses the
    /// question.
    pub(crate) async fn by(&self, model: &VectorModel) -> Result<Option<Vec<f32>>> {
        let mut made = self.made.lock().await;
        if let Some(made) = made.get(model) {
            return Ok(made.vector());
        }
        let new = self.make(model).await?;
        let vector = new.vector();
        made.insert(model.clone(), new);
        Ok(vector)
    }

    async fn make(&self, model: &VectorModel) -> Result<Made> {
        let vector = match model.open(self.embedders).await {
            Ok(None) => return Ok(Made::NotOpened),
            Ok(Some(embedder)) => embedder.embed_query(self.text.to_owned()).await,
            Err(error) => Err(error),
        };
        match vector {
            Ok(vector) => Ok(Made::Vector(vector)),
            Err(error) => Ok(Made::Failed(words_alone_because(error)?)),
        }
    }

    /// Returns the reason why tables were searched by words alone, or `None` if all were searched by vectors too. With several
    /// reasons, returns one.
    pub(crate) fn words_alone(self) -> Option<String> {
        let made = self.made.into_inner().into_iter();
        let mut missing: Vec<_> = made.filter(|(_, made)| made.vector().is_none()).collect();
        missing.sort_by(|(one, _), (other, _)| one.cmp(other));
        let (model, made) = missing.pop()?;
        if let Made::Failed(why) = made {
            return Some(why);
        }
        let made_by = match model.is_placeholder() {
            true => "memories were stored while the model of their table could not be opened".to_owned(),
            false => format!("the model of the stored vectors, {}, cannot be opened", model.name),
        };
        Some(format!("{made_by}; until all are embedded again, words alone find them"))
    }
}

/// Returns the reason to report for a search by words alone if the model does not answer or refuses the text. Returns any other
/// error as an error.
pub(crate) fn words_alone_because(error: Error) -> Result<String> {
    if !(error.is_outage() || error.is_of_input()) {
        return Err(error);
    }
    // The cause says what the operator has to repair.
    let cause = std::error::Error::source(&error).map(|cause| format!(": {cause}")).unwrap_or_default();
    Ok(format!("{error}{cause}; until the model answers, words alone find memories"))
}
