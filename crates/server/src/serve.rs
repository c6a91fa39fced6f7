//! Serving: builds the routers with their middleware, listens, and stops without dropping requests in progress.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use annals_core::Result;
use annals_service::calls::Host;
use annals_service::{Activity, Service, Worker};
use annals_web::{Sessions, Site, StreamTimes};
use axum::Router;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::Response;
use tokio::net::{TcpListener, UnixListener};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::access::{
    BodyLimits, Caller, ConnectionLimits, KeylessAccess, Places, RequestLimits, admit_visitor, authenticate,
    bound_body, bound_time, check_origin, limit, limit_uploads, serve_connections,
};
use crate::cluster::NodeRoutes;
use crate::compat;
use crate::config::ServerConfig;
use crate::exit_codes_and_statuses;
use crate::mcp;
use crate::request::identify;
use crate::rest::{MAX_WAIT, Routes, no_such_method, nowhere, routes};

/// Workers that make messages searchable. The embedder keeps two cores busy; the third worker is for agents with few waiting
/// changes.
const WORKERS: [Worker; 3] = [Worker::Any, Worker::Any, Worker::Small];
/// A request fails if no byte of its body arrives for this long.
const SILENCE: Duration = Duration::from_secs(15);
/// An upload fails if no byte of it arrives for this long. Longer than [`SILENCE`], because the sender may still be reading or
/// compressing the data.
const UPLOAD_SILENCE: Duration = Duration::from_secs(60);

/// Listeners of the service, and the process that they belong to.
pub struct Listeners {
    /// The process with its scheduled jobs, for the pages that show them.
    pub host: Option<Arc<dyn Host>>,
    /// The public listener. Requests need a key, unless [`KeylessAccess`] admits their sender without one.
    pub tcp: Option<TcpListener>,
    /// Routes of the public listener that check a key of their own: calls of other nodes of a cluster.
    pub for_nodes: Option<NodeRoutes>,
    /// The private listener, for processes of the same user, who can read the data folder anyway. No key is needed. The
    /// router adds routes to this listener only.
    pub unix: Option<(UnixListener, Router)>,
}

/// Ends and counts the connections that outlive their request, such as MCP streams.
#[derive(Clone, Default)]
pub struct Lifetime {
    /// Is cancelled when these connections are to answer the requests that they have read, and end.
    pub stop: CancellationToken,
    /// Counts these connections, so that the process waits for their end.
    pub tasks: TaskTracker,
}

/// Builds the router of the public listener, without pages for people.
pub fn public(service: &Service, config: &ServerConfig) -> Router {
    public_with_pages(service, config, None)
}

/// Builds the router of the public listener, which checks keys and limits, with the pages of a site.
pub fn public_with_pages(service: &Service, config: &ServerConfig, site: Option<&Site>) -> Router {
    with_request_log(checked(service, config, site, RequestLimits::new(service.limits())), service)
}

/// Builds the same router with these limits, for requests that are logged elsewhere.
pub(crate) fn checked(service: &Service, config: &ServerConfig, site: Option<&Site>, limits: RequestLimits) -> Router {
    let Routes { guarded, uploads, open, .. } = routes(service.clone());
    let limited = |routes: Router| routes.layer(from_fn_with_state(limits.clone(), limit));
    let limited_uploads = |uploads: Router| uploads.layer(from_fn_with_state(limits.clone(), limit_uploads));
    let keyless = (service.clone(), limits.clone(), KeylessAccess::of(config));
    let guard = |routes: Router| routes.layer(from_fn_with_state(keyless.clone(), authenticate));
    let guarded = guard(limited(guarded.merge(mcp::routes(service, config)).merge(compat::routes(service, config))));
    let origins = from_fn_with_state((service.clone(), Places::new(config)), check_origin);
    let for_visitors = |pages: Router, site: &Site| {
        pages
            .layer(from_fn_with_state(site.clone(), annals_web::recognise))
            .layer(from_fn_with_state(keyless.clone(), admit_visitor))
    };
    let pages = site.map_or_else(Router::new, |site| for_visitors(limited(annals_web::pages(site)), site));
    let page_uploads =
        site.map_or_else(Router::new, |site| for_visitors(limited_uploads(annals_web::uploads(site)), site));
    let all = bounded(guarded.merge(open).merge(pages), service, config).merge(uploading(
        guard(limited_uploads(uploads)).merge(page_uploads),
        service,
        config,
    ));
    all.layer(origins).layer(from_fn(compat::shape_errors))
}

/// Returns the state that the pages of a service need. No visitor is signed in yet.
pub fn site(service: &Service, host: Option<Arc<dyn Host>>) -> Result<Site> {
    let (service, sessions) = (service.clone(), Arc::new(Sessions::new()?));
    Ok(Site {
        service,
        host,
        sessions,
        status_of: |error| exit_codes_and_statuses::row(error).status,
        stop: CancellationToken::new(),
        streams: Site::streams(),
        stream_times: StreamTimes::default(),
    })
}

/// Builds the router of the private socket, where every caller is local and needs no key. The routes of `more` have no
/// limits. `lifetime` ends the MCP streams.
pub fn private(service: &Service, config: &ServerConfig, more: Router, lifetime: &Lifetime) -> Router {
    let Routes { guarded, uploads, open, .. } = routes(service.clone());
    let guarded = guarded
        .merge(mcp::routes(service, config))
        .merge(compat::routes(service, config))
        .merge(mcp::streams(service, lifetime));
    // `annals import -` may send a whole file.
    let more = more.layer(DefaultBodyLimit::disable());
    let all = bounded(guarded.layer(from_fn(as_local)).merge(open), service, config);
    let uploads = uploading(uploads.layer(from_fn(as_local)), service, config);
    with_request_log(all.merge(uploads).layer(from_fn(compat::shape_errors)), service).merge(more)
}

async fn as_local(mut request: Request, next: Next) -> Response {
    request.extensions_mut().insert(Caller::local());
    next.run(request).await
}

/// Counts a request as under way until it is answered.
async fn count(State(activity): State<Activity>, request: Request, next: Next) -> Response {
    let _busy = activity.begin();
    next.run(request).await
}

/// Adds answers for unknown paths and methods, and limits on size and time. Counts requests as under way.
fn bounded(routes: Router, service: &Service, config: &ServerConfig) -> Router {
    let limits = BodyLimits { most: config.max_body_kib as usize * 1024, silence: SILENCE };
    let time = Duration::from_secs(config.request_seconds.into());
    routes
        .fallback(nowhere)
        .method_not_allowed_fallback(no_such_method)
        .layer(from_fn_with_state(service.activity().clone(), count))
        .layer(from_fn_with_state(time, bound_time))
        .layer(DefaultBodyLimit::disable())
        .layer(from_fn_with_state(limits, bound_body))
}

/// Adds the limit on the size of uploads, and counts them as under way. They may take any time, as long as bytes arrive.
fn uploading(routes: Router, service: &Service, config: &ServerConfig) -> Router {
    let limits = BodyLimits { most: config.max_upload_mib as usize * 1024 * 1024, silence: UPLOAD_SILENCE };
    routes
        .method_not_allowed_fallback(no_such_method)
        .layer(from_fn_with_state(service.activity().clone(), count))
        .layer(DefaultBodyLimit::disable())
        .layer(from_fn_with_state(limits, bound_body))
}

/// Adds an id, a log line and metrics to each request.
fn with_request_log(routes: Router, service: &Service) -> Router {
    routes.layer(from_fn_with_state(service.metrics().clone(), identify))
}

/// Serves until `stop`. Then accepts no new requests, waits at most the configured time for those in progress and for the
/// current pieces of background work, and saves the access counts.
pub async fn serve(
    service: Service,
    config: &ServerConfig,
    listeners: Listeners,
    stop: CancellationToken,
) -> io::Result<()> {
    let lifetime = Lifetime { stop: stop.clone(), tasks: TaskTracker::new() };
    let tasks = &lifetime.tasks;
    for worker in WORKERS {
        let (service, stop) = (service.clone(), stop.clone());
        tasks.spawn(async move { service.work(worker, stop).await });
    }
    let (counting, until) = (service.clone(), stop.clone());
    tasks.spawn(async move { counting.flush_periodically(until).await });
    let (expiring, host, until) = (service.clone(), listeners.host.clone(), stop.clone());
    let synchronised = move || host.as_ref()?.clock_is_synchronised();
    tasks.spawn(async move { expiring.remove_expired_periodically(synchronised, until).await });
    let (reembedding, until) = (service.clone(), stop.clone());
    tasks.spawn(async move { reembedding.reembed_in_background(until).await });
    // Queues the agents with messages that arrived before the last stop and are not searchable yet.
    for agent in service.agents_with_work(service.now()).await.map_err(io::Error::other)? {
        service.enqueue(&agent);
    }
    if let Some(listener) = listeners.tcp {
        let site = site(&service, listeners.host).map_err(io::Error::other)?;
        let site = Site { stop: stop.clone(), ..site };
        let NodeRoutes { routes, limits } = listeners.for_nodes.unwrap_or_else(|| NodeRoutes::none(&service));
        let router = with_request_log(checked(&service, config, Some(&site), limits), &service);
        let router = router.merge(routes.layer(DefaultBodyLimit::disable()));
        let served = serve_connections(listener, router, connection_limits(config), stop.clone());
        tasks.spawn(async move { log_error(served.await) });
    }
    if let Some((listener, more)) = listeners.unix {
        let served = axum::serve(listener, private(&service, config, more, &lifetime))
            .with_graceful_shutdown(stop.clone().cancelled_owned());
        tasks.spawn(async move { log_error(served.await) });
    }
    stop.cancelled().await;
    tasks.close();
    let drain = Duration::from_secs(config.drain_seconds.into());
    if tokio::time::timeout(drain, tasks.wait()).await.is_err() {
        tracing::warn!(drain.seconds = drain.as_secs(), "stopped while requests were still running");
    }
    service.flush_access_counts().await;
    Ok(())
}

/// Returns the limits on the connections of the public listener, as the configuration sets them.
pub(crate) fn connection_limits(config: &ServerConfig) -> ConnectionLimits {
    ConnectionLimits {
        most: config.max_connections as usize,
        most_per_peer: config.max_connections_per_peer as usize,
        head: Duration::from_secs(config.header_seconds.into()),
        // Longer than any answer takes, so that waiting for an answer never closes a connection.
        silence: Duration::from_secs(u64::from(config.request_seconds) + MAX_WAIT + 30),
    }
}

fn log_error(served: io::Result<()>) {
    if let Err(error) = served {
        tracing::error!(%error, "a listener failed");
    }
}
