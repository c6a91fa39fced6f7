//! Prices of models and what models cost, as people set and read them with the command: over a folder, and beside a service.

use annals_testkit::{ModelRequest, ModelServer, Script};
use reqwest::Method;
use serde_json::{Value, json};

use crate::command::{Annals, NOW};
use crate::service::Served;
use crate::story::{days, line};

/// Reports the same tokens for every call of the reranker.
fn costly(request: &ModelRequest) -> Script {
    let number = request.body["documents"].as_array().unwrap().len();
    let results: Value = (0..number).map(|place| json!({ "index": place, "relevance_score": 1 })).collect();
    Script::Raw(json!({ "results": results, "usage": { "total_tokens": 900 } }).to_string())
}

/// Runs a command that must fail. Returns its exit code and its error.
#[track_caller]
fn fails(annals: &Annals, args: &[&str]) -> (i32, String) {
    let answer = annals.run(args);
    assert!(answer.code != 0 && answer.out.is_empty(), "{args:?}: {}", answer.out);
    (answer.code, answer.err)
}

#[track_caller]
fn shows(annals: &Annals, args: &[&str], words: &[&str]) {
    let answer = annals.run(args);
    assert_eq!(answer.code, 0, "{args:?}: {}", answer.err);
    for word in words {
        assert!(answer.out.contains(word), "{args:?}: {word:?} is missing: {}", answer.out);
    }
}

/// Enters, lists and removes prices, beginning without any. Leaves one price, of `small`.
fn set_list_and_remove(annals: &Annals) {
    assert_eq!(annals.json(&["price", "list"]), json!({ "currency": "", "prices": [] }));
    shows(annals, &["price", "list"], &["No prices", "annals price set"]);
    let set = |args: &[&str]| annals.json(&[&["price", "set"], args].concat());
    set(&["small", "--currency", "EUR", "--input", "0.15", "--output", "0.6"]);
    let large = ["large", "--input", "2", "--cached-input", "0.2", "--cache-write", "2.5", "--output", "10"];
    let both = json!({ "currency": "EUR", "prices": [
        { "model": "large", "input": 2.0, "cached_input": 0.2, "cache_write": 2.5, "output": 10.0 },
        { "model": "small", "input": 0.15, "output": 0.6 },
    ] });
    assert_eq!(set(&large), both, "the currency is that of the others");
    assert_eq!(annals.json(&["price", "list"]), both);
    let lines = ["large  2 in, 0.2 from the cache, 2.5 into the cache, 10 out  EUR", "small  0.15 in, 0.6 out  EUR"];
    shows(annals, &["price", "list"], &lines);

    refuse_wrong_prices(annals);
    assert_eq!(annals.json(&["price", "list"]), both, "what is refused changes nothing");

    set(&["small", "--input", "0", "--output", "0.000001"]);
    shows(annals, &["price", "remove", "large"], &["large has no price any more"]);
    let (code, error) = fails(annals, &["price", "remove", "large"]);
    assert_eq!(
        (code, error.as_str()),
        (3, "annals: there is no price of model \"large\"; `annals price list` lists all prices\n")
    );
    let small = json!({ "currency": "USD", "prices": [{ "model": "small", "input": 1.0, "output": 2.0 }] });
    assert_eq!(set(&["small", "--currency", "USD", "--input", "1", "--output", "2"]), small, "the only price");
}

fn refuse_wrong_prices(annals: &Annals) {
    let check = |args: &[&str], expect: &str| {
        let (code, error) = fails(annals, &[&["price", "set"], args].concat());
        assert!(code == 2 && error.contains(expect), "{args:?}: {code} {error}");
    };
    check(&["small", "--input", "-0.1", "--output", "1"], "input is -0.1; 0 to 1000000 are allowed");
    check(&["small", "--input", "1", "--output", "1000001"], "output is 1000001; 0 to 1000000 are allowed");
    check(&["small", "--input", "1", "--output", "1", "--cached-input", "-1"], "cached_input is -1");
    check(&["small", "--input", "much", "--output", "1"], "it must be a number such as 0.15");
    check(&["small", "--input", "NaN", "--output", "1"], "it must be a number such as 0.15");
    check(&["small", "--input", "1"], "--output");
    check(&["", "--input", "1", "--output", "1"], "model must be a name of 1 to 200 bytes");
    check(
        &["small", "--currency", "USD", "--input", "1", "--output", "1"],
        "currency is \"USD\", but the prices of other",
    );
    check(&["small", "--currency", "", "--input", "1", "--output", "1"], "currency must have 1 to 8 letters");
    let wrong = ["price", "set", "small", "--input", "-1", "--output", "-2", "--json"];
    let error: Value = serde_json::from_str(&fails(annals, &wrong).1).unwrap();
    let fields: Vec<&Value> = error["error"]["faults"].as_array().unwrap().iter().map(|one| &one["field"]).collect();
    assert_eq!(fields, ["input", "output"], "{error}");
}

#[test]
fn prices_are_set_one_by_one() {
    let annals = Annals::new();
    assert_eq!(fails(&annals, &["price", "list"]).0, 3, "there is no data folder yet");
    let (_, error) = fails(&annals, &["price", "set", "small", "--input", "1", "--output", "1"]);
    assert!(error.contains("currency must have 1 to 8 letters"), "no currency and no other price: {error}");
    set_list_and_remove(&annals);
}

#[tokio::test]
async fn prices_are_set_while_the_service_runs() {
    let served = Served::unlimited();
    set_list_and_remove(&served.annals);
    let (_, prices) = served.get("/v1/prices").await;
    assert_eq!(prices, served.annals.json(&["price", "list"]));
}

/// Two models that are priced at once must both have a price.
#[test]
fn prices_set_at_once_do_not_replace_each_other() {
    let served = Served::unlimited();
    let models: Vec<String> = (0..8).map(|number| format!("model-{number}")).collect();
    let set = |model| ["price", "set", model, "--currency", "EUR", "--input", "1", "--output", "2"];
    let children: Vec<_> = models
        .iter()
        .map(|model| served.annals.command(&set(model)).stdout(std::process::Stdio::null()).spawn().unwrap())
        .collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let prices = served.annals.json(&["price", "list"])["prices"].clone();
    let names: Vec<&Value> = prices.as_array().unwrap().iter().map(|price| &price["model"]).collect();
    assert_eq!(names, models.iter().collect::<Vec<_>>());
}

/// Checks the costs of one call of the reranker with 900 tokens today, beginning without prices.
fn cost_of_one_call(annals: &Annals) {
    let unpriced = ["900 tokens without a price: reranker. `annals price set`", "order of search results"];
    shows(annals, &["costs"], &unpriced);
    let shown = annals.run(&["costs"]).out;
    assert!(!shown.contains("0.00") && shown.contains("no price"), "what has no price is not free: {shown}");

    annals.json(&["price", "set", "reranker", "--currency", "EUR", "--input", "4.67", "--output", "0"]);
    let costs = annals.json(&["costs"]);
    assert_eq!(
        (&costs["from"], &costs["to"], &costs["cost"], &costs["currency"], &costs["unpriced"]),
        (&json!("2026-10-22"), &json!("2026-11-20"), &json!(0.004203), &json!("EUR"), &json!([]))
    );
    let priced = ["2026-10-22 to 2026-11-20 (UTC): 0.0042 EUR for 900 tokens.", "tokens in  tokens out"];
    shows(annals, &["costs"], &priced);
    assert_eq!(annals.json(&["costs", "--agent", "ann"])["costs"], costs["costs"]);
    assert_eq!(annals.json(&["costs", "--agent", "bob"])["costs"], json!([]));
    shows(annals, &["costs", "--agent", "bob"], &["no tokens; no model was called"]);
    shows(annals, &["costs", "--from", "2026-11-20", "--to", "2026-11-20"], &["2026-11-20 (UTC): 0.0042 EUR"]);
    shows(annals, &["costs", "--to", "2026-11-19"], &["2026-10-21 to 2026-11-19 (UTC): no tokens"]);

    let check = |args: &[&str], code: i32, expect: &str| {
        let failed = fails(annals, &[&["costs"], args].concat());
        assert!(failed.0 == code && failed.1.contains(expect), "{args:?}: {failed:?}");
    };
    check(&["--from", "2026-11-20", "--to", "2026-11-19"], 2, "to is before from");
    check(&["--from", "yesterday"], 2, "expected a valid date such as 2026-03-04");
    check(&["--agent", "nobody"], 3, "nobody");
    annals.json(&["price", "remove", "reranker"]);
}

#[tokio::test]
async fn costs_are_those_of_the_entered_prices() {
    let server = ModelServer::choosing(costly);
    let annals = crate::rerank::annals(server.base_url());
    shows(&annals, &["costs"], &["2026-10-22 to 2026-11-20 (UTC): no tokens; no model was called."]);
    annals.json(&["agent", "create", "bob"]);
    annals.json(&["search", "boat", "--agent", "ann", "--grain", "working"]);
    cost_of_one_call(&annals);
    let served = Served::over_unlimited_with(annals, &["--now", NOW]);
    cost_of_one_call(&served.annals);
    let (_, costs) = served.ask(Method::GET, "/v1/costs", None, None).await;
    assert_eq!(costs, served.annals.json(&["costs"]));
}

#[test]
fn costs_of_models_with_and_without_a_price_are_told_apart() {
    let server = ModelServer::choosing(costly);
    let annals = crate::rerank::annals(server.base_url());
    annals.import(&line("bob", "c", "1", "Bob", "My boat is red.", "2026-11-05T10:00:00Z"));
    let search = ["search", "boat", "--grain", "working", "--agent"];
    annals.json(&[&search[..], &["ann"]].concat());
    annals.json(&[&search[..], &["ann", "--set", "models.rerank.model=other"]].concat());
    annals.json(&["price", "set", "other", "--currency", "€", "--input", "1000", "--output", "0"]);
    let words = ["(UTC): 0.90 € for 900 tokens.", "900 tokens without a price: reranker.", "over 0.90 €", "no price"];
    shows(&annals, &["costs"], &words);
    annals.json(&["forget", "--agent", "ann", "--from", "2026-11-05", "--to", "2026-11-05", "--yes"]);
    annals.json(&["agent", "delete", "ann", "--yes"]);
    shows(&annals, &["costs"], &["(UTC): 0.90 € for 900 tokens."]);
}

#[test]
fn estimate_names_money_by_grain_and_in_all() {
    let server = ModelServer::start([]);
    let annals = Annals::new();
    std::fs::create_dir_all(annals.data()).unwrap();
    let config = format!("[models]\nbase_url = \"{}\"\nmodel = \"scripted\"\nwindow = 8192\n", server.base_url());
    std::fs::write(annals.data().join("annals.toml"), config).unwrap();
    annals.import(&(days("ann", 1, 1) + &days("bob", 1, 1)));
    let dry_run = ["rollup", "--dry-run"];
    shows(&annals, &dry_run, &["daily: 1 call, about", "without a price: scripted; `annals price set`"]);
    let unpriced = annals.json(&dry_run);
    assert_eq!((&unpriced[0]["currency"], &unpriced[0]["estimates"][0]["cost"]), (&json!(""), &Value::Null));

    annals.json(&["price", "set", "cheap", "--currency", "USD", "--input", "0.15", "--output", "0.6"]);
    let of_two_models = [&dry_run[..], &["--set", "models.extraction.model=cheap"]].concat();
    let words =
        ["what has a price costs about 0.0", "without a price: scripted; ", "all agents together cost about 0.0"];
    shows(&annals, &of_two_models, &words);
    annals.json(&["price", "set", "scripted", "--currency", "USD", "--input", "0.15", "--output", "0.6"]);
    let estimates = annals.json(&dry_run);
    // Nothing may be rolled up between the estimates.
    std::fs::create_dir_all(annals.data().join("jobs")).unwrap();
    let off = include_str!("../jobs/rollup.toml").replace("enabled = true", "enabled = false");
    std::fs::write(annals.data().join("jobs/rollup.toml"), off).unwrap();
    let served = Served::over_unlimited_with(annals, &["--now", NOW]);
    let annals = &served.annals;
    let mut sums = Vec::new();
    for agent in estimates.as_array().unwrap() {
        assert_eq!(agent["currency"], json!("USD"), "{agent}");
        let estimates = agent["estimates"].as_array().unwrap();
        let costs: Vec<f64> = estimates.iter().map(|one| one["cost"].as_f64().unwrap()).collect();
        assert!(costs.iter().all(|cost| (0.000_01..0.01).contains(cost)), "small sums: {agent}");
        sums.push(costs.iter().sum::<f64>());
        for (estimate, cost) in estimates.iter().zip(costs) {
            let words = format!("out, about {}", annals_core::numbers::money(cost, "USD"));
            let purpose = format!("{}: ", estimate["purpose"].as_str().unwrap());
            shows(annals, &dry_run, &[&words, &purpose]);
        }
    }
    let money = |sum: f64| annals_core::numbers::money(sum, "USD");
    shows(
        annals,
        &dry_run,
        &[
            &format!("that costs about {}, or ", money(sums[0])),
            &format!("all agents together cost about {}, or ", money(sums[0] + sums[1])),
            "with `--batch`",
        ],
    );
}
