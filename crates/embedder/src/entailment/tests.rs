use annals_core::ports::Relation;
use serde_json::json;
use tempfile::TempDir;

use super::*;

/// A toy model: negative words on one side only are a contradiction, and unknown words are neutral. Its window is 32 tokens.
const TINY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/tiny-nli");

/// Returns a copy of the toy model with one file changed; `None` removes it.
fn changed(file: &str, content: Option<Value>) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in ["model.onnx", TOKENIZER, CONFIG] {
        std::fs::copy(Path::new(TINY).join(name), folder.path().join(name)).unwrap();
    }
    match content {
        Some(content) => std::fs::write(folder.path().join(file), content.to_string()).unwrap(),
        None => std::fs::remove_file(folder.path().join(file)).unwrap(),
    }
    folder
}

fn config() -> Value {
    json(Path::new(TINY), CONFIG).unwrap().unwrap()
}

fn pair(premise: &str, hypothesis: &str) -> EntailmentPair {
    EntailmentPair { premise: premise.into(), hypothesis: hypothesis.into() }
}

fn open(folder: impl AsRef<Path>) -> Result<OnnxEntailment> {
    OnnxEntailment::open(folder, || Runtime::find(None))
}

async fn relation(model: &OnnxEntailment, premise: &str, hypothesis: &str) -> Relation {
    model.judge(vec![pair(premise, hypothesis)]).await.unwrap()[0].relation()
}

#[tokio::test]
async fn toy_model_judges_by_its_rules_in_each_runtime() {
    for runtime in [Runtime::find(None), Runtime::Rten] {
        let model = OnnxEntailment::open(TINY, move || runtime).unwrap();
        assert_eq!(model.model(), "tiny-nli");
        let check = async |premise: &str, hypothesis: &str, expect: Relation| {
            assert_eq!(relation(&model, premise, hypothesis).await, expect, "{runtime:?}: {premise} / {hypothesis}");
        };
        check("Ann moved to Oslo.", "She moved to Oslo.", Relation::Entailed).await;
        check("Ann moved to Oslo.", "Ann moved to Bern.", Relation::Neutral).await;
        check("Ann moved to Bern.", "Ann moved to Oslo.", Relation::Entailed).await;
        check("Ann refused the offer.", "Ann took the offer.", Relation::Contradicted).await;
        check("Ann took the offer.", "Ann did not.", Relation::Contradicted).await;
        check("Ann refused the offer.", "Ann did not take it.", Relation::Entailed).await;
        let scores = model.judge(vec![pair("Ann moved.", "Ann never moved.")]).await.unwrap()[0];
        let (four, eight) = (4f32.exp(), 8f32.exp());
        assert!((scores.contradicted - eight / (eight + four + 1.0)).abs() < 1e-5, "{scores:?}");
        assert!((scores.entailed + scores.neutral + scores.contradicted - 1.0).abs() < 1e-5, "{scores:?}");
    }
}

#[tokio::test]
async fn long_premise_is_cut_and_the_hypothesis_is_kept() {
    let model = open(TINY).unwrap();
    let long = "ann moved to oslo . ".repeat(20);
    assert_eq!(relation(&model, &format!("not {long}"), "ann moved").await, Relation::Contradicted);
    assert_eq!(relation(&model, &format!("{long} not"), "ann moved").await, Relation::Entailed, "beyond the window");
    assert_eq!(relation(&model, &long, "ann never moved").await, Relation::Contradicted);
    assert_eq!(relation(&model, &long, &format!("{long} zurich")).await, Relation::Entailed, "beyond half the window");
}

#[tokio::test]
async fn keeps_the_promises_of_the_port() {
    annals_testkit::entailment_suite(&open(TINY).unwrap()).await;
}

#[test]
fn labels_of_another_kind_are_refused_at_opening() {
    fn check(id2label: Value, expect: &str) {
        let folder = changed(CONFIG, Some(json!({ "max_position_embeddings": 32, "id2label": id2label })));
        let error = open(folder.path()).map(|_| ()).unwrap_err().to_string();
        assert!(error.contains("config.json") && error.contains(expect), "{error}");
        assert!(error.contains("entailment, neutral and contradiction"), "{error}");
    }
    check(json!(null), "has no id2label");
    check(json!({ "0": "LABEL_0", "1": "LABEL_1", "2": "LABEL_2" }), "label_0, label_1, label_2");
    check(json!({ "0": "entailment", "1": "not_entailment" }), "entailment, not_entailment");
}

#[test]
fn missing_files_are_named_at_opening() {
    for (file, expect) in [("model.onnx", "lacks a network"), (TOKENIZER, TOKENIZER), (CONFIG, CONFIG)] {
        let error = open(changed(file, None).path()).map(|_| ()).unwrap_err().to_string();
        assert!(error.contains(expect), "{error}");
    }
    let mut windowless = config();
    windowless["max_position_embeddings"] = Value::Null;
    let error = open(changed(CONFIG, Some(windowless)).path()).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("model_max_length") && !error.contains("embedder."), "{error}");
}

#[tokio::test]
async fn network_that_does_not_fit_its_labels_is_an_error() {
    let mut two = config();
    two["id2label"] = json!({ "0": "contradiction", "1": "entailment" });
    let check = async |folder: TempDir, expect: &[&str]| {
        let model = open(folder.path()).expect("opening reads config.json alone");
        let error = model.judge(vec![pair("a", "b")]).await.unwrap_err().to_string();
        assert!(expect.iter().all(|part| error.contains(part)), "{error}");
    };
    check(changed(CONFIG, Some(two)), &["[1, 3]", "2 labels"]).await;
    check(changed("model.onnx", Some(json!("no network"))), &["cannot load the network"]).await;
}
