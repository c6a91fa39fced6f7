//! Accepted tables, and all faults reported at once. JSON stands in for TOML: the data model is the same.

use std::time::Duration;

use secrecy::ExposeSecret;
use serde_json::{Value, json};

use super::check::{WINDOW, output_tokens};
use super::*;

fn read(table: Value) -> Result<Models, Vec<String>> {
    let config: ModelsConfig = serde_json::from_value(table).map_err(|error| vec![error.to_string()])?;
    let variable = |name: &str| (name == "GOOD_KEY").then(|| "sk-secret".to_owned());
    config.check(variable).map_err(|faults| faults.iter().map(Fault::to_string).collect())
}

#[test]
fn unset_fields_are_taken_from_the_models_table() {
    let models = read(json!({
        "base_url": "http://127.0.0.1:11434/v1/", "model": "small", "key_env": "GOOD_KEY", "timeout": "2m 30s",
        "extraction": { "off": true },
        "monthly": { "model": "large", "window": 32768, "json": "object" },
        "yearly": { "base_url": "https://example.org/v1", "model": "huge" },
    }))
    .unwrap();
    assert_eq!(models.daily_tokens, DAILY_TOKENS);
    assert!(models.get(Purpose::Extraction).is_none());
    let daily = models.get(Purpose::Daily).unwrap();
    assert_eq!((daily.base_url.as_str(), daily.name.as_str()), ("http://127.0.0.1:11434/v1", "small"));
    assert_eq!((daily.window, daily.max_output_tokens), (WINDOW, output_tokens(Purpose::Daily)));
    assert_eq!(daily.timeout, Duration::from_secs(150));
    let monthly = models.get(Purpose::Monthly).unwrap();
    assert_eq!((monthly.name.as_str(), monthly.window, monthly.json), ("large", 32_768, JsonMode::Object));
    assert_eq!(monthly.key.as_ref().unwrap().expose_secret(), "sk-secret");
    // The key was configured for another host.
    assert!(models.get(Purpose::Yearly).unwrap().key.is_none());
}

#[test]
fn without_a_table_there_is_no_model() {
    assert!(read(json!({})).unwrap().is_empty());
    let one = read(json!({ "yearly": { "base_url": "https://example.org/v1", "model": "huge" } })).unwrap();
    assert!(one.get(Purpose::Daily).is_none() && one.get(Purpose::Yearly).is_some());
}

#[test]
fn all_faults_are_reported_at_once() {
    fn check(table: Value, expect: &[&str]) {
        assert_eq!(read(table.clone()).unwrap_err(), expect, "{table}");
    }
    check(
        json!({ "daily": { "base_url": "ftp://x", "window": 10, "timeout": "soon", "temperature": 3.0 } }),
        &[
            "models.daily.base_url must begin with http:// or https://",
            "models.daily.model is missing",
            "models.daily.window is 10; at least 1024 tokens are needed",
            "models.daily.timeout is not a duration such as 90 or 2m 30s",
            "models.daily.temperature is not between 0 and 2",
        ],
    );
    check(
        json!({ "daily": { "base_url": "http://ann:pw@x/v1", "model": "m", "key_env": "NO_KEY", "timeout": 0 } }),
        &[
            "models.daily.key_env names the variable NO_KEY, which is not set",
            "models.daily.base_url contains a user name or password; use key_env instead",
            "models.daily.timeout must be more than 0 and at most 3600 seconds",
        ],
    );
    check(
        json!({ "yearly": { "base_url": "http://x/v1", "model": "m", "key": "a b", "max_output_tokens": 5000 } }),
        &[
            "models.yearly.key contains a character that is not allowed in an HTTP header",
            "models.yearly.max_output_tokens is 5000; 1 to half of the window are allowed",
        ],
    );
    for (url, fault) in [
        ("http://1.1.1.1/v1", "models.base_url is a public address without https://"),
        ("http://169.254.169.254/v1", "models.base_url is an address that no model server can have"),
        ("https://[fe80::1]/v1", "models.base_url is an address that no model server can have"),
    ] {
        check(json!({ "base_url": url, "model": "m" }), &[fault]);
    }
    check(
        json!({ "base_url": "http://127.0.0.1/v1", "model": "m", "extra_body": { "stream": false } }),
        &["models.extra_body must not contain `stream`, which Annals sets itself"],
    );
    // A fault in `[models]` that the six tables take over is reported once.
    check(
        json!({ "base_url": "x", "window": 10 }),
        &[
            "models.base_url is not a URL such as http://127.0.0.1:11434/v1",
            "models.model is missing",
            "models.window is 10; at least 1024 tokens are needed",
        ],
    );
    check(
        json!({ "modle": "m" }),
        &["unknown field `modle`, expected one of `daily_tokens`, `workspace_daily_tokens`, \
           `process_daily_tokens`, `ungrounded`, `shares`, `extraction_quiet`, `extraction_turns`, `local_network`, `batch`, `base_url`, `key`, \
        `key_env`, `model`, `api`, `window`, `max_output_tokens`, `timeout`, `json`, `reasoning`, `temperature`, \
        `extra_body`, `extraction`, `daily`, `weekly`, `monthly`, `quarterly`, `yearly`, `rerank`, `grounding`"],
    );
}

#[test]
fn api_follows_from_the_host_unless_it_is_set() {
    fn check(base_url: &str, api: Option<&str>, expect: Api) {
        let mut table = json!({ "base_url": base_url, "model": "m" });
        if let Some(api) = api {
            table["api"] = api.into();
        }
        assert_eq!(read(table).unwrap().get(Purpose::Daily).unwrap().api, expect, "{base_url}");
    }
    check("https://api.openai.com/v1", None, Api::Chat);
    check("https://api.anthropic.com/v1", None, Api::Anthropic);
    check("https://me.openai.azure.com/openai/v1", None, Api::Azure);
    check("http://127.0.0.1:9000/v1", Some("anthropic"), Api::Anthropic);
}

#[test]
fn output_limit_depends_on_grain_and_reasoning() {
    fn check(more: Value, purpose: Purpose, expect: u64) {
        let mut table = json!({ "base_url": "http://127.0.0.1/v1", "model": "m", "window": 65536 });
        table.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        assert_eq!(read(table).unwrap().get(purpose).unwrap().max_output_tokens, expect, "{more}");
    }
    check(json!({}), Purpose::Daily, 2_048);
    check(json!({}), Purpose::Yearly, 4_096);
    check(json!({ "reasoning": "medium" }), Purpose::Daily, 2_048 + 6_144);
    check(json!({ "reasoning": "high", "window": 8192 }), Purpose::Daily, 4_096);
    check(json!({ "max_output_tokens": 900 }), Purpose::Yearly, 900);
}

#[test]
fn debug_output_shows_no_key() {
    let table = json!({ "base_url": "http://x/v1", "model": "m", "key": "sk-secret", "daily": { "key": "sk-secret" } });
    let config: ModelsConfig = serde_json::from_value(table).unwrap();
    assert!(!format!("{config:?}").contains("sk-secret"));
    assert!(!format!("{:?}", config.check(|_| None)).contains("sk-secret"));
}

#[test]
fn serialized_configuration_shows_no_key() {
    let table = json!({ "key": "sk-secret", "timeout": "5m", "yearly": { "key": "sk-secret", "json": "none" } });
    let config: ModelsConfig = serde_json::from_value(table).unwrap();
    let shown = serde_json::to_value(&config).unwrap();
    assert!(!shown.to_string().contains("sk-secret"), "{shown}");
    assert_eq!(
        (&shown["key"], &shown["daily"]["key"], &shown["yearly"]["key"]),
        (&json!("(set)"), &Value::Null, &json!("(set)"))
    );
    assert_eq!((&shown["timeout"], &shown["yearly"]["json"]), (&json!("5m"), &json!("none")));
}

#[test]
fn local_network_applies_to_every_endpoint() {
    for (value, expect) in [(json!(true), true), (json!(false), false), (json!(null), false)] {
        let table = json!({ "base_url": "http://pi.local/v1", "model": "m", "local_network": value });
        assert_eq!(read(table).unwrap().get(Purpose::Daily).unwrap().local_network, expect);
    }
}

#[test]
fn reranker_takes_only_local_network_and_caps_from_the_models_table() {
    let above =
        json!({ "base_url": "http://127.0.0.1:11434/v1", "model": "small", "key": "sk-above", "timeout": "5m" });
    assert!(read(above.clone()).unwrap().rerank.is_none(), "what a search finds goes nowhere unasked");
    let mut table = above;
    table["local_network"] = json!(true);
    table["rerank"] = json!({ "base_url": "http://judge:8080/v1/", "model": "judge" });
    let judge = read(table.clone()).unwrap().rerank.unwrap();
    assert_eq!((judge.base_url.as_str(), judge.name.as_str()), ("http://judge:8080/v1", "judge"));
    assert_eq!((judge.timeout, judge.candidates, judge.daily_tokens), (Duration::from_secs(1), 50, 1_000_000));
    assert!(judge.key.is_none() && judge.local_network);
    let more = json!({ "key_env": "GOOD_KEY", "timeout": "300ms", "candidates": 7, "daily_tokens": 9 });
    table["rerank"].as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let judge = read(table).unwrap().rerank.unwrap();
    assert_eq!((judge.timeout, judge.candidates, judge.daily_tokens), (Duration::from_millis(300), 7, 9));
    assert_eq!(judge.key.as_ref().unwrap().expose_secret(), "sk-secret");
    assert!(!format!("{judge:?}").contains("sk-secret"));
}

#[test]
fn all_reranker_faults_are_reported_at_once() {
    let table =
        json!({ "rerank": { "base_url": "http://1.1.1.1", "candidates": 201, "timeout": "2m", "key_env": "NO" } });
    let expect = [
        "models.rerank.key_env names the variable NO, which is not set",
        "models.rerank.timeout must be more than 0 and at most 60 seconds",
        "models.rerank.candidates is 201; 2 to 200 are allowed",
        "models.rerank.base_url is a public address without https://",
        "models.rerank.model is missing",
    ];
    assert_eq!(read(table).unwrap_err(), expect);
    assert_eq!(read(json!({ "rerank": { "model": "judge" } })).unwrap_err(), ["models.rerank.base_url is missing"]);
}

#[test]
fn embedder_keys_without_effect_are_named() {
    fn check(table: Value, expect: &[&str]) {
        let config: EmbedderConfig = serde_json::from_value(table.clone()).unwrap();
        let faults = config.check(|_| None).map(|_| ()).err().unwrap_or_default();
        let fields: Vec<&str> = faults.iter().map(|fault| &*fault.field).collect();
        assert_eq!(fields, expect, "{table}");
    }
    let url = "http://127.0.0.1:1/v1";
    check(json!({}), &[]);
    check(json!({ "model": "me/tiny", "file": "a.onnx", "query_prefix": "q: ", "window": 64 }), &[]);
    check(json!({ "base_url": url, "model": "m", "dimension": 8, "timeout": 5, "window": 64 }), &[]);
    check(json!({ "base_url": url, "model": "m" }), &[]);
    check(json!({ "base_url": url, "model": "m", "dimension": 0 }), &["embedder.dimension"]);
    check(json!({ "file": "a.onnx", "query_prefix": "q: " }), &["embedder.file", "embedder.query_prefix"]);
    check(json!({ "dimension": 8, "timeout": 0 }), &["embedder.dimension", "embedder.timeout"]);
    check(json!({ "model": "me/tiny", "dimension": 8 }), &["embedder.dimension"]);
    check(json!({ "base_url": url, "model": "m", "dimension": 8, "pooling": "cls" }), &["embedder.pooling"]);
    check(json!({ "model": "a\nb" }), &["embedder.model"]);
}
