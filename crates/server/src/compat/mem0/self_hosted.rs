//! The routes of mem0's self-hosted server: the same memories in its simpler shapes.

use std::collections::HashMap;

use annals_service::Service;
use axum::extract::{Query, State};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde_json::{Value, json};

use super::add::store;
use super::change::{self, changed, forget_matching, scope};
use super::filter::{ENTITIES, Filter};
use super::memory::{answered, units_of};
use super::read::{self, DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE, found, matching};
use crate::compat::body::JsonObject;
use crate::rest::Problem;
use crate::rest::extract::{Adding, Administering, Billed, Id, Named, Reading};

pub(super) fn routes() -> Router<Service> {
    Router::new()
        .route("/memories", post(add).get(list).delete(delete_all))
        .route("/memories/{id}", get(read::one).put(update).delete(change::delete))
        .route("/memories/{id}/history", get(read::history))
        .route("/search", post(search))
}

async fn add(
    State(service): State<Service>,
    Named(agent, _): Named<Adding>,
    JsonObject(body): JsonObject,
) -> Result<Json<Value>, Problem> {
    let added = store(&service, &agent, &body).await?;
    let turns = service.memories(&agent, &added.turns).await?;
    let units = units_of(&service, &agent, turns).await?;
    let result = |unit: &super::memory::Unit| {
        let id = super::ids::uuid(unit.memory.id.as_str());
        json!({ "id": id, "memory": unit.memory.text, "event": "ADD" })
    };
    Ok(Json(json!({ "results": units.iter().map(result).collect::<Vec<_>>() })))
}

async fn list(
    State(service): State<Service>,
    Named(agent, _): Named<Reading>,
    Query(query): Query<HashMap<String, String>>,
) -> Result<Json<Value>, Problem> {
    let named = ENTITIES.iter().filter_map(|name| Some((*name, query.get(*name)?.as_str())));
    let limit = match query.get("limit").or_else(|| query.get("top_k")).map(|limit| limit.parse::<usize>()) {
        None => DEFAULT_PAGE_SIZE,
        Some(Ok(limit)) => limit.min(MAX_PAGE_SIZE),
        Some(Err(_)) => return Err(Problem::malformed("limit", "is not a number")),
    };
    let (_, units) = matching(&service, &agent, &Filter::of_entities(named), false, 0, limit).await?;
    Ok(Json(json!({ "results": answered(&service, &agent, &units).await? })))
}

/// Searches memories. Ids may be given beside the query, as in former versions of the server.
async fn search(
    Billed(service): Billed,
    Named(agent, _): Named<Reading>,
    JsonObject(mut body): JsonObject,
) -> Result<Json<Value>, Problem> {
    let named: Vec<Value> = ENTITIES
        .iter()
        .filter_map(|name| body.get(*name).filter(|id| !id.is_null()).map(|id| json!({ *name: id })))
        .collect();
    if !named.is_empty() {
        let filters = body.get("filters").filter(|filters| !filters.is_null()).cloned();
        let all: Vec<Value> = named.into_iter().chain(filters).collect();
        body.insert("filters".into(), json!({ "AND": all }));
    }
    Ok(Json(json!({ "results": found(&service, &agent, &body).await? })))
}

async fn update(
    State(service): State<Service>,
    Named(agent, _): Named<Administering>,
    Id(id): Id,
    JsonObject(mut body): JsonObject,
) -> Result<Json<Value>, Problem> {
    if let Some(text) = body.remove("data") {
        body.entry("text").or_insert(text);
    }
    changed(&service, &agent, &id, &body).await?;
    Ok(Json(json!({ "message": "Memory updated successfully!" })))
}

async fn delete_all(
    Billed(service): Billed,
    Named(agent, _): Named<Administering>,
    Query(query): Query<HashMap<String, String>>,
    JsonObject(body): JsonObject,
) -> Result<Json<Value>, Problem> {
    forget_matching(&service, &agent, &scope(&query, &body)?).await?;
    Ok(Json(json!({ "message": "All relevant memories deleted" })))
}
