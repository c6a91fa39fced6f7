//! The table `[models.grounding]`: the model that judges sentences of summaries by their sources.

use annals_core::Fault;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Default probability of a contradiction from which a sentence counts as unsupported. It is high, because models often give
/// correct sentences a high probability too, and a false alarm marks such a sentence as unsupported.
const CONTRADICTION: f32 = 0.9;

/// The table `[models.grounding]`. Without a model, only rules check summaries.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GroundingConfig {
    /// The name of a model that `annals model pull` fetched, or a folder with an ONNX model for natural language inference.
    pub model: Option<String>,
    /// Probability of a contradiction from which a sentence counts as unsupported: 0.5 to 1. 0.9 if unset.
    pub contradiction: Option<f32>,
}

/// What happens to a sentence of a model's summary that its sources do not support. Such a sentence has a name, number or date
/// that is not in its sources, or contradicts them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Ungrounded {
    /// The sentence is kept and marked as unsupported.
    #[default]
    Mark,
    /// The sentence is left out. If no sentence is left, the answer counts as unusable.
    Drop,
}

/// The model that judges sentences, checked and complete.
#[derive(Clone, Debug, PartialEq)]
pub struct GroundingModel {
    /// The name of a pulled model, or a folder.
    pub model: String,
    /// Probability of a contradiction from which a sentence counts as unsupported.
    pub contradiction: f32,
}

impl GroundingConfig {
    /// Checks and completes the table, or returns every fault in it. Returns `None` if no model is set.
    pub(super) fn check(&self) -> Result<Option<GroundingModel>, Vec<Fault>> {
        let mut faults = Vec::new();
        let mut fault = |name: &str, reason: &str| faults.push(Fault::new(format!("models.grounding.{name}"), reason));
        let model = self.model.as_deref().map(str::trim).filter(|model| !model.is_empty());
        if model.is_some_and(|model| model.contains(char::is_control)) {
            fault("model", "contains control characters");
        }
        let contradiction = self.contradiction.unwrap_or(CONTRADICTION);
        if !(0.5..=1.0).contains(&contradiction) {
            fault("contradiction", "is not between 0.5 and 1");
        }
        if model.is_none() && self.contradiction.is_some() {
            fault("contradiction", "has no effect without model; set model too, or remove it");
        }
        match faults.is_empty() {
            true => Ok(model.map(|model| GroundingModel { model: model.to_owned(), contradiction })),
            false => Err(faults),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn read(table: Value) -> Result<Option<GroundingModel>, Vec<String>> {
        let config: GroundingConfig = serde_json::from_value(table).unwrap();
        config.check().map_err(|faults| faults.iter().map(Fault::to_string).collect())
    }

    #[test]
    fn model_has_a_default_threshold() {
        let model = |contradiction| Some(GroundingModel { model: "me/nli".into(), contradiction });
        assert_eq!(read(json!({ "model": " me/nli " })).unwrap(), model(0.9));
        assert_eq!(read(json!({ "model": "me/nli", "contradiction": 0.5 })).unwrap(), model(0.5));
        assert_eq!(read(json!({})).unwrap(), None);
        assert_eq!(read(json!({ "model": "" })).unwrap(), None);
    }

    #[test]
    fn faults_are_named() {
        fn check(table: Value, expect: &[&str]) {
            assert_eq!(read(table.clone()).unwrap_err(), expect, "{table}");
        }
        check(
            json!({ "contradiction": 0.8 }),
            &["models.grounding.contradiction has no effect without model; set model too, or remove it"],
        );
        check(
            json!({ "model": "a\nb", "contradiction": 0.2 }),
            &[
                "models.grounding.model contains control characters",
                "models.grounding.contradiction is not between 0.5 and 1",
            ],
        );
    }
}
