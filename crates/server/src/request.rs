//! The id of a request: from its header or drawn anew, in the answer's header, in the log and in problem documents.

use axum::extract::Request;
use axum::http::{HeaderName, HeaderValue};
use axum::middleware::Next;
use axum::response::Response;
use data_encoding::HEXLOWER;
use tracing::Instrument;

const HEADER: HeaderName = HeaderName::from_static("x-request-id");
/// Longer ones would be somebody's text in our log.
const LONGEST: usize = 64;

tokio::task_local! {
    static ID: String;
}

/// The id of the request that is being answered; empty outside of one.
pub fn request_id() -> String {
    ID.try_with(Clone::clone).unwrap_or_default()
}

/// Gives a request its id, and the log a span that names it.
pub async fn identify(request: Request, next: Next) -> Response {
    let given = request.headers().get(&HEADER).and_then(|value| value.to_str().ok());
    let id = given.filter(|id| is_plain(id)).map_or_else(draw, str::to_owned);
    let span = tracing::info_span!("request", request.id = id, http.method = %request.method());
    let header = HeaderValue::from_str(&id).expect("it is plain");
    let mut response = ID.scope(id, next.run(request).instrument(span)).await;
    response.headers_mut().insert(HEADER, header);
    response
}

fn is_plain(id: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    !id.is_empty() && id.len() <= LONGEST && id.chars().all(plain)
}

fn draw() -> String {
    let mut bytes = [0; 8];
    // Without random bytes the id says nothing, and the request is answered all the same.
    let _ = getrandom::fill(&mut bytes);
    HEXLOWER.encode(&bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_ids_get_into_the_log() {
        for (id, expect) in [("a-1_B.c", true), ("", false), ("a b", false), ("é", false), (&*"x".repeat(65), false)] {
            assert_eq!(is_plain(id), expect, "{id}");
        }
        assert!(is_plain(&draw()));
        assert_ne!(draw(), draw());
    }
}
