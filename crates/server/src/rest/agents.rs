//! `GET /v1/agents`, `DELETE /v1/agents/{agent}`.

use annals_core::Agent;
use annals_core::ports::Target;
use axum::Json;
use axum::extract::State;

use super::Problem;
use super::extract::{Administering, Known, Permitted, Reading, Wish};
use super::messages::Dry;
use crate::Service;
use crate::wire::{AgentsAnswer, ForgetAnswer};

/// The agents that the key may use.
#[utoipa::path(
    get, path = "/v1/agents", tag = "agents",
    responses((status = 200, description = "Their names", body = AgentsAnswer))
)]
pub async fn list(
    State(service): State<Service>,
    Permitted(caller, _): Permitted<Reading>,
) -> Result<Json<AgentsAnswer>, Problem> {
    let agents = service.agents(caller.workspace()).await?;
    let agents = agents.iter().filter(|agent| caller.opens(agent)).map(Agent::name).map(str::to_owned);
    Ok(Json(AgentsAnswer { agents: agents.collect() }))
}

/// Forgets an agent altogether and proves it; says what would go unless `dry_run=false`.
#[utoipa::path(
    delete, path = "/v1/agents/{agent}", tag = "forgetting",
    params(("agent" = String, Path, description = "Name of the agent"), Dry),
    responses((status = 200, description = "What went, or would go", body = ForgetAnswer))
)]
pub async fn delete(
    State(service): State<Service>,
    Known(agent, _): Known<Administering>,
    Wish(dry): Wish<Dry>,
) -> Result<Json<ForgetAnswer>, Problem> {
    Ok(Json(service.forget_target(&agent, &Target::Agent, dry.dry_run, service.now()).await?))
}
