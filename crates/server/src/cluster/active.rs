//! What the active node of a cluster adds to the routes of a service.

use std::sync::Arc;
use std::time::Instant;

use annals_service::calls::Host;
use annals_service::metrics::NodeMetrics;
use annals_service::{EmbeddingQueue, Service};
use axum::Router;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::routing::get;
use secrecy::SecretString;

use super::embedding::embedding_route;
use super::reports::{accesses_route, answered_route};
use super::requests::guarded_route;
use crate::access::RequestLimits;
use crate::rest::OPEN_METRICS;

/// The routes that the active node of a cluster adds to those of a service: the metrics of the node and, if there is a key of the
/// cluster, what other nodes send: calls, vectors, access counts, and numbers of requests that they have answered.
pub struct NodeRoutes {
    pub(crate) routes: Router,
    /// The limits of the service, for which the requests of other nodes count.
    pub(crate) limits: RequestLimits,
}

impl NodeRoutes {
    pub fn new(
        metrics: NodeMetrics,
        host: Arc<dyn Host>,
        service: Service,
        queue: EmbeddingQueue,
        key: Option<SecretString>,
    ) -> NodeRoutes {
        let limits = RequestLimits::new(service.limits());
        let of_nodes = key.map(|key| {
            let routes = guarded_route(host, key.clone()).merge(embedding_route(queue, key.clone()));
            routes.merge(accesses_route(service, key.clone())).merge(answered_route(limits.clone(), key))
        });
        NodeRoutes { routes: of_nodes.unwrap_or_default().merge(node_metrics_route(metrics)), limits }
    }

    /// Returns those of a service that is no node.
    pub(crate) fn none(service: &Service) -> NodeRoutes {
        NodeRoutes { routes: Router::new(), limits: RequestLimits::new(service.limits()) }
    }
}

/// Returns the route of a node's own metrics. No key is needed: they show nothing of the memory, and a standby node cannot
/// check keys.
pub(super) fn node_metrics_route(metrics: NodeMetrics) -> Router {
    let show =
        async |State(metrics): State<NodeMetrics>| ([(CONTENT_TYPE, OPEN_METRICS)], metrics.text(Instant::now()));
    Router::new().route("/metrics/node", get(show)).with_state(metrics)
}
