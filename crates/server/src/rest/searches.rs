//! `POST …/search`, `POST …/context`, `GET …/timeline`, `GET …/periods`.

use annals_service::Service;
use annals_service::wire::{
    ContextAnswer, ContextRequest, PeriodsAnswer, PeriodsRequest, SearchAnswer, SearchRequest, TimelineAnswer,
    TimelineRequest,
};
use axum::Json;
use axum::extract::State;

use super::Problem;
use super::extract::{Billed, Body, Known, QueryParams, Reading};

/// Searches an agent's memory by grain and date range.
///
/// Each result shows the days that it covers. The answer says if the range holds no memories.
#[utoipa::path(
    post, path = "/v1/agents/{agent}/search", tag = "recall",
    params(("agent" = String, Path, description = "Name of the agent")),
    request_body = SearchRequest,
    responses((status = 200, description = "What was found, best first", body = SearchAnswer))
)]
pub(crate) async fn search(
    Billed(service): Billed,
    Known(agent, _): Known<Reading>,
    body: Body<SearchRequest>,
) -> Result<Json<SearchAnswer>, Problem> {
    Ok(Json(service.search(&agent, body.value, service.now()).await?))
}

/// Returns context for a prompt: blocks, facts, turns and summaries that an answer should consider, within a token budget.
#[utoipa::path(
    post, path = "/v1/agents/{agent}/context", tag = "recall",
    params(("agent" = String, Path, description = "Name of the agent")),
    request_body = ContextRequest,
    responses((status = 200, description = "Text to put into a prompt, fenced as data", body = ContextAnswer))
)]
pub(crate) async fn context(
    Billed(service): Billed,
    Known(agent, _): Known<Reading>,
    body: Body<ContextRequest>,
) -> Result<Json<ContextAnswer>, Problem> {
    Ok(Json(service.context(&agent, body.value, service.now()).await?))
}

/// Lists memories in order of time, oldest first, and the periods that are still open.
#[utoipa::path(
    get, path = "/v1/agents/{agent}/timeline", tag = "recall",
    params(("agent" = String, Path, description = "Name of the agent"), TimelineRequest),
    responses((status = 200, description = "The memories", body = TimelineAnswer))
)]
pub(crate) async fn timeline(
    State(service): State<Service>,
    Known(agent, _): Known<Reading>,
    QueryParams(request): QueryParams<TimelineRequest>,
) -> Result<Json<TimelineAnswer>, Problem> {
    Ok(Json(service.timeline(&agent, request, service.now()).await?))
}

/// Lists the periods of a memory with the state of each summary, and the days with the number of their turns. No texts.
#[utoipa::path(
    get, path = "/v1/agents/{agent}/periods", tag = "recall",
    params(("agent" = String, Path, description = "Name of the agent"), PeriodsRequest),
    responses((status = 200, description = "The periods, by grain and time", body = PeriodsAnswer))
)]
pub(crate) async fn periods(
    State(service): State<Service>,
    Known(agent, _): Known<Reading>,
    QueryParams(request): QueryParams<PeriodsRequest>,
) -> Result<Json<PeriodsAnswer>, Problem> {
    Ok(Json(service.periods(&agent, request, service.now()).await?))
}
