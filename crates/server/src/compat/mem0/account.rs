//! The routes that do not concern memories: `GET /v1/ping/`, `GET /v1/entities/`, `GET /v1/events/`, `GET /v1/event/{id}/`,
//! the project, and the routes that are not supported.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use annals_core::{Agent, Error, ObjectKind, Timestamp};
use annals_service::Service;
use annals_service::wire::{BlockView, BlocksRequest};
use axum::Json;
use axum::extract::{OriginalUri, Query, State};
use axum::http::{HeaderMap, StatusCode};
use serde_json::{Map, Value, json};

use super::ids;
use super::memory::{Details, Unit};
use super::read::Page;
use super::walk::Walk;
use crate::compat::body::JsonObject;
use crate::rest::Problem;
use crate::rest::extract::{Administering, Id, Named, Reading};

/// The organisation of all agents; mem0's clients need one.
const ORGANISATION: &str = "annals";
/// The block that keeps the project's instructions, so that every context carries them.
const INSTRUCTIONS: &str = "custom_instructions";

pub(super) async fn ping(Named(agent, _): Named<Reading>) -> Json<Value> {
    Json(json!({ "status": "ok", "org_id": ORGANISATION, "project_id": agent.name(), "user_email": "" }))
}

pub(super) async fn entities(
    State(service): State<Service>,
    Named(agent, _): Named<Reading>,
) -> Result<Json<Value>, Problem> {
    let mut found: BTreeMap<(&str, String), (String, String, usize)> = BTreeMap::new();
    let mut walk = Walk::over(&service, &agent);
    while let Some(piece) = walk.next().await? {
        for (turn, details) in &piece.turns {
            let at = turn.at().to_string();
            for (kind, name) in named(details) {
                let entity = found.entry((kind, name.to_owned())).or_insert_with(|| (at.clone(), at.clone(), 0));
                entity.1.clone_from(&at);
            }
        }
        for (kind, name) in piece.units.iter().flat_map(|unit| named(&unit.details)) {
            found.entry((kind, name.to_owned())).and_modify(|entity| entity.2 += 1);
        }
    }
    let results: Vec<Value> = found
        .into_iter()
        .map(|((kind, name), (created_at, updated_at, count))| {
            json!({
                "id": format!("{kind}:{name}"),
                "name": name,
                "type": kind,
                "created_at": created_at,
                "updated_at": updated_at,
                "total_memories": count,
                "owner": ORGANISATION,
                "organization": ORGANISATION,
                "metadata": {},
            })
        })
        .collect();
    Ok(Json(json!({ "count": results.len(), "next": null, "previous": null, "results": results })))
}

fn named(details: &Details) -> impl Iterator<Item = (&'static str, &str)> {
    let Details { user_id, agent_id, app_id, run_id, .. } = details;
    let all = [("user", user_id), ("agent", agent_id), ("app", app_id), ("run", run_id)];
    all.into_iter().filter_map(|(kind, name)| Some((kind, name.as_deref()?)))
}

/// What the stored turns show about a request that added messages: the time of its last turn, and the memories made from its
/// turns.
#[derive(Default)]
struct Event {
    at: Option<Timestamp>,
    results: Vec<Value>,
}

impl Event {
    fn view(&self, id: &str) -> Value {
        let at = self.at.map(|at| at.to_string());
        json!({
            "id": id,
            "event_type": "ADD",
            // Events are found by their stored messages, so all have succeeded.
            "status": "SUCCEEDED",
            "results": self.results,
            "created_at": at,
            "updated_at": at,
        })
    }
}

/// Returns the ids of all events. The event with the latest turn comes first.
async fn event_ids(service: &Service, agent: &Agent) -> Result<Vec<String>, Problem> {
    let mut orders: HashMap<String, usize> = HashMap::new();
    let mut walk = Walk::over(service, agent);
    let mut order = 0;
    while let Some(piece) = walk.next().await? {
        for event in piece.turns.into_iter().filter_map(|(_, details)| details.event) {
            order += 1;
            orders.insert(event, order);
        }
    }
    let mut ids: Vec<(String, usize)> = orders.into_iter().collect();
    ids.sort_by_key(|(_, order)| Reverse(*order));
    Ok(ids.into_iter().map(|(id, _)| id).collect())
}

/// Returns the views of these events, in the order of `ids`; leaves out events that do not exist.
async fn events(service: &Service, agent: &Agent, ids: &[String]) -> Result<Vec<Value>, Problem> {
    let mut found: HashMap<&str, Event> = HashMap::new();
    let wanted = |details: &Details| ids.iter().find(|id| details.event.as_ref() == Some(*id));
    let mut walk = Walk::over(service, agent);
    while let Some(piece) = walk.next().await? {
        for (turn, details) in &piece.turns {
            if let Some(id) = wanted(details) {
                found.entry(id).or_default().at = Some(turn.at());
            }
        }
        for unit in &piece.units {
            if let Some(id) = wanted(&unit.details) {
                found.entry(id).or_default().results.push(result(unit));
            }
        }
    }
    Ok(ids.iter().filter_map(|id| Some(found.get(id.as_str())?.view(id))).collect())
}

fn result(unit: &Unit) -> Value {
    let id = ids::uuid(unit.memory.id.as_str());
    json!({ "id": id, "memory": unit.memory.text, "event": "ADD", "data": { "memory": unit.memory.text } })
}

pub(super) async fn event(
    State(service): State<Service>,
    Named(agent, _): Named<Reading>,
    Id(id): Id,
) -> Result<Json<Value>, Problem> {
    let found = events(&service, &agent, std::slice::from_ref(&id)).await?.pop();
    Ok(Json(found.ok_or(Error::NotFound { what: ObjectKind::Event, name: id })?))
}

pub(super) async fn all_events(
    State(service): State<Service>,
    Named(agent, _): Named<Reading>,
    uri: OriginalUri,
    Query(query): Query<HashMap<String, String>>,
    headers: HeaderMap,
) -> Result<Json<Value>, Problem> {
    let page = Page::of(&query, &Map::new())?;
    let ids = event_ids(&service, &agent).await?;
    let shown: Vec<String> = ids.iter().skip(page.skipped()).take(page.size).cloned().collect();
    Ok(Json(page.view(&uri, &headers, ids.len(), events(&service, &agent, &shown).await?)))
}

pub(super) async fn project(
    State(service): State<Service>,
    Named(agent, _): Named<Reading>,
) -> Result<Json<Value>, Problem> {
    let blocks = service.blocks(&agent).await?.blocks;
    let instructions = blocks.into_iter().find(|block| block.name == INSTRUCTIONS).map(|block| block.text);
    Ok(Json(json!({
        "id": agent.name(),
        "name": agent.name(),
        "custom_instructions": instructions,
        "custom_categories": [],
    })))
}

/// Writes the project's instructions; removes them if the request has none. Refuses other settings, but ignores those that are
/// null and the ids of the organisation and the project.
pub(super) async fn change_project(
    State(service): State<Service>,
    Named(agent, _): Named<Administering>,
    JsonObject(body): JsonObject,
) -> Result<Json<Value>, Problem> {
    let is_known = |name: &str| [INSTRUCTIONS, "org_id", "project_id"].contains(&name);
    let is_other = |(name, value): &(&String, &Value)| !is_known(name) && !value.is_null();
    if let Some((name, _)) = body.iter().find(is_other) {
        return Err(Problem::malformed(name.as_str(), "of a project is not supported by Annals"));
    }
    let text = match body.get(INSTRUCTIONS) {
        None => return Ok(Json(json!({ "message": "Nothing to update" }))),
        Some(Value::Null) => "",
        Some(Value::String(text)) => text,
        Some(_) => return Err(Problem::malformed(INSTRUCTIONS, "must be a string")),
    };
    let block = serde_json::from_value(json!({ "blocks": [{ "name": INSTRUCTIONS, "text": text }] }));
    let request: BlocksRequest = block.map_err(|error| Problem::malformed(INSTRUCTIONS, error.to_string()))?;
    let _: Vec<BlockView> = service.write_blocks(&agent, request, service.now()).await?.blocks;
    Ok(Json(json!({ "message": "Updated custom instructions" })))
}

/// Answers 501 to a request for a feature of mem0 that Annals does not have.
pub(super) async fn unsupported() -> Problem {
    let detail =
        "exports, summaries, feedback, profiles and webhooks of mem0 are not supported by Annals; see docs/adapters.md";
    Problem::new(StatusCode::NOT_IMPLEMENTED, "not_supported", detail)
}
