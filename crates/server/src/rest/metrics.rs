//! `GET /metrics`: for Prometheus, with a key where there are keys.

use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;

use super::Problem;
use super::extract::{Administering, Permitted};
use crate::Service;

const TEXT: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// What is measured, in OpenMetrics' text form. It tells of all workspaces: the key must be one of the workspace `default` that is
/// bound to no agent.
#[utoipa::path(
    get, path = "/metrics", tag = "service",
    responses((status = 200, description = "All numbers", body = String, content_type = "application/openmetrics-text"))
)]
pub async fn show(
    State(service): State<Service>,
    Permitted(caller, _): Permitted<Administering>,
) -> Result<impl IntoResponse, Problem> {
    if !caller.sees_all() {
        let detail = "the key is of one workspace or agent, and these numbers are of all";
        return Err(Problem::new(StatusCode::FORBIDDEN, "insufficient_scope", detail));
    }
    Ok(([(header::CONTENT_TYPE, TEXT)], service.metrics_text(service.now()).await?))
}
