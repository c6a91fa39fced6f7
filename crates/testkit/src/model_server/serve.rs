//! The HTTP side of the model server.

use std::net::TcpListener;
use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use tokio::sync::oneshot;

use super::good;
use super::{ModelRequest, Script, Shared};

/// Serves until `stopped` fires. Answers that are still pending are dropped then.
pub(super) fn until(listener: TcpListener, shared: Arc<Shared>, stopped: oneshot::Receiver<()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::from_std(listener).unwrap();
        let router = Router::new().fallback(answer).with_state(shared).layer(DefaultBodyLimit::disable());
        tokio::select! {
            served = axum::serve(listener, router).into_future() => served.unwrap(),
            _ = stopped => {}
        }
    });
    runtime.shutdown_background();
}

async fn answer(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let body: Bytes = axum::body::to_bytes(body, usize::MAX).await.unwrap();
    let request = ModelRequest {
        path: parts.uri.path().to_owned(),
        headers: headers(&parts.headers),
        body: serde_json::from_slice(&body).unwrap_or(Value::Null),
    };
    shared.requests.lock().unwrap().push(request.clone());
    let next = shared.script.lock().unwrap().pop_front();
    let script = match next {
        Some(script) => script,
        None => choose(shared, request.clone()).await,
    };
    play(script, &request).await
}

/// Chooses on a thread of its own, so that other requests are answered while a test holds this one back.
async fn choose(shared: Arc<Shared>, request: ModelRequest) -> Script {
    tokio::task::spawn_blocking(move || (shared.choose)(&request)).await.unwrap()
}

fn headers(headers: &HeaderMap) -> std::collections::BTreeMap<String, String> {
    let text = |value: &axum::http::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    headers.iter().map(|(name, value)| (name.as_str().to_owned(), text(value))).collect()
}

async fn play(script: Script, request: &ModelRequest) -> Response {
    let read = good::tokens(request);
    match script {
        Script::Good if request.path.ends_with("/rerank") => axum::Json(good::order(request)).into_response(),
        Script::Good => completion(&good::answer(request), "stop", read),
        Script::Answers(text) => completion(&text, "stop", read),
        Script::CutOff(text) => completion(&text, "length", read),
        Script::Read(tokens) => completion(&good::answer(request), "stop", tokens),
        Script::Formless if request.body.get("response_format").is_some() => refusal(400, None),
        Script::Formless => completion(&good::answer(request), "stop", read),
        Script::Refuses(status, wait) => refusal(status, wait),
        Script::Hangs => std::future::pending().await,
        Script::Floods(bytes) => completion(&"x".repeat(bytes), "stop", read),
        Script::Raw(body) => ([(header::CONTENT_TYPE, "application/json")], body).into_response(),
    }
}

fn completion(text: &str, finish_reason: &str, prompt_tokens: u64) -> Response {
    let completion_tokens = good::words(text);
    let body = json!({
        "id": "chatcmpl-test",
        "object": "chat.completion",
        "created": 0,
        "model": "test",
        "choices": [{
            "index": 0,
            "message": { "role": "assistant", "content": text },
            "finish_reason": finish_reason,
        }],
        "usage": {
            "prompt_tokens": prompt_tokens,
            "completion_tokens": completion_tokens,
            "total_tokens": prompt_tokens + completion_tokens,
        },
    });
    axum::Json(body).into_response()
}

fn refusal(status: u16, wait: Option<u64>) -> Response {
    let status = StatusCode::from_u16(status).unwrap();
    let body = axum::Json(json!({ "error": { "message": "refused by the test", "type": "test", "code": "scripted" } }));
    match wait {
        Some(seconds) => (status, [(header::RETRY_AFTER, seconds.to_string())], body).into_response(),
        None => (status, body).into_response(),
    }
}
