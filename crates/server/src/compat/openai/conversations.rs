//! `POST /conversations`, `GET|POST|DELETE /conversations/{id}`.

use annals_core::ports::Target;
use annals_core::{Agent, Error, Message, ObjectKind, TurnKey};
use annals_service::Service;
use annals_service::wire::IngestRequest;
use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use serde_json::{Map, Value, json};

use super::items::{idempotency_key, to_messages};
use super::stored::{Conversation, HEADER, header, new_id, turn_id};
use crate::compat::body::JsonObject;
use crate::rest::Problem;
use crate::rest::extract::{Adding, Administering, Billed, Id, Known, Named, Reading};

/// OpenAI's limits on metadata.
const MAX_METADATA: usize = 16;
const MAX_KEY_LENGTH: usize = 64;
const MAX_VALUE_LENGTH: usize = 512;

pub(super) async fn create(
    State(service): State<Service>,
    Named(agent, _): Named<Adding>,
    headers: HeaderMap,
    JsonObject(body): JsonObject,
) -> Result<Json<Value>, Problem> {
    let settings = service.admit(&agent).await?;
    let key = idempotency_key(&headers);
    let metadata = metadata(&body)?;
    let id = match own_id(&body)? {
        Some(id) => free(&service, &agent, id).await?,
        None => new_id("conv_", key, 0)?,
    };
    let mut messages = vec![header(&id, &metadata)];
    messages.extend(to_messages(&service, &agent, &id, key, body.get("items")).await?);
    let request = IngestRequest { messages, conversation: None, revise: false };
    service.ingest(&agent, &settings, request, service.now()).await?;
    Ok(Json(Conversation::find(&service, &agent, &id).await?.view()))
}

pub(super) async fn retrieve(
    State(service): State<Service>,
    Known(agent, _): Known<Reading>,
    Id(id): Id,
) -> Result<Json<Value>, Problem> {
    Ok(Json(Conversation::find(&service, &agent, &id).await?.view()))
}

pub(super) async fn update(
    State(service): State<Service>,
    Known(agent, _): Known<Adding>,
    Id(id): Id,
    JsonObject(body): JsonObject,
) -> Result<Json<Value>, Problem> {
    let settings = service.admit(&agent).await?;
    let metadata = metadata(&body)?;
    Conversation::find(&service, &agent, &id).await?;
    // The text of the turn changes with the metadata, so that searches find the current metadata.
    let request = IngestRequest { messages: vec![header(&id, &metadata)], conversation: None, revise: true };
    service.ingest(&agent, &settings, request, service.now()).await?;
    service.attach(&agent, &turn_id(&agent, &id, HEADER), &json!({ "metadata": metadata }).to_string()).await?;
    Ok(Json(Conversation::find(&service, &agent, &id).await?.view()))
}

pub(super) async fn delete(
    Billed(service): Billed,
    Known(agent, _): Known<Administering>,
    Id(id): Id,
) -> Result<Json<Value>, Problem> {
    Conversation::find(&service, &agent, &id).await?;
    service.forget_target(&agent, &Target::Conversation(id.clone()), false, service.now()).await?;
    Ok(Json(json!({ "id": id, "object": "conversation.deleted", "deleted": true })))
}

/// Returns the id that a client chooses for a conversation; `None` if it chooses none. OpenAI's own service does not allow
/// this.
fn own_id(body: &Map<String, Value>) -> Result<Option<String>, Problem> {
    match body.get("id") {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(id)) if is_name(id) => Ok(Some(id.clone())),
        Some(_) => {
            let reason = format!("must have 1 to {} bytes and no control characters", Message::MAX_NAME_BYTES);
            Err(Problem::malformed("id", reason))
        }
    }
}

fn is_name(id: &str) -> bool {
    (1..=Message::MAX_NAME_BYTES).contains(&id.len()) && !id.contains(char::is_control)
}

/// Returns the id if no conversation has it; otherwise fails with `Exists`. The id of a deleted conversation may be used again.
async fn free(service: &Service, agent: &Agent, id: String) -> Result<String, Problem> {
    match Conversation::find(service, agent, &id).await {
        Ok(_) => return Err(Error::Exists { what: ObjectKind::Conversation, name: id }.into()),
        Err(problem) if problem.code() == "not_found" => {}
        Err(problem) => return Err(problem),
    }
    let key = TurnKey { conversation: id.clone(), id: HEADER.to_owned() };
    if service.is_message_forgotten(agent, &key).await? {
        service.allow_key(agent, &key).await?;
    }
    Ok(id)
}

/// Returns the metadata of a request: up to 16 pairs of short texts.
fn metadata(body: &Map<String, Value>) -> Result<Map<String, Value>, Problem> {
    let metadata = match body.get("metadata") {
        None | Some(Value::Null) => return Ok(Map::new()),
        Some(Value::Object(metadata)) => metadata,
        Some(_) => return Err(Problem::malformed("metadata", "is not an object")),
    };
    if metadata.len() > MAX_METADATA {
        return Err(Problem::malformed("metadata", format!("has more than {MAX_METADATA} pairs")));
    }
    for (name, value) in metadata {
        let is_text = value.as_str().is_some_and(|text| text.chars().count() <= MAX_VALUE_LENGTH);
        if name.chars().count() > MAX_KEY_LENGTH || !is_text {
            let reason = format!(
                "must have keys of at most {MAX_KEY_LENGTH} and texts of at most {MAX_VALUE_LENGTH} characters"
            );
            return Err(Problem::malformed("metadata", reason));
        }
    }
    Ok(metadata.clone())
}
