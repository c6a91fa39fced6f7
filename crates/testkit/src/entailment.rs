//! An in-memory implementation of the port `Entailment`: a list of pairs of words that exclude each other.

use annals_core::ports::{EntailmentPair, EntailmentScores};
use annals_core::{Entailment, Result};
use async_trait::async_trait;
use parking_lot::Mutex;

use crate::word_split::words;

/// Port `Entailment` without a model. A hypothesis is contradicted if it has one word of a pair and the premise the other,
/// entailed if the premise has all of its words, and otherwise neutral. Records the pairs, so that a test can see what was judged.
#[derive(Debug, Default)]
pub struct OppositeWords {
    opposites: Vec<[String; 2]>,
    judged: Mutex<Vec<EntailmentPair>>,
}

impl OppositeWords {
    /// Creates an implementation with these pairs of words that exclude each other.
    pub fn new(opposites: &[[&str; 2]]) -> OppositeWords {
        let opposites = opposites.iter().map(|pair| pair.map(str::to_owned)).collect();
        OppositeWords { opposites, judged: Mutex::default() }
    }

    /// Returns the pairs that were judged so far.
    pub fn judged(&self) -> Vec<EntailmentPair> {
        self.judged.lock().clone()
    }

    fn scores(&self, pair: &EntailmentPair) -> EntailmentScores {
        let (premise, hypothesis) = (words(&pair.premise), words(&pair.hypothesis));
        let exclude = |one: &String, other: &String| premise.contains(one) && hypothesis.contains(other);
        let nothing = EntailmentScores::default();
        if self.opposites.iter().any(|[one, other]| exclude(one, other) || exclude(other, one)) {
            EntailmentScores { contradicted: 1.0, ..nothing }
        } else if hypothesis.iter().all(|word| premise.contains(word)) {
            EntailmentScores { entailed: 1.0, ..nothing }
        } else {
            EntailmentScores { neutral: 1.0, ..nothing }
        }
    }
}

#[async_trait]
impl Entailment for OppositeWords {
    fn model(&self) -> &str {
        "opposite words"
    }

    async fn judge(&self, pairs: Vec<EntailmentPair>) -> Result<Vec<EntailmentScores>> {
        let scores = pairs.iter().map(|pair| self.scores(pair)).collect();
        self.judged.lock().extend(pairs);
        Ok(scores)
    }
}

#[cfg(test)]
mod tests {
    use annals_core::ports::Relation;

    use super::*;

    #[tokio::test]
    async fn keeps_the_promises_of_the_port() {
        crate::entailment_suite(&OppositeWords::new(&[["took", "refused"]])).await;
    }

    #[test]
    fn words_decide() {
        fn check(premise: &str, hypothesis: &str, expect: Relation) {
            let pair = EntailmentPair { premise: premise.into(), hypothesis: hypothesis.into() };
            let scores = OppositeWords::new(&[["took", "refused"]]).scores(&pair);
            assert_eq!(scores.relation(), expect, "{premise} / {hypothesis}");
        }
        check("Ann refused it.", "Ann took it.", Relation::Contradicted);
        check("Ann took it.", "Ann refused it.", Relation::Contradicted);
        check("Ann took it.", "Ann took it.", Relation::Entailed);
        check("Ann took it.", "Bob took it.", Relation::Neutral);
    }
}
