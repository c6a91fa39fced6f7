//! The labels of a classifier for natural language inference, as its `config.json` names them in `id2label`.

use annals_core::ports::EntailmentScores;
use serde_json::Value;

/// The labels that a model must have, as errors list them.
const EXPECTED: &str = "entailment, neutral and contradiction (or entailment and contradiction)";

/// The positions of the labels among a model's outputs. Some models have no label `neutral`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Labels {
    entailment: usize,
    neutral: Option<usize>,
    contradiction: usize,
}

impl Labels {
    /// Reads the labels from `config.json`, in any order and in any case. Returns a message for the user if `id2label` or a
    /// label is missing, or if it has further labels.
    pub(crate) fn of(config: &Value) -> Result<Labels, String> {
        let listed = config["id2label"].as_object().filter(|labels| !labels.is_empty());
        let listed = listed.ok_or_else(|| format!("has no id2label; expected are the labels {EXPECTED}"))?;
        let names: Vec<String> =
            listed.values().map(|name| name.as_str().unwrap_or_default().trim().to_lowercase()).collect();
        let wrong = || format!("has the labels {} in id2label; expected are {EXPECTED}", names.join(", "));
        let position = |is: &dyn Fn(&str) -> bool| -> Option<usize> {
            let mut found = listed.keys().zip(&names).filter(|(_, name)| is(name));
            let (key, _) = found.next().filter(|_| found.next().is_none())?;
            key.parse().ok().filter(|position| *position < names.len())
        };
        let labels = Labels {
            entailment: position(&|name| name.starts_with("entail")).ok_or_else(wrong)?,
            neutral: position(&|name| name == "neutral"),
            contradiction: position(&|name| name.starts_with("contradict")).ok_or_else(wrong)?,
        };
        if labels.count() == names.len() { Ok(labels) } else { Err(wrong()) }
    }

    /// Returns the number of outputs that the model must have.
    pub(crate) fn count(self) -> usize {
        2 + usize::from(self.neutral.is_some())
    }

    /// Turns the outputs of the model into probabilities that add up to 1; that of a missing label `neutral` is 0. Returns
    /// `None` if the outputs are not finite or not as many as there are labels.
    pub(crate) fn scores(self, logits: &[f32]) -> Option<EntailmentScores> {
        if logits.len() != self.count() || !logits.iter().all(|logit| logit.is_finite()) {
            return None;
        }
        let largest = logits.iter().copied().fold(f32::MIN, f32::max);
        let powers: Vec<f32> = logits.iter().map(|logit| (logit - largest).exp()).collect();
        let sum: f32 = powers.iter().sum();
        let share = |position: usize| powers[position] / sum;
        Some(EntailmentScores {
            entailed: share(self.entailment),
            neutral: self.neutral.map_or(0.0, share),
            contradicted: share(self.contradiction),
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn labels(names: &[&str]) -> Result<Labels, String> {
        let listed: serde_json::Map<String, Value> =
            names.iter().enumerate().map(|(position, name)| (position.to_string(), json!(name))).collect();
        Labels::of(&json!({ "id2label": listed }))
    }

    #[test]
    fn labels_are_found_in_every_order() {
        fn check(names: &[&str], (entailment, neutral, contradiction): (usize, Option<usize>, usize)) {
            assert_eq!(labels(names).unwrap(), Labels { entailment, neutral, contradiction }, "{names:?}");
        }
        check(&["contradiction", "entailment", "neutral"], (1, Some(2), 0));
        check(&["entailment", "neutral", "contradiction"], (0, Some(1), 2));
        check(&["CONTRADICTION", "NEUTRAL", "ENTAILMENT"], (2, Some(1), 0));
        check(&["contradiction", "entailment"], (1, None, 0));
    }

    #[test]
    fn other_labels_are_refused_and_named() {
        fn check(names: &[&str]) {
            let error = labels(names).unwrap_err();
            let named = format!("has the labels {} in id2label; expected are entailment, neutral", names.join(", "));
            assert!(error.to_uppercase().starts_with(&named.to_uppercase()), "{error}");
        }
        check(&["entailment", "not_entailment"]);
        check(&["LABEL_0", "LABEL_1", "LABEL_2"]);
        check(&["LABEL_0"]);
        check(&["entailment", "neutral", "contradiction", "other"]);
        check(&["entailment", "entailment", "contradiction"]);
        check(&["positive", "negative"]);
        assert!(Labels::of(&json!({})).unwrap_err().starts_with("has no id2label"));
        let sparse = json!({ "id2label": { "0": "entailment", "7": "contradiction" } });
        assert!(Labels::of(&sparse).is_err(), "a position beyond the outputs");
    }

    #[test]
    fn outputs_become_shares_of_their_labels() {
        let three = labels(&["contradiction", "entailment", "neutral"]).unwrap();
        let scores = three.scores(&[1000.0, 1000.0, -1000.0]).unwrap();
        assert_eq!(scores, EntailmentScores { entailed: 0.5, neutral: 0.0, contradicted: 0.5 });
        let two = labels(&["contradiction", "entailment"]).unwrap();
        assert_eq!(two.scores(&[-1000.0, 0.0]).unwrap().entailed, 1.0);
        assert_eq!(three.scores(&[0.0, 0.0]), None);
        assert_eq!(three.scores(&[0.0, f32::NAN, 0.0]), None);
    }
}
