//! Authentication: finds the key of a request, or that it needs none.
//!
//! A request needs no key if all of these hold: it comes from a process of this machine, it addresses the service by a name of
//! this machine, the configuration does not let others reach the service, and all keys, if any, are revoked. Behind a proxy every
//! request would come from this machine, so a request with the headers of a proxy needs a key too.

use annals_core::Timestamp;
use annals_core::ports::Keys;
use annals_service::Presented;
use annals_service::Service;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::middleware::Next;
use axum::response::Response;

use super::origin::calls_this_machine;
use super::{Caller, Gates, Peer};
use crate::config::ServerConfig;
use crate::rest::{Problem, bearer};

/// Headers that proxies add to the requests that they forward.
const OF_PROXIES: [&str; 5] = ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via"];

/// Who may call without a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keyless {
    /// Nobody, because others can reach the service.
    Nobody,
    /// Processes of this machine, until there is a key.
    ThisMachine,
}

impl Keyless {
    /// Returns who may call without a key under this configuration.
    pub fn of(config: &ServerConfig) -> Keyless {
        if config.reachable_because().is_some() { Keyless::Nobody } else { Keyless::ThisMachine }
    }

    fn admits(self, request: &Request) -> bool {
        let came_through_proxy = OF_PROXIES.iter().any(|header| request.headers().contains_key(*header));
        let is_here = !Peer::of(request).is_elsewhere() && calls_this_machine(request.uri(), request.headers());
        self == Keyless::ThisMachine && is_here && !came_through_proxy
    }
}

/// Adds the [`Caller`] to a request, or answers 401. A peer with too many such failures gets 429.
pub async fn authenticate(
    State((service, gates, keyless)): State<(Service, Gates, Keyless)>,
    mut request: Request,
    next: Next,
) -> Result<Response, Problem> {
    let is_local = keyless.admits(&request);
    let found = caller(&service, bearer(request.headers()), is_local, service.now()).await;
    if found.as_ref().is_err_and(|problem| problem.status() == StatusCode::UNAUTHORIZED) {
        gates.was_wrong(Peer::of(&request))?;
    }
    request.extensions_mut().insert(found?);
    Ok(next.run(request).await)
}

async fn caller(service: &Service, text: Option<&str>, is_local: bool, now: Timestamp) -> Result<Caller, Problem> {
    let Some(text) = text else {
        return if !is_local || any_made(&*service.store).await? {
            Err(refused(
                "an API key is required: send Authorization: Bearer annals_…; `annals key add NAME` creates a key",
            ))
        } else {
            Ok(Caller::local())
        };
    };
    let presented =
        Presented::parse(text).ok_or_else(|| refused("the API key is malformed; a key begins with annals_"))?;
    // The same answer for an unknown id, a wrong secret, and a key that was revoked or has expired.
    let good = match service.store.key(&presented.id).await? {
        Some((key, hash)) => (presented.is(&hash) && key.is_good(now)).then_some(key),
        None => None,
    };
    good.map(Caller::of).ok_or_else(|| refused("the API key is unknown, revoked or expired"))
}

/// Returns whether any key is not revoked. If so, every request needs a key. An expired key counts, so that the passing of time
/// alone never opens access.
async fn any_made(keys: &dyn Keys) -> annals_core::Result<bool> {
    Ok(keys.keys().await?.iter().any(|key| key.revoked_at.is_none()))
}

/// Returns whether any key is valid now. Without one nobody could call a service that requires keys.
pub async fn any_good(keys: &dyn Keys, now: Timestamp) -> annals_core::Result<bool> {
    Ok(keys.keys().await?.iter().any(|key| key.is_good(now)))
}

fn refused(detail: &str) -> Problem {
    Problem::new(StatusCode::UNAUTHORIZED, "unauthorized", detail)
}
