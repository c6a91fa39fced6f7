//! Authentication: finds the key of a request, unless the request needs none.
//!
//! A request needs no key if all of these hold: it comes from a process of this machine, it addresses the service by a name of
//! this machine or by none, the configuration does not let others reach the service, and no key exists or all are revoked.
//! Behind a proxy every request would come from this machine, so a request with the headers of a proxy needs a key too.

use annals_core::Timestamp;
use annals_service::{PresentedKey, Service};
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::middleware::Next;
use axum::response::Response;

use super::origin::calls_this_machine;
use super::{Caller, Peer, RequestLimits};
use crate::config::ServerConfig;
use crate::rest::{Problem, bearer};

/// Headers that proxies add to the requests that they forward.
const OF_PROXIES: [&str; 5] = ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via"];

/// The callers that need no key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeylessAccess {
    /// Nobody, because others can reach the service.
    Nobody,
    /// Processes of this machine, while no key exists or all keys are revoked.
    ThisMachine,
}

impl KeylessAccess {
    /// Returns who may call without a key under this configuration.
    pub fn of(config: &ServerConfig) -> KeylessAccess {
        if config.reachable_because().is_some() { KeylessAccess::Nobody } else { KeylessAccess::ThisMachine }
    }

    fn admits(self, request: &Request) -> bool {
        let is_proxied = OF_PROXIES.iter().any(|header| request.headers().contains_key(*header));
        let is_here = !Peer::of(request).is_elsewhere() && calls_this_machine(request.uri(), request.headers());
        self == KeylessAccess::ThisMachine && is_here && !is_proxied
    }
}

/// Adds the [`Caller`] to a request, or answers 401. If the peer has failed too often within a minute, the answer to a further
/// failure is 429. A valid key always passes.
pub async fn authenticate(
    State((service, limits, keyless)): State<(Service, RequestLimits, KeylessAccess)>,
    mut request: Request,
    next: Next,
) -> Result<Response, Problem> {
    let is_local = keyless.admits(&request);
    let found = caller(&service, bearer(request.headers()), is_local, service.now()).await;
    if found.as_ref().is_err_and(|problem| problem.status() == StatusCode::UNAUTHORIZED) {
        limits.record_wrong_key(Peer::of(&request))?;
    }
    request.extensions_mut().insert(found?);
    Ok(next.run(request).await)
}

/// Adds the local [`Caller`] to a request for a page if the request needs no key. Lets all other requests through, because the
/// page checks the session of its visitor. If the peer has failed too often within a minute, 429 replaces the 401 of the page.
pub async fn admit_visitor(
    State((service, limits, keyless)): State<(Service, RequestLimits, KeylessAccess)>,
    mut request: Request,
    next: Next,
) -> Result<Response, Problem> {
    let peer = Peer::of(&request);
    if keyless.admits(&request) && !service.has_unrevoked_key().await? {
        request.extensions_mut().insert(Caller::local());
    }
    let response = next.run(request).await;
    if response.status() == StatusCode::UNAUTHORIZED {
        limits.record_wrong_key(peer)?;
    }
    Ok(response)
}

async fn caller(service: &Service, text: Option<&str>, is_local: bool, now: Timestamp) -> Result<Caller, Problem> {
    let Some(text) = text else {
        return if !is_local || service.has_unrevoked_key().await? {
            Err(refused(
                "an API key is required: send Authorization: Bearer annals_…; `annals key add NAME` creates a key",
            ))
        } else {
            Ok(Caller::local())
        };
    };
    let presented =
        PresentedKey::parse(text).ok_or_else(|| refused("the API key is malformed; a key begins with annals_"))?;
    // An unknown id, a wrong secret, and a key that was revoked or has expired get the same answer.
    let good = service.authenticate(&presented, now).await?;
    good.map(Caller::of).ok_or_else(|| refused("the API key is unknown, revoked or expired"))
}

fn refused(detail: &str) -> Problem {
    Problem::new(StatusCode::UNAUTHORIZED, "unauthorized", detail)
}
