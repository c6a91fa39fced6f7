//! Vectors of an endpoint.

use annals_core::Embedder;
use annals_core::ports::VectorModel;
use annals_testkit::ModelRequest;

use super::super::embedding::EmbeddingEndpoint;
use super::*;
use crate::config::{EmbedderChoice, EmbedderConfig};

async fn endpoint(server: &ModelServer, more: Value) -> EmbeddingEndpoint {
    let mut table = json!({ "base_url": server.base_url(), "model": "vectors", "dimension": 3 });
    table.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    opened(table, &[]).await.unwrap()
}

async fn opened(table: Value, stored: &[VectorModel]) -> Result<EmbeddingEndpoint> {
    let config: EmbedderConfig = serde_json::from_value(table).unwrap();
    let EmbedderChoice::Endpoint(model) = config.check(|_| None).unwrap().choice else { panic!("no endpoint") };
    EmbeddingEndpoint::with_retry_policy(model, stored, QUICK).await
}

/// Returns an answer with the length of each text as first component of its vector, in reverse order, as servers may do.
fn lengths(request: &ModelRequest) -> Script {
    let size = request.body["dimensions"].as_u64().map_or(3, |size| usize::try_from(size).unwrap());
    let rows = request.body["input"].as_array().unwrap().iter().enumerate().map(|(index, text)| {
        let mut vector = vec![1.0; size];
        vector[0] = text.as_str().unwrap().len() as f64;
        json!({ "index": index, "embedding": vector })
    });
    let rows: Vec<Value> = rows.collect();
    Script::Raw(json!({ "data": rows.into_iter().rev().collect::<Vec<_>>() }).to_string())
}

fn strings(texts: &[&str]) -> Vec<String> {
    texts.iter().map(ToString::to_string).collect()
}

#[tokio::test]
async fn vectors_come_in_order_with_unit_length() {
    let server = ModelServer::choosing(lengths);
    let endpoint = endpoint(&server, json!({})).await;
    let vectors = endpoint.embed(strings(&["a", "bbbb", ""])).await.unwrap();
    assert_eq!(vectors.len(), 3);
    for vector in &vectors {
        assert!((vector.iter().map(|x| x * x).sum::<f32>() - 1.0).abs() < 1e-5);
    }
    assert!(vectors[1][0] > vectors[0][0]);
    assert_eq!(server.requests()[0].body["input"], json!(["a", "bbbb", " "]));
}

#[tokio::test]
async fn questions_and_passages_get_their_prefixes() {
    let server = ModelServer::choosing(lengths);
    let endpoint = endpoint(&server, json!({ "query_prefix": "query: ", "passage_prefix": "passage: " })).await;
    endpoint.embed(strings(&["a"])).await.unwrap();
    endpoint.embed_query("b".into()).await.unwrap();
    let sent: Vec<Value> = server.requests().iter().map(|request| request.body["input"][0].clone()).collect();
    assert_eq!(sent, ["passage: a", "query: b"]);
}

#[tokio::test]
async fn other_number_of_components_is_asked_for_by_name() {
    let server = ModelServer::choosing(lengths);
    let endpoint = endpoint(&server, json!({ "dimension": 5 })).await;
    assert_eq!(endpoint.embed(strings(&["a"])).await.unwrap()[0].len(), 5);
    endpoint.embed(strings(&["b"])).await.unwrap();
    let named: Vec<Value> = server.requests().iter().map(|request| request.body["dimensions"].clone()).collect();
    assert_eq!(named, [Value::Null, json!(5), json!(5)]);
}

#[tokio::test]
async fn unusable_answers_are_errors() {
    async fn check(answer: Value, expect: &str) {
        let server = ModelServer::always(Script::Raw(answer.to_string()));
        let error = endpoint(&server, json!({})).await.embed(strings(&["a", "b"])).await.unwrap_err();
        let error = format!("{error} {:?}", std::error::Error::source(&error).map(ToString::to_string));
        assert!(error.contains(expect), "{error} for {answer}");
    }
    let row = |index: u64, vector: Value| json!({ "index": index, "embedding": vector });
    check(json!({ "data": [row(0, json!([1, 0, 0]))] }), "left out a text").await;
    check(json!({ "data": [row(0, json!([1, 0, 0])), row(0, json!([1, 0, 0]))] }), "twice").await;
    check(json!({ "data": [row(7, json!([1, 0, 0]))] }), "not given").await;
    check(json!({ "data": [row(0, json!([0, 0, 0])), row(1, json!([1, 0, 0]))] }), "no direction").await;
    check(json!({ "data": [row(0, json!(["x"])), row(1, json!([1, 0, 0]))] }), "no direction").await;
    check(json!({ "data": [row(0, json!([1, 0])), row(1, json!([1, 0]))] }), "number of components").await;
    check(json!({ "error": { "message": "no", "code": 401 } }), "401").await;
}

#[tokio::test]
async fn busy_server_is_asked_again() {
    let server = ModelServer::start([
        Script::Refuses(503, None),
        Script::Raw(json!({ "data": [{ "index": 0, "embedding": [1, 0, 0] }] }).to_string()),
    ]);
    assert_eq!(endpoint(&server, json!({})).await.embed(strings(&["a"])).await.unwrap(), [[1.0, 0.0, 0.0]]);
}

#[tokio::test]
async fn question_after_one_that_got_no_answer_does_not_wait() {
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let base_url = format!("http://{}/v1", silent.local_addr().unwrap());
    let table = json!({ "base_url": base_url, "model": "vectors", "dimension": 3, "timeout": 1 });
    let config: EmbedderConfig = serde_json::from_value(table).unwrap();
    let EmbedderChoice::Endpoint(model) = config.check(|_| None).unwrap().choice else { panic!("no endpoint") };
    let endpoint = EmbeddingEndpoint::open(model, &[]).await.unwrap();
    for expect in ["no answer within 1s", "the circuit breaker is open"] {
        let error = endpoint.embed_query("a".into()).await.unwrap_err();
        let cause = std::error::Error::source(&error).unwrap().to_string();
        assert!(cause.contains(expect), "{cause}");
    }
}

#[tokio::test]
async fn long_text_is_split_after_sentences() {
    let server = ModelServer::choosing(lengths);
    let endpoint = endpoint(&server, json!({ "window": 32 })).await;
    let text = "The ship came in at dawn. Nobody was there to see it. ".repeat(20);
    let ranges = endpoint.split(&text);
    assert!(ranges.len() > 5);
    assert!(ranges.windows(2).all(|pair| pair[0].end == pair[1].start));
    assert_eq!((ranges[0].start, ranges[ranges.len() - 1].end), (0, text.len()));
    assert!(ranges.iter().all(|range| text[range.clone()].trim_end().ends_with('.')));
    assert_eq!(endpoint.split("").len(), 1);
    assert_eq!(endpoint.split(&"我昨天在东京吃了拉面".repeat(50)).last().unwrap().end, 1500);
}

#[tokio::test]
async fn name_of_vectors_changes_with_what_decides_about_them() {
    let server = ModelServer::choosing(lengths);
    let name = async |more: Value| endpoint(&server, more).await.model().to_owned();
    let usual = name(json!({})).await;
    assert!(usual.starts_with("vectors@"), "{usual}");
    assert_eq!(name(json!({ "timeout": 5 })).await, usual);
    assert_ne!(name(json!({ "dimension": 4 })).await, usual);
    assert_ne!(name(json!({ "passage_prefix": "x" })).await, usual);
    assert_ne!(name(json!({ "model": "other" })).await, usual);
}

#[tokio::test]
async fn number_of_components_is_asked_once_and_known_from_stored_vectors_later() {
    let server = ModelServer::choosing(lengths);
    let table = |prefix: &str| json!({ "base_url": server.base_url(), "model": "vectors", "passage_prefix": prefix });
    let asked = opened(table(""), &[]).await.unwrap();
    let configured = endpoint(&server, json!({})).await;
    assert_eq!((asked.dimension(), asked.model()), (3, configured.model()), "the name is that of a configured number");
    assert_eq!(server.requests().len(), 1);
    let stored = [VectorModel { name: "other@0".into(), dimension: 7 }, VectorModel::of(&asked)];
    assert_eq!(opened(table(""), &stored).await.unwrap().dimension(), 3);
    assert_eq!(server.requests().len(), 1, "stored vectors tell the number");
    opened(table("passage: "), &stored).await.unwrap();
    assert_eq!(server.requests().len(), 2, "vectors with another prefix are of another model");
}

#[tokio::test]
async fn endpoint_that_is_down_gives_no_number_of_components() {
    let table = json!({ "base_url": annals_testkit::refused_url(), "model": "vectors" });
    let error = opened(table.clone(), &[]).await.err().unwrap();
    assert!(matches!(error, Error::Unavailable { .. }), "{error}");
    let mut configured = table;
    configured["dimension"] = json!(3);
    assert_eq!(opened(configured, &[]).await.unwrap().dimension(), 3, "a configured number needs no connection");
}
