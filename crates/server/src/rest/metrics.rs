//! `GET /metrics` for Prometheus. Needs a key with the scope admin, unless the request needs no key at all.

use annals_service::Service;
use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;

use super::Problem;
use super::extract::{Administering, Permitted};

/// The content type of metrics.
pub(crate) const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Returns the metrics in OpenMetrics text format.
///
/// They cover all workspaces, so the key must belong to the workspace `default` and must not be bound to an agent.
#[utoipa::path(
    get, path = "/metrics", tag = "service",
    responses((status = 200, description = "All numbers", body = String, content_type = "application/openmetrics-text"))
)]
pub(crate) async fn show(
    State(service): State<Service>,
    Permitted(caller, _): Permitted<Administering>,
) -> Result<impl IntoResponse, Problem> {
    if !caller.sees_all() {
        let detail = "metrics cover all workspaces and agents, but this key is limited to some";
        return Err(Problem::insufficient_scope(detail));
    }
    Ok(([(header::CONTENT_TYPE, OPEN_METRICS)], service.metrics_text(service.now()).await?))
}
