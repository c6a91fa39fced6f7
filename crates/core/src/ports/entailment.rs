//! Port `Entailment`: judges whether a premise entails or contradicts a hypothesis.

use async_trait::async_trait;

use crate::Result;

/// A premise, and a hypothesis to be judged by it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct EntailmentPair {
    /// What is taken as true.
    pub premise: String,
    /// The sentence to judge.
    pub hypothesis: String,
}

/// How likely each relation between a premise and a hypothesis is. The three numbers are from 0 to 1, and their sum is 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EntailmentScores {
    /// The hypothesis follows from the premise.
    pub entailed: f32,
    /// The premise neither implies nor excludes the hypothesis.
    pub neutral: f32,
    /// The premise excludes the hypothesis.
    pub contradicted: f32,
}

/// The relation between a premise and a hypothesis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// The hypothesis follows from the premise.
    Entailed,
    /// The premise neither implies nor excludes the hypothesis.
    Neutral,
    /// The premise excludes the hypothesis.
    Contradicted,
}

impl EntailmentScores {
    /// Returns the most likely relation; of equal ones the more harmless one, so that doubt never counts as a contradiction.
    pub fn relation(self) -> Relation {
        if self.contradicted > self.neutral.max(self.entailed) {
            Relation::Contradicted
        } else if self.entailed > self.neutral {
            Relation::Entailed
        } else {
            Relation::Neutral
        }
    }
}

/// A model that compares a sentence with the text that it is said to come from.
#[async_trait]
pub trait Entailment: Send + Sync {
    /// Returns the name of the model.
    fn model(&self) -> &str;

    /// Returns the scores of each pair, in order. Equal pairs get equal scores. Cuts a text that exceeds the model's window, the
    /// end of the premise first. An error gives the reason without any words of the texts.
    async fn judge(&self, pairs: Vec<EntailmentPair>) -> Result<Vec<EntailmentScores>>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn most_likely_relation_wins_and_doubt_is_no_contradiction() {
        fn check((entailed, neutral, contradicted): (f32, f32, f32), expect: Relation) {
            assert_eq!(EntailmentScores { entailed, neutral, contradicted }.relation(), expect);
        }
        check((0.5, 0.3, 0.2), Relation::Entailed);
        check((0.2, 0.5, 0.3), Relation::Neutral);
        check((0.2, 0.3, 0.5), Relation::Contradicted);
        check((0.5, 0.0, 0.5), Relation::Entailed);
        check((0.5, 0.5, 0.0), Relation::Neutral);
    }
}
