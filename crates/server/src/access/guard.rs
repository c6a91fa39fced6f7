//! The gate in front of everything that needs a key: whose key it is, or that none is needed.

use std::net::SocketAddr;

use annals_core::Timestamp;
use annals_core::ports::Keys;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::Next;
use axum::response::Response;

use super::{Caller, Gates, Peer, Presented};
use crate::Service;
use crate::rest::{Problem, bearer};

/// Lets a request through with its [`Caller`], or answers 401; 429 to a peer that presents too many keys that are not good.
/// `listening` is the address that is listened on: only at one of the machine itself may there be no key.
pub async fn authenticate(
    State((service, gates, listening)): State<(Service, Gates, SocketAddr)>,
    mut request: Request,
    next: Next,
) -> Result<Response, Problem> {
    let found = caller(&service, request.headers(), listening, service.now()).await;
    if found.as_ref().is_err_and(|problem| problem.status() == StatusCode::UNAUTHORIZED) {
        gates.was_wrong(Peer::of(&request))?;
    }
    request.extensions_mut().insert(found?);
    Ok(next.run(request).await)
}

async fn caller(
    service: &Service,
    headers: &HeaderMap,
    listening: SocketAddr,
    now: Timestamp,
) -> Result<Caller, Problem> {
    let Some(text) = bearer(headers) else {
        return if !listening.ip().is_loopback() || any_made(&*service.keys).await? {
            Err(refused("a key is needed: Authorization: Bearer annals_…"))
        } else {
            Ok(Caller::local())
        };
    };
    let presented = Presented::parse(text).ok_or_else(|| refused("that does not look like a key"))?;
    // One answer for an unknown id, a wrong secret, and a key that was revoked or has expired.
    let good = match service.keys.key(&presented.id).await? {
        Some((key, hash)) => (presented.is(&hash) && key.is_good(now)).then_some(key),
        None => None,
    };
    good.map(Caller::of).ok_or_else(|| refused("the key is not good"))
}

/// Whether there is any key that nobody revoked: then every request needs one. One that has expired counts, so that time alone
/// opens no door.
async fn any_made(keys: &dyn Keys) -> annals_core::Result<bool> {
    Ok(keys.keys().await?.iter().any(|key| key.revoked_at.is_none()))
}

/// Whether any key is good now, so that somebody could ask.
pub async fn any_good(keys: &dyn Keys, now: Timestamp) -> annals_core::Result<bool> {
    Ok(keys.keys().await?.iter().any(|key| key.is_good(now)))
}

fn refused(detail: &str) -> Problem {
    Problem::new(StatusCode::UNAUTHORIZED, "unauthorized", detail)
}
