//! Requests between the nodes of a cluster. The active node accepts them over the network with the key of the cluster: calls of
//! commands, which a standby node sends on, and requests of the standby node itself. Whoever has this key may do what a user of the
//! data folder may do.

use std::sync::Arc;
use std::time::Duration;

use annals_service::calls::Host;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::{CONTENT_TYPE, HOST};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use axum::{Router, routing};
use secrecy::{ExposeSecret, SecretString};
use serde::Serialize;
use serde::de::DeserializeOwned;
use subtle::ConstantTimeEq;
use tokio::time::timeout;

use super::standby::{ActiveNode, Standby, connect, replaced, send};
use crate::ipc::{Failure, PATH, route};
use crate::rest::Problem;

const HEADER: HeaderName = HeaderName::from_static("x-annals-cluster-key");

/// Time limit for a request of a standby node and its answer.
const ANSWERING: Duration = Duration::from_secs(30);
/// Maximum size of an answer in bytes: sixteen texts of the longest window take some 100 kB.
const MAX_ANSWER: usize = 8 << 20;

/// Returns the route on which the active node accepts calls of other nodes.
pub(super) fn guarded_route(host: Arc<dyn Host>, key: SecretString) -> Router {
    route(host).layer(from_fn_with_state(key, check_key))
}

pub(super) async fn check_key(
    State(key): State<SecretString>,
    request: Request,
    next: Next,
) -> Result<Response, Problem> {
    if is_key(request.headers(), &key) {
        return Ok(next.run(request).await);
    }
    let detail = "the key of the cluster is wrong; cluster.key must be the same on all nodes";
    Err(Problem::new(StatusCode::UNAUTHORIZED, "unauthorized", detail))
}

fn is_key(headers: &HeaderMap, key: &SecretString) -> bool {
    let sent = headers.get(&HEADER).map_or(&[][..], HeaderValue::as_bytes);
    sent.ct_eq(key.expose_secret().as_bytes()).into()
}

/// Returns the route on which a standby node accepts calls of commands on its socket.
pub(super) fn forwarding_route(standby: Standby, key: SecretString) -> Router {
    Router::new().route(PATH, routing::post(forward)).with_state((standby, key))
}

async fn forward(
    State((standby, key)): State<(Standby, SecretString)>,
    mut request: Request,
) -> Result<Response, Problem> {
    let invalid = |_| Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", "cluster.key cannot be sent");
    request.headers_mut().insert(HEADER, header(&key).map_err(invalid)?);
    send(standby, request).await
}

fn header(key: &SecretString) -> Result<HeaderValue, axum::http::Error> {
    let mut header = HeaderValue::from_str(key.expose_secret())?;
    header.set_sensitive(true);
    Ok(header)
}

/// Sends a request of a standby node to the active one, with the key of the cluster, and returns the answer. Waits for an active
/// node without end. Returns `None` if another node becomes active before the answer.
pub(super) async fn post<T: DeserializeOwned>(
    active: &ActiveNode,
    key: &SecretString,
    path: &str,
    content: &impl Serialize,
) -> Result<Option<T>, Failure> {
    let request = Request::post(path).header(HOST, "localhost").header(CONTENT_TYPE, "application/json");
    let request = request.header(HEADER, header(key)?).body(Body::from(serde_json::to_vec(content)?))?;
    let mut active = active.clone();
    let (node, mut connection) = connect(&active).await;
    let answer = async {
        let answer = connection.send_request(request).await?;
        Ok::<_, Failure>((answer.status(), to_bytes(Body::new(answer.into_body()), MAX_ANSWER).await?))
    };
    let (status, answer) = tokio::select! {
        answer = timeout(ANSWERING, answer) => answer??,
        () = replaced(&mut active, &node) => return Ok(None),
    };
    if !status.is_success() {
        return Err(format!("the active node answers {status}: {}", String::from_utf8_lossy(&answer)).into());
    }
    Ok(Some(serde_json::from_slice(&answer)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_whole_key_is_accepted() {
        let key = SecretString::from("0123456789abcdef");
        for (sent, expect) in
            [(None, false), (Some(""), false), (Some("0123456789abcde"), false), (Some("0123456789abcdef"), true)]
        {
            let headers = sent.map(|sent| (HEADER, HeaderValue::from_static(sent)));
            assert_eq!(is_key(&headers.into_iter().collect(), &key), expect, "{sent:?}");
        }
    }
}
