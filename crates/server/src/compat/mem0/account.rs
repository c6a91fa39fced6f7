//! What belongs to no memory: `GET /v1/ping/`, `GET /v1/entities/`, `GET /v1/events/`, `GET /v1/event/{id}/`, the project, and
//! what is not supported.

use std::collections::BTreeMap;

use annals_core::{Error, Memory};
use annals_service::Service;
use annals_service::wire::{BlockView, BlocksRequest};
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde_json::{Value, json};

use super::ids;
use super::memory::{Details, Memories};
use crate::compat::body::JsonObject;
use crate::rest::Problem;
use crate::rest::extract::{Administering, Id, Known, Named, Reading};

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
    let memories = Memories::read(&service, &agent).await?;
    let mut found: BTreeMap<(&str, &str), (String, String, usize)> = BTreeMap::new();
    for (turn, details) in &memories.turns {
        for (kind, name) in named(details) {
            let at = turn.at().to_string();
            let entity = found.entry((kind, name)).or_insert_with(|| (at.clone(), at.clone(), 0));
            entity.1 = at;
        }
    }
    for unit in &memories.units {
        for key in named(&unit.details) {
            found.entry(key).and_modify(|entity| entity.2 += 1);
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

fn named(details: &Details) -> impl Iterator<Item = (&str, &str)> {
    let Details { user_id, agent_id, app_id, run_id, .. } = details;
    let all = [("user", user_id), ("agent", agent_id), ("app", app_id), ("run", run_id)];
    all.into_iter().filter_map(|(kind, name)| Some((kind, name.as_deref()?)))
}

/// The turns of each request that added some, newest first.
fn events(memories: &Memories) -> Vec<(&str, Vec<&Memory>)> {
    let mut events: Vec<(&str, Vec<&Memory>)> = Vec::new();
    for (turn, details) in memories.turns.iter().rev() {
        let Some(event) = details.event.as_deref() else { continue };
        match events.iter_mut().find(|(known, _)| *known == event) {
            Some((_, turns)) => turns.push(turn),
            None => events.push((event, vec![turn])),
        }
    }
    events
}

fn event_view(memories: &Memories, event: &str, turns: &[&Memory]) -> Value {
    let at = turns.last().map(|turn| turn.at().to_string());
    let units = memories.units.iter().filter(|unit| unit.details.event.as_deref() == Some(event));
    let result = |unit: &super::memory::Unit| {
        let id = ids::uuid(unit.memory.id.as_str());
        json!({ "id": id, "memory": unit.memory.text, "event": "ADD", "data": { "memory": unit.memory.text } })
    };
    json!({
        "id": event,
        "event_type": "ADD",
        // Messages are stored before an event has an id.
        "status": "SUCCEEDED",
        "results": units.map(result).collect::<Vec<_>>(),
        "created_at": at,
        "updated_at": at,
    })
}

pub(super) async fn list_events(service: &Service, agent: &annals_core::Agent) -> Result<Vec<Value>, Problem> {
    let memories = Memories::read(service, agent).await?;
    Ok(events(&memories).iter().map(|(event, turns)| event_view(&memories, event, turns)).collect())
}

pub(super) async fn event(
    State(service): State<Service>,
    Known(agent, _): Known<Reading>,
    Id(id): Id,
) -> Result<Json<Value>, Problem> {
    let found = list_events(&service, &agent).await?.into_iter().find(|event| event["id"] == id.as_str());
    Ok(Json(found.ok_or(Error::NotFound { what: "event", name: id })?))
}

pub(super) async fn all_events(
    State(service): State<Service>,
    Named(agent, _): Named<Reading>,
) -> Result<Json<Value>, Problem> {
    let results = list_events(&service, &agent).await?;
    Ok(Json(json!({ "count": results.len(), "next": null, "previous": null, "results": results })))
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

/// Writes the project's instructions. Other settings are refused.
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
    let text = body.get(INSTRUCTIONS).and_then(Value::as_str).unwrap_or_default().to_owned();
    let block = serde_json::from_value(json!({ "blocks": [{ "name": INSTRUCTIONS, "text": text }] }));
    let request: BlocksRequest = block.map_err(|error| Problem::malformed(INSTRUCTIONS, error.to_string()))?;
    let _: Vec<BlockView> = service.write_blocks(&agent, request, service.now()).await?.blocks;
    Ok(Json(json!({ "message": "Updated custom instructions" })))
}

/// Answers a request for something of mem0 that Annals does not have.
pub(super) async fn unsupported() -> Problem {
    let detail =
        "exports, summaries, feedback, profiles and webhooks of mem0 are not supported by Annals; see docs/adapters.md";
    Problem::new(StatusCode::NOT_IMPLEMENTED, "not_supported", detail)
}
