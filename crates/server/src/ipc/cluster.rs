//! Calls of commands in a cluster: a standby node sends them to the active node, which accepts them over the network with the
//! key of the cluster. Whoever has this key may do what a user of the data folder may do.

use std::sync::Arc;

use annals_service::calls::Host;
use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use axum::routing::post;
use secrecy::{ExposeSecret, SecretString};
use subtle::ConstantTimeEq;

use super::PATH;
use super::route::route;
use crate::rest::Problem;
use crate::standby::{Standby, send};

pub(super) const HEADER: HeaderName = HeaderName::from_static("x-annals-cluster-key");

/// Returns the route on which the active node accepts calls of other nodes.
pub(crate) fn guarded_route(host: Arc<dyn Host>, key: SecretString) -> Router {
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
pub(crate) fn forwarding_route(standby: Standby, key: SecretString) -> Router {
    Router::new().route(PATH, post(forward)).with_state((standby, key))
}

async fn forward(
    State((standby, key)): State<(Standby, SecretString)>,
    mut request: Request,
) -> Result<Response, Problem> {
    let invalid = |_| Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", "cluster.key cannot be sent");
    let mut key = HeaderValue::from_str(key.expose_secret()).map_err(invalid)?;
    key.set_sensitive(true);
    request.headers_mut().insert(HEADER, key);
    send(standby, request).await
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
