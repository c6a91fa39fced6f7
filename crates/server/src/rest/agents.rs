//! `GET|POST /v1/agents`, `DELETE /v1/agents/{agent}`, `POST …/rename`, `GET …/conversations`, `GET /v1/plans`.

use annals_core::Agent;
use annals_core::ports::Target;
use annals_service::Service;
use annals_service::wire::{
    AgentsAnswer, ConversationsAnswer, ForgetAnswer, NewAgent, NewName, PageRequest, PlansAnswer, SettingsView,
};
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;

use super::Problem;
use super::extract::{Administering, Body, Known, Permitted, QueryParams, Reading};
use super::messages::Dry;

/// Lists the agents that the key may use.
#[utoipa::path(
    get, path = "/v1/agents", tag = "agents",
    params(PageRequest),
    responses((status = 200, description = "Their names", body = AgentsAnswer))
)]
pub(crate) async fn list(
    State(service): State<Service>,
    Permitted(caller, _): Permitted<Reading>,
    QueryParams(request): QueryParams<PageRequest>,
) -> Result<Json<AgentsAnswer>, Problem> {
    // Without a limit all agents are returned, as in earlier versions.
    let limit = request.limit.unwrap_or(usize::MAX);
    if limit == 0 {
        return Err(Problem::malformed("limit", "is 0; 1 or more are allowed"));
    }
    let more = limit.saturating_add(1);
    let cursor = request.cursor.as_deref();
    let mut agents = service.agents(caller.workspace(), cursor, more, |agent| caller.opens(agent)).await?;
    let is_more = agents.len() > limit;
    agents.truncate(limit);
    let agents: Vec<String> = agents.iter().map(Agent::name).map(str::to_owned).collect();
    let next_cursor = agents.last().filter(|_| is_more).cloned();
    Ok(Json(AgentsAnswer { agents, next_cursor }))
}

/// Creates an agent with initial settings.
///
/// An agent is also created by its first message. This route fails if the name is taken.
#[utoipa::path(
    post, path = "/v1/agents", tag = "agents",
    request_body = NewAgent,
    responses((status = 201, description = "Its settings", body = SettingsView))
)]
pub(crate) async fn create(
    State(service): State<Service>,
    Permitted(caller, _): Permitted<Administering>,
    body: Body<NewAgent>,
) -> Result<(StatusCode, Json<SettingsView>), Problem> {
    let NewAgent { agent, settings } = body.value;
    let agent = service.agent(&caller, &agent).await?;
    Ok((StatusCode::CREATED, Json(service.create_agent(&agent, settings, service.now()).await?)))
}

/// Gives an agent another name.
///
/// Its memories, settings and keys stay as they are. Former names keep leading to it, so clients that still use them go on
/// working. A name that another agent has or had is refused.
#[utoipa::path(
    post, path = "/v1/agents/{agent}/rename", tag = "agents",
    params(("agent" = String, Path, description = "Name of the agent")),
    request_body = NewName,
    responses((status = 200, description = "Its settings, with the new name", body = SettingsView))
)]
pub(crate) async fn rename(
    State(service): State<Service>,
    Known(agent, _): Known<Administering>,
    body: Body<NewName>,
) -> Result<Json<SettingsView>, Problem> {
    Ok(Json(service.rename_agent(&agent, &body.value.name).await?))
}

/// Lists the conversations with stored messages, ordered by name.
#[utoipa::path(
    get, path = "/v1/agents/{agent}/conversations", tag = "messages",
    params(("agent" = String, Path, description = "Name of the agent"), PageRequest),
    responses((status = 200, description = "The conversations", body = ConversationsAnswer))
)]
pub(crate) async fn conversations(
    State(service): State<Service>,
    Known(agent, _): Known<Reading>,
    QueryParams(request): QueryParams<PageRequest>,
) -> Result<Json<ConversationsAnswer>, Problem> {
    Ok(Json(service.conversations(&agent, request).await?))
}

/// Lists the retention plans, and what each keeps.
#[utoipa::path(
    get, path = "/v1/plans", tag = "agents",
    responses((status = 200, description = "The plans", body = PlansAnswer))
)]
pub(crate) async fn plans(State(service): State<Service>, _: Permitted<Reading>) -> Json<PlansAnswer> {
    Json(service.plan_list())
}

/// Forgets an agent completely and proves it. Only reports what would be erased unless `dry_run=false`.
#[utoipa::path(
    delete, path = "/v1/agents/{agent}", tag = "forgetting",
    params(("agent" = String, Path, description = "Name of the agent"), Dry),
    responses((status = 200, description = "What was forgotten, or would be", body = ForgetAnswer))
)]
pub(crate) async fn delete(
    State(service): State<Service>,
    Known(agent, _): Known<Administering>,
    QueryParams(dry): QueryParams<Dry>,
) -> Result<Json<ForgetAnswer>, Problem> {
    Ok(Json(service.forget_target(&agent, &Target::Agent, dry.dry_run, service.now()).await?))
}
