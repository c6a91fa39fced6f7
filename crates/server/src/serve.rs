//! Serving: puts the routes behind their gates, listens, and stops without dropping what is under way.

use std::io;
use std::time::Duration;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::Response;
use tokio::net::{TcpListener, UnixListener};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::Service;
use crate::activity::count;
use crate::access::{Caller, authenticate};
use crate::config::ServerConfig;
use crate::request::identify;
use crate::rest::{Routes, no_such_method, nowhere, routes};

/// Workers that make messages searchable: the embedder keeps two cores busy.
const WORKERS: usize = 2;

/// What is listened on.
pub struct Listeners {
    /// For everybody; keys hold.
    pub tcp: Option<TcpListener>,
    /// For processes of the same user, who can read the data folder anyway: no key is asked for. With more routes for them.
    pub unix: Option<(UnixListener, Router)>,
}

/// Everything over HTTP, for callers with keys.
pub fn public(service: &Service, config: &ServerConfig) -> Router {
    let Routes { guarded, open, .. } = routes(service.clone());
    let guarded = guarded.layer(from_fn_with_state(service.clone(), authenticate));
    dress(guarded.merge(open), service, config)
}

/// Everything over HTTP, for whoever sits at the machine.
pub fn private(service: &Service, config: &ServerConfig, more: Router) -> Router {
    let Routes { guarded, open, .. } = routes(service.clone());
    // A whole file may come in by `annals import -`.
    let more = more.layer(DefaultBodyLimit::disable());
    dress(guarded.layer(from_fn(as_local)).merge(open), service, config).merge(more)
}

async fn as_local(mut request: Request, next: Next) -> Response {
    request.extensions_mut().insert(Caller::local());
    next.run(request).await
}

fn dress(routes: Router, service: &Service, config: &ServerConfig) -> Router {
    routes
        .fallback(nowhere)
        .method_not_allowed_fallback(no_such_method)
        .layer(DefaultBodyLimit::max(config.max_body_kib as usize * 1024))
        .layer(from_fn_with_state(service.activity().clone(), count))
        .layer(from_fn(identify))
}

/// Serves until `stop`; then takes no new requests, finishes those under way for as long as the configuration says, and the
/// piece of work at hand.
pub async fn serve(service: Service, config: &ServerConfig, listeners: Listeners, stop: CancellationToken) -> io::Result<()> {
    let tasks = TaskTracker::new();
    for _ in 0..WORKERS {
        let (service, stop) = (service.clone(), stop.clone());
        tasks.spawn(async move { service.work(stop).await });
    }
    // What came in before the last stop and is not searchable yet.
    for agent in service.catalog.agents().await.map_err(io::Error::other)? {
        service.nudge(&agent);
    }
    if let Some(listener) = listeners.tcp {
        let served = axum::serve(listener, public(&service, config)).with_graceful_shutdown(stop.clone().cancelled_owned());
        tasks.spawn(async move { told(served.await) });
    }
    if let Some((listener, more)) = listeners.unix {
        let served = axum::serve(listener, private(&service, config, more)).with_graceful_shutdown(stop.clone().cancelled_owned());
        tasks.spawn(async move { told(served.await) });
    }
    stop.cancelled().await;
    tasks.close();
    let drain = Duration::from_secs(config.drain_seconds.into());
    if tokio::time::timeout(drain, tasks.wait()).await.is_err() {
        tracing::warn!(drain.seconds = drain.as_secs(), "stopped with requests still under way");
    }
    Ok(())
}

fn told(served: io::Result<()>) {
    if let Err(error) = served {
        tracing::error!(%error, "a listener failed");
    }
}
