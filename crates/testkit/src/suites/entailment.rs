//! Conformance suite of port `Entailment`.

use annals_core::Entailment;
use annals_core::ports::{EntailmentPair, EntailmentScores};

use super::{SuiteTest, cases, run};

/// Runs every case on `entailment`.
pub async fn entailment_suite<E: Entailment + 'static>(entailment: &E) {
    let cases: Vec<SuiteTest<dyn Entailment>> = cases![
        model_has_a_name,
        scores_are_shares_of_one,
        scores_are_in_input_order,
        equal_pairs_have_equal_scores,
        unusual_texts_are_scored,
        empty_input_is_accepted,
    ];
    run("entailment", cases, async || entailment as &dyn Entailment).await;
}

const PAIRS: [(&str, &str); 4] = [
    ("Ann refused the offer.", "Ann took the offer."),
    ("Ann took the offer.", "Ann took the offer."),
    ("Ann took the offer.", "The moon is round."),
    ("Ann took the offer.", "Ann refused the offer."),
];

async fn scores(entailment: &dyn Entailment, pairs: &[(&str, &str)]) -> Vec<EntailmentScores> {
    let pair = |(premise, hypothesis): &(&str, &str)| EntailmentPair {
        premise: (*premise).to_owned(),
        hypothesis: (*hypothesis).to_owned(),
    };
    let scores = entailment.judge(pairs.iter().map(pair).collect()).await.unwrap();
    assert_eq!(scores.len(), pairs.len());
    for EntailmentScores { entailed, neutral, contradicted } in &scores {
        assert!([entailed, neutral, contradicted].iter().all(|score| (0.0..=1.0).contains(*score)), "{scores:?}");
        assert!((entailed + neutral + contradicted - 1.0).abs() < 1e-4, "{scores:?}");
    }
    scores
}

async fn model_has_a_name(entailment: &dyn Entailment) {
    assert!(!entailment.model().trim().is_empty());
}

async fn scores_are_shares_of_one(entailment: &dyn Entailment) {
    scores(entailment, &PAIRS).await;
}

async fn scores_are_in_input_order(entailment: &dyn Entailment) {
    let forwards = scores(entailment, &PAIRS).await;
    let mut turned = PAIRS;
    turned.reverse();
    let mut backwards = scores(entailment, &turned).await;
    backwards.reverse();
    assert_eq!(forwards, backwards);
}

async fn equal_pairs_have_equal_scores(entailment: &dyn Entailment) {
    let many: Vec<(&str, &str)> = std::iter::repeat_n(PAIRS[0], 20).collect();
    let scores = scores(entailment, &many).await;
    assert!(scores.iter().all(|score| *score == scores[0]), "{scores:?}");
}

async fn unusual_texts_are_scored(entailment: &dyn Entailment) {
    let long = "The dog barked at the moon. ".repeat(2_000);
    let texts = ["", " ", "a\0b", "\u{feff}e\u{301}", "👩‍👩‍👧", "我昨天在东京吃了拉面。", "[SEP] </s>", &long];
    for text in texts {
        scores(entailment, &[(text, "Ann took the offer."), ("Ann took the offer.", text), (text, text)]).await;
    }
}

async fn empty_input_is_accepted(entailment: &dyn Entailment) {
    assert_eq!(scores(entailment, &[]).await, []);
}
