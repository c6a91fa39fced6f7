//! The state that pages need, and their router.

use std::sync::Arc;
use std::time::Duration;

use annals_core::Error;
use annals_service::Service;
use annals_service::calls::Host;
use axum::Router;
use axum::http::StatusCode;
use axum::middleware::from_fn_with_state;
use axum::routing::{get, post};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::assets;
use crate::pages::{
    agents, context, costs, facts, forget, imports, jobs, keys, live, login, memory, operator, search, status, timeline,
};
use crate::session::Sessions;
use crate::visit::check_token;

/// The state that pages need. Cheap to clone; clones share the sessions.
#[derive(Clone)]
pub struct Site {
    /// The operations that pages call.
    pub service: Service,
    /// The process with its scheduled jobs. Without it, pages list no jobs and cannot run the doctor.
    pub host: Option<Arc<dyn Host>>,
    pub sessions: Arc<Sessions>,
    /// Returns the HTTP status of an error, the same as over REST.
    pub status_of: fn(&Error) -> StatusCode,
    /// Cancelled when the service stops, which ends the streams of events.
    pub stop: CancellationToken,
    /// One permit for each stream of events.
    pub streams: Arc<Semaphore>,
    pub stream_times: StreamTimes,
}

/// How often a stream of server-sent events checks for changes, and how long it stays open.
#[derive(Clone, Copy, Debug)]
pub struct StreamTimes {
    /// The pause between two checks for a change.
    pub pause: Duration,
    /// The time after which a stream ends and the browser connects again.
    pub lifetime: Duration,
}

impl Default for StreamTimes {
    /// Returns a pause of two seconds and a lifetime of a minute. People would not notice a shorter pause, and loading a page
    /// again costs more than a check for changes.
    fn default() -> StreamTimes {
        StreamTimes { pause: Duration::from_secs(2), lifetime: Duration::from_secs(60) }
    }
}

/// Maximum number of streams of events at once, because each holds a connection. A page without a stream loads its parts again
/// at intervals.
const MAX_STREAMS: usize = 64;

impl Site {
    /// Returns the semaphore with the permits for all streams.
    pub fn streams() -> Arc<Semaphore> {
        Arc::new(Semaphore::new(MAX_STREAMS))
    }
}

/// All routes that change something. Each requires the token of the session. A test sends each a request without a token.
pub const CHANGES: [&str; 14] = [
    "/login",
    "/logout",
    "/keys",
    "/keys/{id}/limit",
    "/keys/{id}/revoke",
    "/agents/{agent}/memories/{id}/text",
    "/agents/{agent}/memories/{id}/pin",
    "/agents/{agent}/forget",
    "/agents/{agent}/facts",
    "/agents/{agent}/retry",
    "/jobs/{id}/run",
    "/operator/examine",
    "/prices",
    "/agents/{agent}/imports",
];

/// Returns the router of the pages. [`crate::recognise`] must be layered around it.
pub fn pages(site: &Site) -> Router {
    Router::new()
        .route("/", get(agents::show))
        .route("/login", get(login::form).post(login::open))
        .route("/logout", post(login::close))
        .route("/agents/{agent}", get(timeline::show))
        .route("/agents/{agent}/memories/{id}", get(memory::show))
        .route("/agents/{agent}/memories/{id}/text", post(memory::correct))
        .route("/agents/{agent}/memories/{id}/pin", post(memory::pin))
        .route("/agents/{agent}/search", get(search::show))
        .route("/agents/{agent}/context", get(context::show))
        .route("/agents/{agent}/facts", get(facts::show).post(facts::enter))
        .route("/agents/{agent}/status", get(status::show))
        .route("/agents/{agent}/retry", post(status::retry))
        .route("/agents/{agent}/forget", get(forget::show).post(forget::carry_out))
        .route("/jobs", get(jobs::show))
        .route("/jobs/{id}/run", post(jobs::run))
        .route("/keys", get(keys::show).post(keys::add))
        .route("/keys/{id}/limit", post(keys::limit))
        .route("/keys/{id}/revoke", post(keys::revoke))
        .route("/operator", get(operator::show))
        .route("/operator/examine", post(operator::examine))
        .route("/costs", get(costs::show))
        .route("/prices", post(costs::set_prices))
        .route("/import", get(imports::choose))
        .route("/agents/{agent}/import", get(imports::form))
        .route("/agents/{agent}/imports/{id}", get(imports::show))
        .route("/events", get(live::events))
        .route("/assets/{digest}/{name}", get(assets::serve))
        .layer(from_fn_with_state(site.clone(), check_token))
        .with_state(site.clone())
}

/// Returns the router of the routes that receive files, which are larger than forms. They check the token themselves.
/// [`crate::recognise`] must be layered around the router.
pub fn uploads(site: &Site) -> Router {
    Router::new().route("/agents/{agent}/imports", post(imports::upload)).with_state(site.clone())
}
