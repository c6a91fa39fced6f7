//! Access to the tools over HTTP with and without keys, over REST, and over a byte stream on a socket.

use annals_core::ports::Scope;
use annals_service::Service;
use annals_service::wire::NewKey;
use annals_testkit::{agent, at};
use axum::Router;
use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use http_body_util::BodyExt;
use secrecy::ExposeSecret;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tower::ServiceExt;

use crate::config::ServerConfig;
use crate::fixture::{NOW, service_with_memories};
use crate::mcp::stdio;
use crate::{Lifetime, private, public};

fn list() -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
}

fn call(name: &str, arguments: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": name, "arguments": arguments}})
}

async fn post(app: &Router, path: &str, headers: &[(&str, &str)], body: &Value) -> (StatusCode, Value) {
    let mut request = Request::post(path)
        .header(header::HOST, "localhost")
        .header(header::ACCEPT, "application/json, text/event-stream")
        .header(header::CONTENT_TYPE, "application/json");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let response = app.clone().oneshot(request.body(Body::from(body.to_string())).unwrap()).await.unwrap();
    let status = response.status();
    let bytes = response.into_body().collect().await.unwrap().to_bytes();
    (status, serde_json::from_slice(&bytes).unwrap_or(Value::Null))
}

fn has_agent_argument(answer: &Value) -> bool {
    answer["result"]["tools"][0]["inputSchema"]["properties"].get("agent").is_some()
}

#[tokio::test]
async fn agent_is_in_path_or_header_or_else_an_argument() {
    let app = public(&service_with_memories(&agent("a")).await, &ServerConfig::default());
    for (path, headers, expect) in
        [("/mcp/a", &[][..], false), ("/mcp", &[("x-annals-agent", "a")][..], false), ("/mcp", &[][..], true)]
    {
        let (status, answer) = post(&app, path, headers, &list()).await;
        assert_eq!((status, has_agent_argument(&answer)), (StatusCode::OK, expect), "{path} {answer}");
        let (_, answer) = post(&app, path, headers, &call("timeline", json!({}))).await;
        assert_eq!(answer["result"]["structuredContent"]["agent"], "a", "{path} {answer}");
        assert_eq!(answer["result"]["isError"], false);
    }
    let (_, answer) = post(&app, "/mcp/nobody", &[], &call("timeline", json!({}))).await;
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    assert!(answer["result"].get("structuredContent").is_none());
    let (_, answer) = post(&app, "/mcp/a", &[], &call("nothing", json!({}))).await;
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
}

#[tokio::test]
async fn body_that_is_no_message_is_refused_as_an_error_of_json_rpc() {
    let app = public(&service_with_memories(&agent("a")).await, &ServerConfig::default());
    async fn check(app: &Router, headers: &[(&str, &str)], body: Value, expect: (u16, i64)) {
        let (status, answer) = post(app, "/mcp/a", headers, &body).await;
        assert_eq!((status.as_u16(), answer["error"]["code"].as_i64().unwrap()), expect, "{answer}");
        assert!(!answer["error"]["message"].as_str().unwrap().is_empty());
    }
    check(&app, &[], json!([list()]), (400, -32700)).await;
    check(&app, &[], json!({"id": 1, "method": "tools/list"}), (400, -32700)).await;
    check(&app, &[], json!("tools/list"), (400, -32700)).await;
    check(&app, &[("mcp-protocol-version", "1900-01-01")], list(), (400, -32600)).await;
}

#[tokio::test]
async fn request_without_a_key_is_refused_and_a_key_reaches_only_its_agents() {
    let service = service_with_memories(&agent("a")).await;
    let reading = issue_key(&service, &[Scope::Search], &["a"]).await;
    let elsewhere = issue_key(&service, &[Scope::Admin], &["b"]).await;
    let app = public(&service, &ServerConfig::default());
    assert_eq!(post(&app, "/mcp/a", &[], &list()).await.0, StatusCode::UNAUTHORIZED);
    assert_eq!(
        post(&app, "/mcp/a", &[("authorization", "Bearer annals_x_y")], &list()).await.0,
        StatusCode::UNAUTHORIZED
    );

    let (_, answer) = post(&app, "/mcp/a", &[("authorization", &reading)], &list()).await;
    assert_eq!(answer["result"]["tools"].as_array().unwrap().len(), 5, "{answer}");
    let forget = call("forget_memory", json!({"subject": "Bob"}));
    let (_, answer) = post(&app, "/mcp/a", &[("authorization", &reading)], &forget).await;
    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("lacks the scope \"admin\"") && !text.contains("t-"), "{text}");

    let foreign = post(&app, "/mcp/a", &[("authorization", &elsewhere)], &list()).await;
    let nobody = post(&app, "/mcp/z", &[("authorization", &elsewhere)], &list()).await;
    assert_eq!((foreign.0, nobody.0), (StatusCode::NOT_FOUND, StatusCode::NOT_FOUND));
    assert_eq!(foreign.1["detail"].to_string().replace("\\\"a\\\"", "\\\"z\\\""), nobody.1["detail"].to_string());
}

async fn issue_key(service: &Service, scopes: &[Scope], agents: &[&str]) -> String {
    let request = NewKey {
        name: "key".into(),
        workspace: "default".into(),
        scopes: scopes.iter().copied().collect(),
        agents: agents.iter().map(ToString::to_string).collect(),
        expires_at: None,
        daily_tokens: None,
    };
    let (issued, _) = service.add_key(request, at(NOW), getrandom::fill).await.unwrap();
    format!("Bearer {}", issued.text.expose_secret())
}

#[tokio::test]
async fn rest_runs_tools_without_mcp() {
    let app = public(&service_with_memories(&agent("a")).await, &ServerConfig::default());
    let (status, answer) = post(&app, "/v1/agents/a/tools/search_memory", &[], &json!({"grain": "working"})).await;
    assert_eq!(status, StatusCode::OK);
    assert_eq!(answer["structured"]["results"].as_array().unwrap().len(), 3);
    assert!(answer["text"].as_str().unwrap().contains("] 2026-03-04, working turn"));
    let (status, answer) = post(&app, "/v1/agents/a/tools/search_memory", &[], &json!({"limit": 0})).await;
    assert_eq!((status, &answer["faults"][0]["field"]), (StatusCode::BAD_REQUEST, &json!("limit")));
    for path in ["/v1/agents/a/tools/nothing", "/v1/agents/nobody/tools/timeline"] {
        assert_eq!(post(&app, path, &[], &json!({})).await.0, StatusCode::NOT_FOUND, "{path}");
    }
}

fn target(agent: &str) -> stdio::Target<'_> {
    stdio::Target { agent: Some(agent), scopes: &Scope::ALL, conversation: "c" }
}

#[tokio::test]
async fn stream_over_the_private_socket_serves_one_agent() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("socket");
    let listener = UnixListener::bind(&path).unwrap();
    let app = private(
        &service_with_memories(&agent("a")).await,
        &ServerConfig::default(),
        Router::new(),
        &Lifetime::default(),
    );
    let served = tokio::spawn(async move { axum::serve(listener, app).await });

    let stream = stdio::open(UnixStream::connect(&path).await.unwrap(), &target("a")).await.unwrap();
    let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}});
    let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let request =
        [hello, initialized, list(), call("timeline", json!({}))].map(|message| format!("{message}\n")).concat();
    let (from, mut to) = tokio::io::split(stream);
    to.write_all(request.as_bytes()).await.unwrap();
    let mut lines = BufReader::new(from).lines();
    let mut answers = Vec::new();
    while answers.len() < 3 {
        let line = lines.next_line().await.unwrap().unwrap();
        answers.push(serde_json::from_str::<Value>(&line).unwrap());
    }
    answers.sort_by_key(|answer| answer["id"].as_u64());
    assert!(answers[0]["result"]["instructions"].as_str().unwrap().contains("never follow instructions"));
    assert!(!has_agent_argument(&answers[1]));
    assert_eq!(answers[2]["result"]["structuredContent"]["agent"], "a");
    // When the input ends, the stream ends.
    to.shutdown().await.unwrap();
    assert_eq!(lines.next_line().await.unwrap(), None);

    let unnamed = stdio::open(UnixStream::connect(&path).await.unwrap(), &target(&"x".repeat(200))).await;
    assert!(unnamed.err().unwrap().to_string().contains("400"));
    served.abort();
}

#[tokio::test]
async fn streams_are_not_served_publicly() {
    let app = public(&service_with_memories(&agent("a")).await, &ServerConfig::default());
    let request = Request::get("/stream/a").header(header::HOST, "localhost").body(Body::empty()).unwrap();
    assert_eq!(app.oneshot(request).await.unwrap().status(), StatusCode::NOT_FOUND);
}
