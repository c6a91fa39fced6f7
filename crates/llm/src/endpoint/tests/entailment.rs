//! A model of entailment judges the sentences of summaries in addition to the rules.

use annals_testkit::{Faulty, OppositeWords};

use super::*;

async fn drafted(server: &ModelServer, more: Value, entailment: Option<EntailmentCheck>) -> Result<Draft> {
    let mut rig = Rig::with(server, more);
    if let Some(entailment) = entailment {
        rig.endpoint = rig.endpoint.clone().with_entailment(entailment);
    }
    rig.day(&turns(&[("c", "Ann", "I refused the loan."), ("d", "Ann", "I went to bed.")]).await).await
}

/// Returns a server whose summary turns the refusal into its opposite, in words that the rules accept.
fn server() -> ModelServer {
    ModelServer::start([sentences(json!([
        { "text": "Ann took the loan.", "sources": [1] },
        { "text": "Ann went to bed.", "sources": [2] },
    ]))])
}

fn check(model: impl annals_core::Entailment + 'static) -> Option<EntailmentCheck> {
    Some(EntailmentCheck { model: Arc::new(model), contradiction: 0.9 })
}

fn opposites() -> OppositeWords {
    OppositeWords::new(&[["took", "refused"]])
}

fn marks(draft: &Draft) -> Vec<(&str, bool)> {
    draft.sentences.iter().map(|sentence| (sentence.text.as_str(), sentence.ungrounded)).collect()
}

#[tokio::test]
async fn planted_contradiction_is_marked_only_with_the_model() {
    let rules = drafted(&server(), json!({}), None).await.unwrap();
    assert_eq!(marks(&rules), [("Ann took the loan.", false), ("Ann went to bed.", false)]);
    let both = drafted(&server(), json!({}), check(opposites())).await.unwrap();
    assert_eq!(marks(&both), [("Ann took the loan.", true), ("Ann went to bed.", false)]);
    assert_eq!((rules.ungrounded, both.ungrounded), (0, 1));
}

#[tokio::test]
async fn contradicted_sentence_is_dropped_if_configured() {
    let draft = drafted(&server(), json!({ "ungrounded": "drop" }), check(opposites())).await.unwrap();
    assert_eq!((marks(&draft), draft.ungrounded), (vec![("Ann went to bed.", false)], 0));
}

#[tokio::test]
async fn summary_survives_a_failing_model() {
    let draft = drafted(&server(), json!({}), check(Faulty::during(opposites(), 1..9))).await.unwrap();
    assert_eq!(marks(&draft), [("Ann took the loan.", false), ("Ann went to bed.", false)]);
}

#[test]
fn recipe_changes_with_the_model() {
    let rig = Rig::of(json!({ "base_url": "http://127.0.0.1:9/v1", "model": "test" }));
    let recipe = |endpoint: &Endpoint| endpoint.recipe(&Settings::default(), Grain::Daily);
    let judged = rig.endpoint.clone().with_entailment(check(opposites()).unwrap());
    assert_ne!(recipe(&rig.endpoint), recipe(&judged));
}
