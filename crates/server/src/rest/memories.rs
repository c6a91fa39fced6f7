//! `GET|PATCH|DELETE …/memories/{id}`, `…/sources`, `POST …/forget`.

use annals_core::MemoryId;
use annals_core::ports::Target;
use annals_service::Service;
use annals_service::wire::{CorrectRequest, ForgetAnswer, ForgetRequest, MemoryAnswer, SourcesAnswer};
use axum::Json;
use axum::extract::State;

use super::Problem;
use super::extract::{Administering, Billed, Body, Id, Known, QueryParams, Reading};
use super::messages::Dry;

/// Returns one memory in full, with its sentences and former texts.
#[utoipa::path(
    get, path = "/v1/agents/{agent}/memories/{id}", tag = "memories",
    params(("agent" = String, Path, description = "Name of the agent"), ("id" = String, Path, description = "Id of the memory")),
    responses((status = 200, description = "The memory", body = MemoryAnswer))
)]
pub(crate) async fn get(
    State(service): State<Service>,
    Known(agent, _): Known<Reading>,
    Id(id): Id,
) -> Result<Json<MemoryAnswer>, Problem> {
    Ok(Json(service.memory(&agent, &id).await?))
}

/// Lists the memories from which a memory was made.
#[utoipa::path(
    get, path = "/v1/agents/{agent}/memories/{id}/sources", tag = "memories",
    params(("agent" = String, Path, description = "Name of the agent"), ("id" = String, Path, description = "Id of the memory")),
    responses((status = 200, description = "Those that still exist", body = SourcesAnswer))
)]
pub(crate) async fn sources(
    State(service): State<Service>,
    Known(agent, _): Known<Reading>,
    Id(id): Id,
) -> Result<Json<SourcesAnswer>, Problem> {
    Ok(Json(service.sources(&agent, &id).await?))
}

/// Corrects a memory, or pins it. The former text is kept as a version.
#[utoipa::path(
    patch, path = "/v1/agents/{agent}/memories/{id}", tag = "memories",
    params(("agent" = String, Path, description = "Name of the agent"), ("id" = String, Path, description = "Id of the memory")),
    request_body = CorrectRequest,
    responses((status = 200, description = "The memory as it is now", body = MemoryAnswer))
)]
pub(crate) async fn correct(
    State(service): State<Service>,
    Known(agent, _): Known<Administering>,
    Id(id): Id,
    body: Body<CorrectRequest>,
) -> Result<Json<MemoryAnswer>, Problem> {
    Ok(Json(service.correct(&agent, &id, body.value, service.now()).await?))
}

/// Forgets a memory and everything derived from it. Only reports what would be erased unless `dry_run=false`.
#[utoipa::path(
    delete, path = "/v1/agents/{agent}/memories/{id}", tag = "forgetting",
    params(("agent" = String, Path, description = "Name of the agent"), ("id" = String, Path, description = "Id of the memory"), Dry),
    responses((status = 200, description = "What was forgotten, or would be", body = ForgetAnswer))
)]
pub(crate) async fn forget_one(
    Billed(service): Billed,
    Known(agent, _): Known<Administering>,
    Id(id): Id,
    QueryParams(dry): QueryParams<Dry>,
) -> Result<Json<ForgetAnswer>, Problem> {
    let target = Target::Memories(vec![MemoryId::from_text(id)]);
    Ok(Json(service.forget_target(&agent, &target, dry.dry_run, service.now()).await?))
}

/// Forgets memories, a conversation, a subject or a range of days, and proves it. Only reports what would be erased unless
/// `dry_run` is false.
#[utoipa::path(
    post, path = "/v1/agents/{agent}/forget", tag = "forgetting",
    params(("agent" = String, Path, description = "Name of the agent")),
    request_body = ForgetRequest,
    responses((status = 200, description = "What was forgotten, or would be", body = ForgetAnswer))
)]
pub(crate) async fn forget(
    Billed(service): Billed,
    Known(agent, _): Known<Administering>,
    body: Body<ForgetRequest>,
) -> Result<Json<ForgetAnswer>, Problem> {
    Ok(Json(service.forget(&agent, body.value, service.now()).await?))
}
