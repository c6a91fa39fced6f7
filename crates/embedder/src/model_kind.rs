//! What a model in a folder is for, by its `config.json` alone.

use std::path::Path;

use annals_core::Result;
use serde_json::Value;

use crate::folder::{CONFIG, json};
use crate::labels::Labels;

/// What a model in a folder computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelKind {
    /// Vectors of texts.
    Vectors,
    /// Whether a premise entails or contradicts a sentence.
    Entailment,
    /// Something else about a text, such as a topic or a relevance. Annals does not use such models.
    Classifier,
}

impl ModelKind {
    /// Returns the kind of the model in a folder. A folder without `config.json` has a model of vectors. Fails if that file
    /// cannot be read.
    pub fn of(folder: impl AsRef<Path>) -> Result<ModelKind> {
        Ok(json(folder.as_ref(), CONFIG)?.map_or(ModelKind::Vectors, |config| kind(&config)))
    }

    /// Returns the kind as one word, as commands print it.
    pub fn as_str(self) -> &'static str {
        match self {
            ModelKind::Vectors => "vectors",
            ModelKind::Entailment => "entailment",
            ModelKind::Classifier => "classifier",
        }
    }
}

fn kind(config: &Value) -> ModelKind {
    let mut architectures = config["architectures"].as_array().into_iter().flatten().filter_map(Value::as_str);
    if Labels::of(config).is_ok() {
        ModelKind::Entailment
    } else if architectures.any(|name| name.ends_with("ForSequenceClassification")) {
        ModelKind::Classifier
    } else {
        ModelKind::Vectors
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn kind_follows_from_labels_and_architecture() {
        fn check(config: Value, expect: ModelKind) {
            assert_eq!(kind(&config), expect, "{config}");
        }
        let labels = json!({ "0": "contradiction", "1": "entailment", "2": "neutral" });
        check(json!({ "architectures": ["BertModel"] }), ModelKind::Vectors);
        check(json!({ "id2label": { "0": "LABEL_0", "1": "LABEL_1" } }), ModelKind::Vectors);
        check(
            json!({ "architectures": ["DebertaV2ForSequenceClassification"], "id2label": labels }),
            ModelKind::Entailment,
        );
        let reranker = json!({ "architectures": ["BertForSequenceClassification"], "id2label": { "0": "LABEL_0" } });
        check(reranker, ModelKind::Classifier);
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(ModelKind::of(folder.path()).unwrap(), ModelKind::Vectors);
    }
}
