//! Reranking: a configured model that reads question and text together orders the best candidates. It is called only if the
//! agent's settings allow models to read its memory. Search results and context items use the same step.
//!
//! The scores stay the same, except that equal ones are set apart by `STEP`. They are reassigned in the model's order, the
//! highest to its first choice. So a text that the model ranked stays above the texts that it was not shown, unless they had
//! the same score, and `explain` shows how far each one moved. If the model returns no order nothing changes, and the answer
//! says why.

use std::sync::Arc;

use annals_core::ports::RerankTask;
use annals_core::{Agent, EngineChoice, Error, Reranked, Reranker, Settings, Timestamp};

use crate::Search;

/// Minimum difference between two neighbouring scores after reranking. Without it, equal scores would lose the model's order.
const STEP: f64 = 1e-6;

/// A reranking model, and how many of the best candidates it is shown.
#[derive(Clone)]
pub(crate) struct RerankConfig {
    reranker: Arc<dyn Reranker>,
    candidates: usize,
}

/// Whom a call to the reranking model is booked to besides the agent, and when.
#[derive(Clone, Copy, Debug)]
pub struct Billing<'a> {
    /// Id of the API key of the request, if it has one.
    pub access_key: Option<&'a str>,
    /// The current time. It chooses the day of the budgets, even if the question is asked as of another time.
    pub now: Timestamp,
}

/// The question, the agent and the billing of one reranking.
pub(crate) struct RerankRequest<'a> {
    pub(crate) agent: &'a Agent,
    pub(crate) question: &'a str,
    pub(crate) billing: Billing<'a>,
}

impl Search {
    /// Returns the search with a model that reorders the best `candidates` results.
    pub fn reranked_by(self, reranker: Arc<dyn Reranker>, candidates: usize) -> Search {
        Search { rerank_config: Some(RerankConfig { reranker, candidates }), ..self }
    }

    /// Returns the texts that the model is shown, with their scores, best first. Returns no texts without a model, or if models
    /// may not read the agent's memory.
    pub(crate) fn shown(&self, settings: &Settings, ranked: impl Iterator<Item = (String, f64)>) -> Vec<(String, f64)> {
        let may_read = settings.engine == EngineChoice::Auto;
        let candidates =
            self.rerank_config.as_ref().filter(|_| may_read).map_or(0, |rerank_config| rerank_config.candidates);
        ranked.take(candidates).collect()
    }

    /// Returns whether the model reordered the texts, and the change to the score of each text shown. There are no changes if
    /// the model returned no order, or if fewer than two texts are shown.
    pub(crate) async fn rerank(&self, request: RerankRequest<'_>, shown: Vec<(String, f64)>) -> (Reranked, Vec<f64>) {
        let Some(rerank_config) = self.rerank_config.as_ref().filter(|_| shown.len() > 1) else {
            return (Reranked::NotRequested, Vec::new());
        };
        let (texts, scores): (Vec<String>, Vec<f64>) = shown.into_iter().unzip();
        let task = RerankTask {
            agent: request.agent,
            question: request.question,
            texts: &texts,
            access_key: request.billing.access_key,
            now: request.billing.now,
        };
        match rerank_config.reranker.rerank(task).await {
            Ok(judged) => (Reranked::Yes, changes(&scores, &judged)),
            Err(error) => (Reranked::No(why(&error)), Vec::new()),
        }
    }
}

/// Returns the number to add to each score so that the texts are in the model's order. Expects the scores best first. Texts
/// that the model judges equal keep their order.
fn changes(scores: &[f64], judged: &[f64]) -> Vec<f64> {
    let mut indexes: Vec<usize> = (0..scores.len()).collect();
    indexes.sort_by(|a, b| judged[*b].total_cmp(&judged[*a]));
    let mut changes = vec![0.0; scores.len()];
    let mut above = f64::INFINITY;
    for (index, score) in indexes.into_iter().zip(scores) {
        above = score.min(above - STEP);
        changes[index] = above - scores[index];
    }
    changes
}

/// Returns the reason of the failure without the address of the endpoint, which clients that search must not see.
fn why(error: &Error) -> String {
    match error {
        Error::Unavailable { source, .. } | Error::Model { source, .. } | Error::Storage { source, .. } => {
            source.to_string()
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_reassigned_in_the_models_order() {
        fn check(scores: &[f64], judged: &[f64], expect: &[f64]) {
            let changes = changes(scores, judged);
            let after: Vec<f64> = scores.iter().zip(&changes).map(|(score, change)| score + change).collect();
            let is_near = after.iter().zip(expect).all(|(a, b)| (a - b).abs() < 1e-4);
            assert!(is_near && after.len() == expect.len(), "{after:?} is not {expect:?}");
            // The order is the model's, whatever the scores were.
            for (a, one) in judged.iter().enumerate() {
                assert!(judged.iter().enumerate().all(|(b, other)| one <= other || after[a] > after[b]), "{after:?}");
            }
        }
        check(&[3.0, 2.0, -1.0], &[0.1, 0.2, 0.3], &[-1.0, 2.0, 3.0]);
        check(&[3.0, 2.0, -1.0], &[-5.0, 90.0, -2.0], &[-1.0, 3.0, 2.0]);
        check(&[3.0, 2.0], &[0.5, 0.5], &[3.0, 2.0]);
        check(&[1.0, 1.0, 1.0], &[1.0, 2.0, 3.0], &[1.0, 1.0, 1.0]);
        check(&[], &[], &[]);
    }

    #[test]
    fn order_equal_to_the_models_changes_no_score() {
        assert_eq!(changes(&[3.0, 2.0, 2.0 - 1e-3], &[9.0, 8.0, 8.0]), [0.0; 3]);
    }

    #[test]
    fn failure_reason_contains_no_address() {
        let what = "asking judge at http://10.0.0.7/v1";
        assert_eq!(why(&Error::unavailable(what, "no answer within 1s")), "no answer within 1s");
        assert_eq!(why(&Error::model(what, "it left out a text")), "it left out a text");
    }
}
