//! A configured reranking model, over real HTTP: through the command, the context of the service, and the doctor.

use annals_testkit::{ModelRequest, ModelServer, Script};
use serde_json::{Value, json};

use crate::command::Annals;
use crate::service::Served;
use crate::story::line;

/// Creates a folder with a few turns about boats and with the model at `url` as reranker.
pub fn annals(url: &str) -> Annals {
    let annals = Annals::new();
    std::fs::create_dir_all(annals.data()).unwrap();
    let reranker = "model = \"reranker\"\nkey = \"sk-very-secret\"\ntimeout = \"1m\"";
    let config = format!("[models.rerank]\nbase_url = \"{url}\"\n{reranker}\n");
    std::fs::write(annals.data().join("annals.toml"), config).unwrap();
    let output = [
        ("1", "Ann told at length how the blue boat was bought in the harbour for very little money."),
        ("2", "Boat?"),
        ("3", "It rained all day."),
    ];
    let lines = output.iter().map(|(id, text)| line("ann", "c", id, "Ann", text, "2026-11-05T10:00:00Z"));
    annals.import(&lines.collect::<String>());
    annals
}

fn search(annals: &Annals) -> Value {
    annals.json(&["search", "boat", "--agent", "ann", "--grain", "working", "--explain"])
}

fn texts(answer: &Value) -> Vec<&str> {
    answer["results"].as_array().unwrap().iter().map(|found| found["text"].as_str().unwrap()).collect()
}

/// Answers like a model that prefers the last text, then the one before it, and so on.
fn upside_down(request: &ModelRequest) -> Script {
    let number = request.body["documents"].as_array().unwrap().len();
    let results: Value = (0..number).map(|place| json!({ "index": place, "relevance_score": place })).collect();
    Script::Raw(json!({ "results": results }).to_string())
}

#[test]
fn configured_model_reorders_results() {
    let server = ModelServer::choosing(upside_down);
    let annals = annals(server.base_url());
    let ordered = search(&annals);
    assert_eq!(ordered["reranked"], json!(true), "{ordered}");
    assert!(ordered["results"][0].to_string().contains("\"rerank\""), "{ordered}");
    let request = &server.requests()[0];
    assert_eq!((request.path.as_str(), &request.body["query"]), ("/v1/rerank", &json!("boat")));
    assert_eq!(request.headers["authorization"], "Bearer sk-very-secret");
    let usage = annals.json(&["status", "--agent", "ann"])["agents"][0]["usage"].clone();
    assert_eq!((&usage[0]["purpose"], &usage[0]["calls"]), (&json!("rerank"), &json!(1)), "{usage}");

    annals.json(&["agent", "set", "ann", "--engine", "extractive"]);
    let plain = search(&annals);
    assert_eq!((&plain["reranked"], server.requests().len()), (&Value::Null, 1), "its words stay here");
    let mut turned = texts(&plain);
    turned.reverse();
    assert_eq!((texts(&ordered), turned.len()), (turned, 3));
}

#[test]
fn search_is_answered_whatever_the_model_does() {
    #[track_caller]
    fn check(script: Script, more: &str, why: &str) {
        let server = ModelServer::always(script.clone());
        let annals = annals(server.base_url());
        let more: Vec<&str> = more.split_whitespace().flat_map(|set| ["--set", set]).collect();
        let ask = ["search", "boat", "--agent", "ann", "--grain", "working"];
        let answer = annals.json(&[&ask[..], &more[..]].concat());
        assert_eq!((&answer["reranked"], answer["results"].as_array().unwrap().len()), (&json!(false), 3));
        assert_eq!(answer["not_reranked_because"], json!(why), "{script:?}");
        assert_eq!(server.requests().len(), usize::from(!why.contains("budget")), "{script:?}");
        let answer = annals.run(&[&ask[..], &more[..]].concat());
        assert!(answer.out.contains(why) && !(answer.out + &answer.err).contains("very-secret"), "{script:?}");
    }
    check(Script::Hangs, "models.rerank.timeout=50ms", "no answer within 50ms");
    check(Script::Refuses(500, None), "", "it answered with status 500");
    check(Script::Raw("{\"results\": []}".into()), "", "it left out a text");
    check(Script::Answers("Certainly!".into()), "", "its answer contains no list of scores");
    let spent = "the daily budget of 1 tokens has too little left for this request; it resets at 2026-11-21T00:00:00Z";
    check(Script::Good, "models.rerank.daily_tokens=1", spent);
}

#[tokio::test]
async fn context_is_reranked_and_measured() {
    let server = ModelServer::start([]);
    let served = Served::over(annals(server.base_url()));
    let context_request = json!({ "prompt": "boat", "documents": [{ "id": "d", "text": "A boat needs paint." }] });
    let (_, context) = served.post("/v1/agents/ann/context", &context_request).await;
    assert_eq!((&context["reranked"], &context["not_reranked_because"]), (&json!(true), &Value::Null), "{context}");
    let sent = server.requests()[0].body["documents"].to_string();
    assert!(server.requests().len() == 1 && sent.contains("needs paint") && sent.contains("blue boat"), "{sent}");
    server.then(Script::Refuses(500, None));
    let (_, answer) = served.post("/v1/agents/ann/search", &json!({ "query": "boat" })).await;
    assert_eq!((&answer["reranked"], answer["results"].as_array().unwrap().len()), (&json!(false), 3), "{answer}");
    let (_, metrics) = served.get("/metrics").await;
    for line in ["annals_rerank_seconds_count 1", "annals_failures_total{part=\"rerank\",cause=\"unavailable\"} 1"] {
        assert!(metrics.as_str().unwrap().contains(line), "{line}");
    }
}

#[test]
fn doctor_tests_the_reranker_with_two_texts() {
    fn examine(annals: &Annals) -> (i32, Value) {
        let answer = annals.run(&["doctor", "--json", "--set", "server.listen=127.0.0.1:0"]);
        let findings: Value = serde_json::from_str::<Value>(&answer.out).unwrap()["findings"].clone();
        let found = findings.as_array().unwrap().iter().find(|finding| finding["about"] == "reranker");
        assert!(!answer.out.contains("very-secret"));
        (answer.code, found.unwrap().clone())
    }
    let server = ModelServer::start([]);
    let annals = annals(server.base_url());
    let mut permissions = std::fs::metadata(annals.data().join("annals.toml")).unwrap().permissions();
    std::os::unix::fs::PermissionsExt::set_mode(&mut permissions, 0o600);
    std::fs::set_permissions(annals.data().join("annals.toml"), permissions).unwrap();
    let (code, found) = examine(&annals);
    assert_eq!((code, &found["state"]), (0, &json!("ok")), "{found}");
    let upside_down =
        json!({ "results": [{ "index": 0, "relevance_score": 2 }, { "index": 1, "relevance_score": 1 }] });
    server.then(Script::Raw(upside_down.to_string()));
    assert_eq!(examine(&annals).1["state"], json!("doubtful"));
    server.then(Script::Refuses(500, None));
    let (code, found) = examine(&annals);
    assert_eq!((code, &found["state"]), (1, &json!("wrong")), "{found}");
}
