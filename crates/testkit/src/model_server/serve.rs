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

use super::answer::Answer;
use super::{Dialect, ModelRequest, Script, Shared, batches, good};

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
    if let Some(response) = batches::answer(&shared, &parts.method, parts.uri.path(), &body) {
        return response;
    }
    let request = ModelRequest {
        path: parts.uri.path().to_owned(),
        headers: headers(&parts.headers),
        body: serde_json::from_slice(&body).unwrap_or(Value::Null),
    };
    if parts.method == axum::http::Method::GET || request.path.starts_with("/api/") {
        return about(shared.dialect, &request.path);
    }
    shared.requests.lock().push(request.clone());
    if !["/rerank", "/embeddings"].iter().any(|path| request.path.ends_with(path))
        && let Some((status, body)) = shared.dialect.refusal(&request)
    {
        return (status, axum::Json(body)).into_response();
    }
    let dialect = shared.dialect;
    let next = shared.script.lock().pop_front();
    let script = match next {
        Some(script) => script,
        None => choose(shared, request.clone()).await,
    };
    play(script, dialect, &request).await
}

/// Answers a route that describes the server. Requests to such routes are not recorded.
fn about(dialect: Dialect, path: &str) -> Response {
    match dialect.about(path) {
        Some(answer) => axum::Json(answer).into_response(),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

/// Chooses the answer on a separate thread, so that other requests are answered while a test holds this one back.
async fn choose(shared: Arc<Shared>, request: ModelRequest) -> Script {
    tokio::task::spawn_blocking(move || (shared.choose)(&request)).await.unwrap()
}

fn headers(headers: &HeaderMap) -> std::collections::BTreeMap<String, String> {
    let text = |value: &axum::http::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    headers.iter().map(|(name, value)| (name.as_str().to_owned(), text(value))).collect()
}

async fn play(script: Script, dialect: Dialect, request: &ModelRequest) -> Response {
    let good = || Answer::new(good::answer(request), dialect.tokens_read(request));
    let answer = match script {
        Script::Good if request.path.ends_with("/rerank") => return axum::Json(good::order(request)).into_response(),
        Script::Good => good(),
        Script::Answers(text) => Answer { text, ..good() },
        Script::CutOff(text) => Answer { text, is_cut_off: true, ..good() },
        Script::Read(tokens_in) => Answer { tokens_in, ..good() },
        Script::Cached(cached) => Answer { cached, ..good() },
        Script::Thinks(reasoning) => Answer { reasoning, ..good() },
        Script::ThinksTooLong(reasoning) => Answer { reasoning, text: String::new(), is_cut_off: true, ..good() },
        Script::Paced(first, each) => Answer { pauses: (first, each), ..good() },
        Script::BreaksOff(events) => Answer { breaks_off: Some((events, None)), ..good() },
        Script::Stalls(events) => Answer { breaks_off: Some((events, None)), stays_open: true, ..good() },
        Script::Fails(events, error) => Answer { breaks_off: Some((events, Some(error))), ..good() },
        Script::Formless if request.body.get("response_format").is_some() => return refusal(400, None),
        Script::Formless => good(),
        Script::Refuses(status, wait) => return refusal(status, wait),
        Script::Responds(status, body) => {
            return (StatusCode::from_u16(status).unwrap(), axum::Json(body)).into_response();
        }
        Script::Hangs => std::future::pending().await,
        Script::Floods(bytes) => Answer { text: "x".repeat(bytes), ..good() },
        Script::Raw(body) => return ([(header::CONTENT_TYPE, "application/json")], body).into_response(),
    };
    answer.send(dialect, request).await
}

fn refusal(status: u16, wait: Option<u64>) -> Response {
    let status = StatusCode::from_u16(status).unwrap();
    let body = axum::Json(json!({ "error": { "message": "refused by the test", "type": "test", "code": "scripted" } }));
    match wait {
        Some(seconds) => (status, [(header::RETRY_AFTER, seconds.to_string())], body).into_response(),
        None => (status, body).into_response(),
    }
}
