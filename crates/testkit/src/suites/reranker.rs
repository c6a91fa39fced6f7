//! Conformance suite of port `Reranker`.

use annals_core::Reranker;
use annals_core::ports::RerankTask;

use super::catalog::now;
use super::{SuiteTest, cases, run};
use crate::agent;

/// Runs every case on `reranker`.
pub async fn reranker_suite<R: Reranker + 'static>(reranker: &R) {
    let cases: Vec<SuiteTest<dyn Reranker>> = cases![
        scores_are_in_input_order,
        answering_text_scores_higher,
        equal_texts_have_equal_scores,
        unusual_texts_are_scored,
        empty_input_is_accepted,
    ];
    run("reranker", cases, async || reranker as &dyn Reranker).await;
}

const QUESTION: &str = "Where does the dog sleep?";

async fn scores(reranker: &dyn Reranker, question: &str, texts: &[&str]) -> Vec<f64> {
    let (agent, texts) = (agent("tester"), texts.iter().map(ToString::to_string).collect::<Vec<_>>());
    let task = RerankTask { agent: &agent, question, texts: &texts, now: now(), access_key: None };
    let scores = reranker.rerank(task).await.unwrap();
    assert_eq!(scores.len(), texts.len());
    assert!(scores.iter().all(|score| score.is_finite()), "{scores:?}");
    scores
}

async fn scores_are_in_input_order(reranker: &dyn Reranker) {
    let texts = ["Stock prices fell sharply.", "The dog does sleep in the garden.", "A dog."];
    let forwards = scores(reranker, QUESTION, &texts).await;
    let mut backwards = scores(reranker, QUESTION, &[texts[2], texts[1], texts[0]]).await;
    backwards.reverse();
    let order = |scores: &[f64]| {
        let mut places: Vec<usize> = (0..scores.len()).collect();
        places.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
        places
    };
    assert_eq!(order(&forwards), order(&backwards));
}

async fn answering_text_scores_higher(reranker: &dyn Reranker) {
    let scores = scores(reranker, QUESTION, &["Stock prices fell sharply.", "The dog does sleep in the garden."]).await;
    assert!(scores[1] > scores[0], "{scores:?}");
}

async fn equal_texts_have_equal_scores(reranker: &dyn Reranker) {
    let scores = scores(reranker, QUESTION, &["A dog.", "Tea.", "A dog."]).await;
    assert!((scores[0] - scores[2]).abs() < 1e-6, "{scores:?}");
}

async fn unusual_texts_are_scored(reranker: &dyn Reranker) {
    let long = "The dog barked at the moon. ".repeat(2_000);
    let texts = ["", " ", "a\0b", "\u{feff}e\u{301}", "👩‍👩‍👧", "我昨天在东京吃了拉面。", "\"quoted\" \\ {}", &long];
    for question in [QUESTION, "?", &long] {
        scores(reranker, question, &texts).await;
    }
}

async fn empty_input_is_accepted(reranker: &dyn Reranker) {
    assert_eq!(scores(reranker, QUESTION, &[]).await, Vec::<f64>::new());
}
