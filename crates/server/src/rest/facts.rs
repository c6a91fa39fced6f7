//! `GET|POST …/facts`, `GET|PUT …/blocks`.

use annals_service::Service;
use annals_service::wire::{BlocksRequest, BlocksView, FactEntry, FactsAnswer, FactsRequest};
use axum::Json;
use axum::extract::State;

use super::Problem;
use super::extract::{Administering, Body, Known, Named, QueryParams, Reading};

/// Finds facts, and the time for which each holds.
#[utoipa::path(
    get, path = "/v1/agents/{agent}/facts", tag = "facts",
    params(("agent" = String, Path, description = "Name of the agent"), FactsRequest),
    responses((status = 200, description = "The matching facts", body = FactsAnswer))
)]
pub(crate) async fn find(
    State(service): State<Service>,
    Known(agent, _): Known<Reading>,
    QueryParams(request): QueryParams<FactsRequest>,
) -> Result<Json<FactsAnswer>, Problem> {
    Ok(Json(service.facts(&agent, request, service.now()).await?))
}

/// Enters a fact by hand, or its end. It affects other facts as if it had been said.
#[utoipa::path(
    post, path = "/v1/agents/{agent}/facts", tag = "facts",
    params(("agent" = String, Path, description = "Name of the agent")),
    request_body = FactEntry,
    responses((status = 200, description = "What is known about its subject now", body = FactsAnswer))
)]
pub(crate) async fn enter(
    State(service): State<Service>,
    Named(agent, _): Named<Administering>,
    body: Body<FactEntry>,
) -> Result<Json<FactsAnswer>, Problem> {
    Ok(Json(service.enter_fact(&agent, body.value, service.now()).await?))
}

/// Lists the blocks: short texts that are part of every context, such as persona, human or project.
#[utoipa::path(
    get, path = "/v1/agents/{agent}/blocks", tag = "blocks",
    params(("agent" = String, Path, description = "Name of the agent")),
    responses((status = 200, description = "The blocks", body = BlocksView))
)]
pub(crate) async fn blocks(
    State(service): State<Service>,
    Known(agent, _): Known<Reading>,
) -> Result<Json<BlocksView>, Problem> {
    Ok(Json(service.blocks(&agent).await?))
}

/// Writes blocks. Blocks that are not listed stay unchanged; an empty text removes one.
#[utoipa::path(
    put, path = "/v1/agents/{agent}/blocks", tag = "blocks",
    params(("agent" = String, Path, description = "Name of the agent")),
    request_body = BlocksRequest,
    responses((status = 200, description = "All blocks as they are now", body = BlocksView))
)]
pub(crate) async fn write_blocks(
    State(service): State<Service>,
    Named(agent, _): Named<Administering>,
    body: Body<BlocksRequest>,
) -> Result<Json<BlocksView>, Problem> {
    Ok(Json(service.write_blocks(&agent, body.value, service.now()).await?))
}
