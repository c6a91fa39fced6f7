//! `POST /v3/memories/add/`: stores messages.

use std::time::Duration;

use annals_core::{Agent, IngestReceipt, MemoryId, Role, Timestamp, TurnKey};
use annals_service::Service;
use annals_service::wire::{IngestRequest, MessageIn, Progress};
use axum::Json;
use axum::extract::State;
use serde_json::{Map, Value, json};

use super::filter::{ENTITIES, instant};
use super::ids;
use super::memory::Details;
use crate::compat::body::JsonObject;
use crate::rest::Problem;
use crate::rest::extract::{Adding, Named};

/// Maximum time that an answer waits until the messages are searchable, because clients search right after it.
const WAIT: Duration = Duration::from_secs(2);
/// Fields that steer mem0's own extractor. They have no effect here, and the answer of this route says so.
const WITHOUT_EFFECT: [&str; 6] = [
    "custom_categories",
    "custom_instructions",
    "agent_custom_instructions",
    "structured_data_schema",
    "includes",
    "excludes",
];

pub(super) async fn add(
    State(service): State<Service>,
    Named(agent, _): Named<Adding>,
    JsonObject(body): JsonObject,
) -> Result<Json<Value>, Problem> {
    let added = store(&service, &agent, &body).await?;
    let ignored: Vec<&str> =
        WITHOUT_EFFECT.into_iter().filter(|name| body.get(*name).is_some_and(|v| !v.is_null())).collect();
    let mut message = "Memory processing has been queued for background execution".to_owned();
    if !ignored.is_empty() {
        message = format!("{message}; without effect: {}", ignored.join(", "));
    }
    Ok(Json(json!({ "event_id": added.event, "status": "PENDING", "message": message })))
}

/// What a request that added messages stored: the id of its event, and its turns.
pub(super) struct Added {
    pub(super) event: String,
    pub(super) turns: Vec<MemoryId>,
}

/// Stores the messages of a request, and waits at most [`WAIT`] until they are searchable.
pub(super) async fn store(service: &Service, agent: &Agent, body: &Map<String, Value>) -> Result<Added, Problem> {
    let settings = service.admit(agent).await?;
    let event = new_uuid()?;
    let details = Details { event: Some(event.clone()), ..details(body)? };
    let at = body.get("timestamp").filter(|at| !at.is_null()).map(timestamp).transpose()?;
    let listed = messages(body)?;
    let messages = listed.iter().enumerate().map(|(index, message)| to_message(message, index, &details, at));
    let messages = messages.collect::<Result<Vec<_>, Problem>>()?;
    let key = |message: &MessageIn| {
        let (conversation, id) = message.conversation.clone().zip(message.id.clone()).unwrap_or_default();
        MemoryId::turn(agent, &TurnKey { conversation, id })
    };
    let turns = messages.iter().map(key).collect();
    let request = IngestRequest { messages, conversation: None, revise: false };
    let accepted = service.ingest(agent, &settings, request, service.now()).await?;
    wait(service, agent, &accepted.operation).await?;
    Ok(Added { event, turns })
}

async fn wait(service: &Service, agent: &Agent, operation: &IngestReceipt) -> Result<(), Problem> {
    service.wait(agent, operation, Progress::Searchable, WAIT).await?;
    Ok(())
}

fn new_uuid() -> Result<String, Problem> {
    let hex = crate::compat::body::random_hex(16)?;
    Ok(ids::random(u128::from_str_radix(&hex, 16).unwrap_or_default().to_be_bytes()))
}

/// Returns the details that all messages of a request have. The ids may also be in `filters`, as in the types of the clients.
fn details(body: &Map<String, Value>) -> Result<Details, Problem> {
    let id = |name: &str| -> Result<Option<String>, Problem> {
        let in_filters = body.get("filters").and_then(|filters| filters.get(name));
        match body.get(name).filter(|id| !id.is_null()).or(in_filters) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(id)) if !id.trim().is_empty() => Ok(Some(id.clone())),
            Some(Value::Number(id)) => Ok(Some(id.to_string())),
            Some(_) => Err(Problem::malformed(name, "is not a text")),
        }
    };
    let [user_id, agent_id, app_id, run_id] = ENTITIES.map(id);
    let metadata = match body.get("metadata") {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(metadata)) => metadata.clone(),
        Some(_) => return Err(Problem::malformed("metadata", "is not an object")),
    };
    let expiration_date = body.get("expiration_date").map(expiration).transpose()?.flatten();
    let infer = body.get("infer").and_then(Value::as_bool).unwrap_or(true);
    let (user_id, agent_id, app_id, run_id) = (user_id?, agent_id?, app_id?, run_id?);
    if [&user_id, &agent_id, &app_id, &run_id].iter().all(|id| id.is_none()) {
        let reason = "is missing: at least one of user_id, agent_id, app_id, run_id is required";
        return Err(Problem::malformed("user_id", reason));
    }
    Ok(Details { user_id, agent_id, app_id, run_id, metadata, infer, expiration_date, ..Details::default() })
}

/// Parses the last day, or the last instant, of a memory before it expires. Null means that it never expires.
pub(super) fn expiration(value: &Value) -> Result<Option<String>, Problem> {
    match value {
        Value::Null => Ok(None),
        Value::String(day) if instant(day, true).is_some() => Ok(Some(day.clone())),
        _ => Err(Problem::malformed("expiration_date", "must be a date such as 2026-03-04")),
    }
}

/// Parses seconds since 1970, or a time as text.
pub(super) fn timestamp(value: &Value) -> Result<Timestamp, Problem> {
    let seconds = value.as_f64().and_then(|seconds| Timestamp::from_microsecond((seconds * 1e6).round() as i64).ok());
    let parsed = seconds.or_else(|| instant(value.as_str()?, false));
    parsed.ok_or_else(|| {
        Problem::malformed("timestamp", "must be seconds since 1970, or a time such as 2026-03-04T18:30:00Z")
    })
}

fn messages(body: &Map<String, Value>) -> Result<Vec<Value>, Problem> {
    match body.get("messages") {
        Some(Value::Array(messages)) if !messages.is_empty() => Ok(messages.clone()),
        Some(Value::String(text)) => Ok(vec![json!({ "role": "user", "content": text })]),
        Some(message @ Value::Object(_)) => Ok(vec![message.clone()]),
        _ => Err(Problem::malformed("messages", "must be a list of messages with role and content")),
    }
}

fn to_message(message: &Value, index: usize, details: &Details, at: Option<Timestamp>) -> Result<MessageIn, Problem> {
    let role = match message["role"].as_str() {
        None => Role::User,
        Some("developer") => Role::System,
        Some("function") => Role::Tool,
        Some(role) => role.parse().map_err(|_| {
            Problem::malformed(
                format!("messages[{index}].role"),
                format!("is {role:?}; expected user, assistant, system or tool"),
            )
        })?,
    };
    let speaker = match role {
        Role::User => details.user_id.as_ref(),
        Role::Assistant => details.agent_id.as_ref(),
        _ => None,
    };
    let name = message["name"].as_str().map(str::to_owned).or_else(|| speaker.cloned());
    let event = details.event.as_deref().unwrap_or_default();
    Ok(MessageIn {
        role,
        content: content(&message["content"]),
        conversation: Some(conversation(details)),
        id: Some(format!("{event}-{index}")),
        name: name.filter(|name| !name.is_empty()),
        at,
        attachment: Some(details.to_attachment()),
        other: Default::default(),
    })
}

/// Returns the conversation for messages: their run. Messages without a run share one conversation per user. If they have no
/// user either, they share one per agent, and without an agent one per app. All messages without any of these ids share one
/// conversation.
fn conversation(details: &Details) -> String {
    let Details { user_id, agent_id, app_id, run_id, .. } = details;
    let owner = || [user_id, agent_id, app_id].into_iter().flatten().next().cloned().unwrap_or_default();
    run_id.clone().unwrap_or_else(|| format!("mem0:{}", owner()))
}

/// Returns the text of a message's content, which is a text, an object with a text, or a list of parts. A part without text
/// is replaced by its type in brackets.
fn content(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let text = |part: &Value| {
                let kind = || format!("[{}]", part["type"].as_str().unwrap_or("part"));
                part.as_str().or(part["text"].as_str()).map_or_else(kind, str::to_owned)
            };
            parts.iter().map(text).collect::<Vec<_>>().join("\n")
        }
        Value::Object(_) => content["text"].as_str().unwrap_or_default().to_owned(),
        _ => String::new(),
    }
}
