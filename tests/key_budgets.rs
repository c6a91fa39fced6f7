//! Budgets of tokens of API keys, as people set them and as clients of the service meet them.

use annals_testkit::{ModelRequest, ModelServer, Script};
use reqwest::Method;
use serde_json::{Value, json};

use crate::command::{Annals, NOW};
use crate::rerank::annals;
use crate::service::Served;

/// Scores every text alike, and reports the same cost for every call.
fn costly(request: &ModelRequest) -> Script {
    let number = request.body["documents"].as_array().unwrap().len();
    let results: Value = (0..number).map(|place| json!({ "index": place, "relevance_score": 1 })).collect();
    Script::Raw(json!({ "results": results, "usage": { "total_tokens": 900 } }).to_string())
}

/// Adds a key. Returns its id and its text.
fn add_key(annals: &Annals, name: &str, more: &[&str]) -> (String, String) {
    let made = annals.json(&[&["key", "add", name, "--scope", "search,ingest"], more].concat());
    (made["id"].as_str().unwrap().to_owned(), made["key"].as_str().unwrap().to_owned())
}

/// Searches with a key. Returns why the answer was not reranked; `None` if it was.
async fn search(served: &Served, key: &str) -> Option<String> {
    let query = json!({ "query": "boat" });
    let (status, answer) = served.ask(Method::POST, "/v1/agents/ann/search", Some(key), Some(&query)).await;
    assert_eq!((status.as_u16(), answer["results"].as_array().unwrap().len()), (200, 3), "{answer}");
    assert_eq!(answer["reranked"].as_bool().unwrap(), answer["not_reranked_because"].is_null(), "{answer}");
    answer["not_reranked_because"].as_str().map(str::to_owned)
}

fn listed(annals: &Annals, hours: u32, id: &str) -> (Value, Value) {
    let keys = annals.json_after(hours, &["key", "list"]);
    let key = keys.as_array().unwrap().iter().find(|key| key["id"] == id).unwrap().clone();
    (key["tokens_today"].clone(), key["daily_tokens"].clone())
}

#[tokio::test]
async fn spent_key_searches_without_the_model_until_midnight_and_other_keys_go_on() {
    let server = ModelServer::choosing(costly);
    let annals = annals(server.base_url());
    let (small_id, small) = add_key(&annals, "small", &["--daily-tokens", "900"]);
    let (free_id, free) = add_key(&annals, "free", &[]);
    let served = Served::over_unlimited_with(annals, &["--now", NOW]);
    assert_eq!(search(&served, &small).await, None);
    let spent = "the daily budget of 900 tokens of this API key has too little left for this request; it resets at \
        2026-11-21T00:00:00Z";
    assert_eq!(search(&served, &small).await.as_deref(), Some(spent));
    assert_eq!(search(&served, &free).await, None);
    assert_eq!(search(&served, &free).await, None);
    let prompt = json!({ "prompt": "boat" });
    for (key, expect) in [(&small, false), (&free, true)] {
        let (_, context) = served.ask(Method::POST, "/v1/agents/ann/context", Some(key), Some(&prompt)).await;
        assert_eq!(context["reranked"], json!(expect), "{context}");
    }
    assert_eq!(server.requests().len(), 4);
    assert_eq!(listed(&served.annals, 0, &small_id), (json!(900), json!(900)));
    assert_eq!(listed(&served.annals, 0, &free_id), (json!(2700), Value::Null));
    let shown = served.annals.run(&["key", "list"]).out;
    assert!(shown.contains("900 of 900 tokens today") && shown.contains("2700 tokens today"), "{shown}");
    let usage = served.annals.json(&["status", "--agent", "ann"])["agents"][0]["usage"].clone();
    assert_eq!((&usage[0]["calls"], &usage[0]["tokens_in"]), (&json!(4), &json!(3600)), "the agent pays all: {usage}");

    let served = Served::over_unlimited_with(served.kill(), &["--now", "2026-11-20T23:59:59Z"]);
    assert_eq!(search(&served, &small).await.as_deref(), Some(spent), "a restart changes nothing");
    let served = Served::over_unlimited_with(served.kill(), &["--now", "2026-11-21T00:00:00Z"]);
    assert_eq!(search(&served, &small).await, None);
    assert_eq!(listed(&served.annals, 12, &small_id).0, json!(900));
}

#[tokio::test]
async fn limit_is_changed_while_the_service_runs() {
    let server = ModelServer::choosing(costly);
    let annals = annals(server.base_url());
    let (id, key) = add_key(&annals, "phone", &["--daily-tokens", "0"]);
    let served = Served::over_unlimited_with(annals, &["--now", NOW]);
    assert!(search(&served, &key).await.unwrap().contains("of 0 tokens of this API key"));
    for (limit, expect) in [("900", true), ("900", false), ("none", true), ("1800", false), ("2700", true)] {
        let set = served.annals.run(&["key", "set", &id, "--daily-tokens", limit]);
        assert!(set.code == 0 && set.out.contains(&id), "{} {}", set.out, set.err);
        assert_eq!(search(&served, &key).await.is_none(), expect, "{limit}");
    }
    let error = served.annals.run(&["key", "set", "nobody", "--daily-tokens", "1"]);
    assert!(error.code != 0 && error.err.contains("nobody"), "{}", error.err);
    let error = served.annals.run(&["key", "set", &id, "--daily-tokens", "-1"]);
    assert!(error.err.contains("it must be a whole number or none"), "{}", error.err);
}

/// The client's own time must not choose the day of the budget.
#[tokio::test]
async fn time_of_a_question_does_not_choose_the_day_of_the_budget() {
    let server = ModelServer::choosing(costly);
    let annals = annals(server.base_url());
    let (id, key) = add_key(&annals, "mem0", &["--daily-tokens", "900"]);
    let served = Served::over_unlimited_with(annals, &["--now", NOW]);
    for day in ["2026-11-10", "2026-11-11", "2026-11-12"] {
        let query = json!({ "query": "boat", "reference_date": day });
        let path = "/compat/mem0/ann/v3/memories/search/";
        let (status, answer) = served.ask(Method::POST, path, Some(&key), Some(&query)).await;
        assert_eq!(status.as_u16(), 200, "{answer}");
    }
    assert_eq!((server.requests().len(), listed(&served.annals, 0, &id).0), (1, json!(900)));
}
