//! The id of a request: taken from its header or generated, and present in the answer's header, in the log and in problem
//! documents. Also writes one log line per request. The line never contains the path, the query or another header, which may
//! name people or hold a key.

use std::future::Future;
use std::time::Instant;

use annals_service::metrics::Metrics;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderName, HeaderValue, Method};
use axum::middleware::Next;
use axum::response::Response;
use data_encoding::HEXLOWER;
use tracing::Instrument;

use crate::rest::Code;

/// The header with the id of a request.
pub(crate) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// Maximum bytes of an id that a client sends. A longer id, or one with other characters than letters, digits, `-`, `_` and
/// `.`, is replaced by a generated one: it could put somebody's text into our log.
const MAX_ID_LENGTH: usize = 64;

tokio::task_local! {
    static ID: String;
    /// Set while a failure of the request is no failure for its caller.
    static IS_TRIED: ();
}

/// Wraps work on a request that another node does if this work fails.
pub(crate) fn tried<F: Future>(work: F) -> impl Future<Output = F::Output> {
    IS_TRIED.scope((), work)
}

/// Returns whether another node does the present request if it fails here.
pub(crate) fn is_tried() -> bool {
    IS_TRIED.try_with(|()| ()).is_ok()
}

/// Returns the id of the request that is being answered. Empty outside of a request.
pub fn request_id() -> String {
    ID.try_with(Clone::clone).unwrap_or_default()
}

/// Wraps work for a task of its own, so that it keeps the id and the span of the present request.
pub(crate) fn carried<F: Future>(work: F) -> impl Future<Output = F::Output> {
    ID.scope(request_id(), work).in_current_span()
}

/// Gives a request its id and its log span, logs a line when it is answered, and records its duration in the metrics.
pub(crate) async fn identify(State(metrics): State<Metrics>, request: Request, next: Next) -> Response {
    let sent = request.headers().get(&REQUEST_ID).and_then(|value| value.to_str().ok());
    let id = sent.filter(|id| is_plain(id)).map_or_else(draw, str::to_owned);
    let (method, route) = (word(request.method()), route(&request));
    let span = tracing::info_span!("request", request.id = id, http.method = method, http.route = route);
    let header = HeaderValue::from_str(&id).expect("it is plain");
    let _in_flight = metrics.in_flight();
    let begun = Instant::now();
    let answer = async {
        let response = next.run(request).await;
        let (status, took) = (response.status().as_u16(), begun.elapsed());
        tracing::info!(http.status = status, duration.ms = took.as_secs_f64() * 1000.0, "answered");
        metrics.answered(&route, method, status, took);
        if let Some(Code(code)) = response.extensions().get().filter(|_| status >= 500) {
            metrics.failed_with(part(&route), code);
        }
        response
    };
    let mut response = ID.scope(id, answer.instrument(span.clone())).await;
    response.headers_mut().insert(REQUEST_ID, header);
    response
}

/// Returns the path template of the matched route, or `none`. It has names of parameters instead of their values.
fn route(request: &Request) -> String {
    request.extensions().get::<MatchedPath>().map_or("none", MatchedPath::as_str).to_owned()
}

/// Returns the part of the service to which a route belongs, as metrics of failures name it.
fn part(route: &str) -> &'static str {
    match route.rsplit('/').next() {
        Some("messages") => "ingest",
        Some("search" | "context" | "timeline" | "mcp") => "search",
        Some("rollup") => "rollup",
        _ => "request",
    }
}

/// Returns the name of a known method. Any other method is text of the caller and becomes `OTHER`.
fn word(method: &Method) -> &'static str {
    let known = [Method::GET, Method::HEAD, Method::POST, Method::PUT, Method::PATCH, Method::DELETE, Method::OPTIONS];
    let words = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
    known.iter().position(|known| known == method).map_or("OTHER", |index| words[index])
}

fn is_plain(id: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    !id.is_empty() && id.len() <= MAX_ID_LENGTH && id.chars().all(plain)
}

fn draw() -> String {
    let mut bytes = [0; 8];
    // Without random bytes the id is meaningless, but the request is still answered.
    let _ = getrandom::fill(&mut bytes);
    HEXLOWER.encode(&bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_a_caller_is_not_used_as_a_label() {
        assert_eq!(word(&Method::PATCH), "PATCH");
        assert_eq!(word(&Method::from_bytes(b"SECRET").unwrap()), "OTHER");
        assert_eq!(route(&Request::get("/v1/agents/ann").body(axum::body::Body::empty()).unwrap()), "none");
        for (route, expect) in [("/v1/agents/{agent}/messages", "ingest"), ("/mcp", "search"), ("none", "request")] {
            assert_eq!(part(route), expect, "{route}");
        }
    }

    #[test]
    fn only_plain_ids_are_accepted() {
        for (id, expect) in [("a-1_B.c", true), ("", false), ("a b", false), ("é", false), (&*"x".repeat(65), false)] {
            assert_eq!(is_plain(id), expect, "{id}");
        }
        assert!(is_plain(&draw()));
        assert_ne!(draw(), draw());
    }
}
