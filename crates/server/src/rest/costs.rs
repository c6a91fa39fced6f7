//! `GET /v1/costs`, `GET|PUT /v1/prices`.

use annals_service::Service;
use annals_service::wire::{CostsAnswer, CostsRequest, PricesView};
use axum::Json;
use axum::extract::State;

use super::Problem;
use super::extract::{Administering, Body, Permitted, QueryParams, Reading};

/// Returns the tokens that models used, by agent, UTC day, purpose and model, and what they cost by the entered prices.
///
/// Covers the agents that the key may use. Costs of agents that were erased since are added up under an empty name. Only keys
/// that may use all agents of their workspace get them.
#[utoipa::path(
    get, path = "/v1/costs", tag = "agents",
    params(CostsRequest),
    responses((status = 200, description = "The costs", body = CostsAnswer))
)]
pub async fn costs(
    State(service): State<Service>,
    Permitted(caller, _): Permitted<Reading>,
    QueryParams(request): QueryParams<CostsRequest>,
) -> Result<Json<CostsAnswer>, Problem> {
    let now = service.now();
    Ok(Json(match &request.agent {
        Some(name) => {
            service.costs(&[service.known(service.agent(&caller, name).await?).await?], &request, now).await?
        }
        None => service.costs_of_all(&caller, &request, now).await?,
    }))
}

/// Returns the prices of models, as people entered them.
#[utoipa::path(
    get, path = "/v1/prices", tag = "service",
    responses((status = 200, description = "The prices", body = PricesView))
)]
pub async fn prices(State(service): State<Service>, _: Permitted<Reading>) -> Result<Json<PricesView>, Problem> {
    Ok(Json(service.prices().await?))
}

/// Replaces all prices. They apply to costs of the past too.
///
/// They belong to the whole service, so the key must belong to the workspace `default` and must not be bound to an agent.
#[utoipa::path(
    put, path = "/v1/prices", tag = "service",
    request_body = PricesView,
    responses((status = 200, description = "The prices as they are now", body = PricesView))
)]
pub async fn set_prices(
    State(service): State<Service>,
    Permitted(caller, _): Permitted<Administering>,
    body: Body<PricesView>,
) -> Result<Json<PricesView>, Problem> {
    if !caller.sees_all() {
        let detail = "prices apply to all workspaces and agents, but this key is limited to some";
        return Err(Problem::insufficient_scope(detail));
    }
    Ok(Json(service.set_prices(body.value).await?))
}
