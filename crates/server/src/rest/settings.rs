//! `GET|PUT …/settings`, `GET …/status`, `POST …/rollup`, `GET …/export`.

use annals_service::Service;
use annals_service::wire::{RollupAnswer, RollupRequest, SettingsChange, SettingsView, StatusView};
use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;
use tokio_util::io::ReaderStream;

use super::Problem;
use super::extract::{Administering, Billed, Body, Known, Named, Reading};

/// Returns an agent's settings: time zone, language, plan, engine, prompts, budget, masking.
#[utoipa::path(
    get, path = "/v1/agents/{agent}/settings", tag = "agents",
    params(("agent" = String, Path, description = "Name of the agent")),
    responses((status = 200, description = "The settings", body = SettingsView))
)]
pub(crate) async fn get(
    State(service): State<Service>,
    Known(agent, _): Known<Reading>,
) -> Result<Json<SettingsView>, Problem> {
    Ok(Json(service.settings(&agent).await?))
}

/// Changes settings, all or none. Settings that are not named stay unchanged. An unknown agent is created with them.
#[utoipa::path(
    put, path = "/v1/agents/{agent}/settings", tag = "agents",
    params(("agent" = String, Path, description = "Name of the agent")),
    request_body = SettingsChange,
    responses((status = 200, description = "The settings as they are now", body = SettingsView))
)]
pub(crate) async fn change(
    State(service): State<Service>,
    Named(agent, _): Named<Administering>,
    body: Body<SettingsChange>,
) -> Result<Json<SettingsView>, Problem> {
    Ok(Json(service.change_settings(&agent, body.value, service.now()).await?))
}

/// Returns the status of an agent: what is stored, what is waiting and why, what failed, what it cost.
#[utoipa::path(
    get, path = "/v1/agents/{agent}/status", tag = "agents",
    params(("agent" = String, Path, description = "Name of the agent")),
    responses((status = 200, description = "Its status", body = StatusView))
)]
pub(crate) async fn status(
    State(service): State<Service>,
    Known(agent, _): Known<Reading>,
) -> Result<Json<StatusView>, Problem> {
    Ok(Json(service.status(&agent, service.now()).await?))
}

/// Rolls up what is due now instead of at the next scheduled run. Periods that are not over are never due.
#[utoipa::path(
    post, path = "/v1/agents/{agent}/rollup", tag = "agents",
    params(("agent" = String, Path, description = "Name of the agent")),
    request_body = RollupRequest,
    responses((status = 200, description = "What was written, or would be read", body = RollupAnswer))
)]
pub(crate) async fn rollup(
    Billed(service): Billed,
    Known(agent, _): Known<Administering>,
    body: Body<RollupRequest>,
) -> Result<Json<RollupAnswer>, Problem> {
    Ok(Json(service.rollup(&agent, body.value, service.now()).await?))
}

/// Size in bytes of the pieces in which an export is sent.
const PIECE: usize = 64 * 1024;

/// Exports all data of an agent, one JSON record per line, in the format that `annals import` reads.
#[utoipa::path(
    get, path = "/v1/agents/{agent}/export", tag = "agents",
    params(("agent" = String, Path, description = "Name of the agent")),
    responses((status = 200, description = "The records", body = String, content_type = "application/x-ndjson"))
)]
pub(crate) async fn export(
    State(service): State<Service>,
    Known(agent, _): Known<Administering>,
) -> Result<impl IntoResponse, Problem> {
    let pieces = ReaderStream::with_capacity(service.export(&agent).await?.file, PIECE);
    Ok(([(header::CONTENT_TYPE, "application/x-ndjson")], axum::body::Body::from_stream(pieces)))
}
