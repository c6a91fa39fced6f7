//! `PUT|DELETE /v1/memories/{id}/`, `DELETE /v1/memories/`, `PUT|DELETE /v1/batch/`, `DELETE /v2/entities/{type}/{name}/`.
//! Deleting a memory forgets it, with proof, as in the other interfaces. Deletion by user, agent, app or run also forgets
//! turns that are not shown as memories.

use std::collections::HashMap;

use annals_core::ports::Target;
use annals_core::{Agent, Kind, MemoryId};
use annals_service::Service;
use annals_service::wire::CorrectRequest;
use axum::Json;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use serde_json::{Map, Value, json};

use super::add::expiration;
use super::filter::{ENTITIES, Filter};
use super::memory::{Details, Unit, answered, find, imported};
use super::walk::Walk;
use crate::compat::body::JsonObject;
use crate::rest::Problem;
use crate::rest::extract::{Administering, Billed, Id, Named};

/// Maximum number of memories in one batch.
const MAX_BATCH: usize = 1000;
/// Parameters of a bulk deletion with which mem0's clients name themselves and their project, or that have no effect here.
const SELECTS_NOTHING: [&str; 6] = ["source", "org_id", "org_name", "project_id", "project_name", "delete_linked"];

pub(super) async fn update(
    State(service): State<Service>,
    Named(agent, _): Named<Administering>,
    Id(id): Id,
    JsonObject(body): JsonObject,
) -> Result<Json<Value>, Problem> {
    let unit = changed(&service, &agent, &id, &body).await?;
    let mut view = answered(&service, &agent, &[unit]).await?.remove(0);
    view["text"] = view["memory"].clone();
    Ok(Json(view))
}

/// Changes the text of a memory, its metadata, or the day on which it expires. Fails if the request has none of them, or if it
/// has a time, which cannot be changed.
pub(super) async fn changed(
    service: &Service,
    agent: &Agent,
    id: &str,
    body: &Map<String, Value>,
) -> Result<Unit, Problem> {
    let unit = find(service, agent, id).await?;
    let field = |name: &str| body.get(name).filter(|value| !value.is_null());
    if field("timestamp").is_some() {
        return Err(Problem::malformed("timestamp", "of a stored memory cannot be changed; add the memory again"));
    }
    let text = field("text").or_else(|| field("memory")).map(|text| text.as_str().ok_or_else(|| not_a("text", "text")));
    let (text, metadata) = (text.transpose()?, field("metadata"));
    let expires = body.get("expiration_date").map(expiration).transpose()?;
    if text.is_none() && metadata.is_none() && expires.is_none() {
        return Err(Problem::malformed("text", "is missing; give text, metadata or expiration_date"));
    }
    let mut details = unit.details.clone();
    if let Some(metadata) = metadata {
        details.metadata = metadata.as_object().cloned().ok_or_else(|| not_a("metadata", "object"))?;
    }
    details.expiration_date = expires.unwrap_or(details.expiration_date);
    if let Some(text) = text {
        let request = CorrectRequest { text: Some(text.to_owned()), pinned: None };
        service.correct(agent, unit.memory.id.as_str(), request, service.now()).await?;
    }
    if details != unit.details {
        attach(service, agent, &unit, &details).await?;
    }
    find(service, agent, id).await
}

fn not_a(field: &str, kind: &str) -> Problem {
    Problem::malformed(field, format!("is not a JSON {kind}"))
}

/// Saves the details of a memory in the attachment of its first turn, if that turn is still stored. Further turns only explain
/// the words of a statement, and keep their own details.
async fn attach(service: &Service, agent: &Agent, unit: &Unit, details: &Details) -> Result<(), Problem> {
    let turn = service.memories(agent, unit.turns.get(..1).unwrap_or_default()).await?;
    for turn in service.with_attachments(agent, turn).await? {
        let attachment = details.added_to(turn.attachment.as_deref());
        service.attach(agent, &turn.memory.id, &attachment).await?;
    }
    Ok(())
}

pub(super) async fn delete(
    Billed(service): Billed,
    Named(agent, _): Named<Administering>,
    Id(id): Id,
) -> Result<Json<Value>, Problem> {
    let unit = find(&service, &agent, &id).await?;
    forget(&service, &agent, vec![unit]).await?;
    Ok(Json(json!({ "message": "Memory deleted successfully!" })))
}

/// Forgets memories. The turn of a deleted statement stays stored, but is no longer shown as a memory itself.
pub(super) async fn forget(service: &Service, agent: &Agent, units: Vec<Unit>) -> Result<(), Problem> {
    for unit in units.iter().filter(|unit| unit.memory.kind() == Kind::Statement) {
        let details = Details { is_hidden: true, ..unit.details.clone() };
        attach(service, agent, unit, &details).await?;
    }
    forget_ids(service, agent, units.into_iter().map(|unit| unit.memory.id).collect()).await
}

async fn forget_ids(service: &Service, agent: &Agent, ids: Vec<MemoryId>) -> Result<(), Problem> {
    if !ids.is_empty() {
        service.forget_target(agent, &Target::Memories(ids), false, service.now()).await?;
    }
    Ok(())
}

pub(super) async fn delete_all(
    Billed(service): Billed,
    Named(agent, _): Named<Administering>,
    Query(query): Query<HashMap<String, String>>,
    JsonObject(body): JsonObject,
) -> Result<Json<Value>, Problem> {
    let filter = scope(&query, &body)?;
    forget_matching(&service, &agent, &filter).await?;
    Ok(Json(json!({ "message": "Memories deleted successfully!" })))
}

/// Returns the filter of a bulk deletion. Requires at least one id or filter, because without any it would select everything;
/// `*` matches any id. Refuses other parameters, because a condition that is ignored would delete more than was meant.
pub(super) fn scope(query: &HashMap<String, String>, body: &Map<String, Value>) -> Result<Filter, Problem> {
    let is_known = |name: &str| ENTITIES.contains(&name) || name == "filters" || SELECTS_NOTHING.contains(&name);
    if let Some(name) = query.keys().chain(body.keys()).find(|name| !is_known(name)) {
        return Err(Problem::malformed(name, "is not supported for a deletion; use filters"));
    }
    if let Some(name) = ENTITIES.iter().find(|name| body.get(**name).is_some_and(|id| !id.is_string() && !id.is_null()))
    {
        return Err(not_a(name, "text"));
    }
    let of_body = ENTITIES.iter().filter_map(|name| Some((*name, body.get(*name)?.as_str()?)));
    let of_query = ENTITIES.iter().filter_map(|name| Some((*name, query.get(*name)?.as_str())));
    let named: Vec<(&str, &str)> = of_query.chain(of_body).collect();
    let filters = match query.get("filters") {
        Some(text) => Some(serde_json::from_str(text).map_err(|_| not_a("filters", "object"))?),
        None => body.get("filters").cloned(),
    };
    let is_filtered = filters.as_ref().and_then(Value::as_object).is_some_and(|filters| !filters.is_empty());
    if named.is_empty() && !is_filtered {
        let reason = "is missing: at least one of user_id, agent_id, app_id, run_id is required";
        return Err(Problem::malformed("user_id", reason));
    }
    Ok(Filter::All(vec![Filter::of_entities(named.into_iter()), Filter::parse(filters.as_ref())?]))
}

/// Forgets all turns that a filter admits, whatever their role, with everything made from them. Also forgets the imported
/// statements that the filter admits.
pub(super) async fn forget_matching(service: &Service, agent: &Agent, filter: &Filter) -> Result<(), Problem> {
    let mut ids = Vec::new();
    let mut walk = Walk::over(service, agent);
    while let Some(piece) = walk.next().await? {
        let entered = piece.units.into_iter().filter(|unit| imported(&unit.memory).is_some());
        let units = piece.turns.into_iter().map(|(turn, details)| Unit::verbatim(turn, details)).chain(entered);
        ids.extend(units.filter(|unit| filter.admits(&unit.view())).map(|unit| unit.memory.id));
    }
    forget_ids(service, agent, ids).await
}

/// Deletes an entity by forgetting its memories. Succeeds if there are none: clients first delete the memories and then the
/// entity, which has no memories by then.
pub(super) async fn delete_entity(
    Billed(service): Billed,
    Named(agent, _): Named<Administering>,
    Path(path): Path<HashMap<String, String>>,
) -> Result<Json<Value>, Problem> {
    let part = |name: &str| path.get(name).cloned().unwrap_or_default();
    let (kind, name) = (part("type"), part("name"));
    let field = format!("{kind}_id");
    if !ENTITIES.contains(&field.as_str()) {
        return Err(Problem::malformed("entity type", format!("is {kind:?}; expected user, agent, app or run")));
    }
    let filter = Filter::of_entities(std::iter::once((field.as_str(), name.as_str())));
    forget_matching(&service, &agent, &filter).await?;
    Ok(Json(json!({ "message": "Entity deleted successfully!" })))
}

pub(super) async fn update_batch(
    State(service): State<Service>,
    Named(agent, _): Named<Administering>,
    JsonObject(body): JsonObject,
) -> Result<Json<Value>, Problem> {
    let memories = batch(&body)?;
    // Checks all ids first: if one is unknown, no memory is changed.
    for (id, _) in &memories {
        find(&service, &agent, id).await?;
    }
    for (id, fields) in &memories {
        changed(&service, &agent, id, fields).await?;
    }
    Ok(Json(json!({ "message": format!("Successfully updated {} memories", memories.len()) })))
}

pub(super) async fn delete_batch(
    Billed(service): Billed,
    Named(agent, _): Named<Administering>,
    JsonObject(body): JsonObject,
) -> Result<Json<Value>, Problem> {
    let mut units = Vec::new();
    for (id, _) in batch(&body)? {
        match find(&service, &agent, &id).await {
            Ok(unit) => units.push(unit),
            // A client that sends a batch again has deleted some of it before.
            Err(problem) if problem.status() == StatusCode::NOT_FOUND => {}
            Err(problem) => return Err(problem),
        }
    }
    let count = units.len();
    forget(&service, &agent, units).await?;
    Ok(Json(json!({ "message": format!("Successfully deleted {count} memories") })))
}

/// The UUID of a memory, and the fields to change.
type Change = (String, Map<String, Value>);

/// Parses the memories of a batch, each an id or an object with an id and fields.
fn batch(body: &Map<String, Value>) -> Result<Vec<Change>, Problem> {
    let wrong = || Problem::malformed("memories", format!("must be a list of 1 to {MAX_BATCH} objects with memory_id"));
    let memories = match body.get("memories") {
        Some(Value::Array(memories)) if (1..=MAX_BATCH).contains(&memories.len()) => memories,
        _ => return Err(wrong()),
    };
    let read = |memory: &Value| match memory {
        Value::String(id) => Some((id.clone(), Map::new())),
        Value::Object(fields) => {
            let id = ["memory_id", "memoryId", "id"].iter().find_map(|name| fields.get(*name)?.as_str())?;
            Some((id.to_owned(), fields.clone()))
        }
        _ => None,
    };
    memories.iter().map(|memory| read(memory).ok_or_else(wrong)).collect()
}
