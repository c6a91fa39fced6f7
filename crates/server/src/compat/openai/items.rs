//! `GET|POST /conversations/{id}/items`, `GET|DELETE /conversations/{id}/items/{item}`.

use std::collections::{HashMap, HashSet};

use annals_core::ports::Target;
use annals_core::{Agent, Error, ObjectKind, TurnKey};
use annals_service::wire::{IngestRequest, MessageIn};
use annals_service::{AttachedMemory, Service, TurnsRequest};
use axum::Json;
use axum::extract::{Path, Query, State};
use axum::http::HeaderMap;
use serde_json::{Value, json};

use super::item;
use super::stored::{Conversation, HEADER, answered, item_message, new_id, turn_id};
use crate::compat::body::JsonObject;
use crate::rest::Problem;
use crate::rest::extract::{Adding, Administering, Billed, Id, Known, Reading};

/// Maximum number of items in one request. A request is stored in one transaction of at most [`annals_service::MAX_MESSAGES`]
/// turns; one of them may be the turn of a new conversation. OpenAI allows 20 items; its own client never sends more.
const MAX_ITEMS: usize = annals_service::MAX_MESSAGES - 1;
/// Maximum and default number of items on a page, as in OpenAI's service.
const MAX_PAGE_SIZE: usize = 100;
const DEFAULT_PAGE_SIZE: usize = 20;

pub(super) async fn create(
    State(service): State<Service>,
    Known(agent, _): Known<Adding>,
    Id(id): Id,
    headers: HeaderMap,
    JsonObject(body): JsonObject,
) -> Result<Json<Value>, Problem> {
    let settings = service.admit(&agent).await?;
    Conversation::find(&service, &agent, &id).await?;
    let messages = to_messages(&service, &agent, &id, idempotency_key(&headers), body.get("items")).await?;
    if messages.is_empty() {
        return Err(Problem::malformed("items", format!("are 0; 1 to {MAX_ITEMS} are allowed")));
    }
    let ids: Vec<_> =
        messages.iter().filter_map(|message| Some(turn_id(&agent, &id, message.id.as_deref()?))).collect();
    let request = IngestRequest { messages, conversation: None, revise: false };
    service.ingest(&agent, &settings, request, service.now()).await?;
    let stored = service.memories(&agent, &ids).await?;
    let stored = service.with_attachments(&agent, stored).await?;
    Ok(Json(page(&stored, false)))
}

pub(super) async fn list(
    State(service): State<Service>,
    Known(agent, _): Known<Reading>,
    Id(id): Id,
    Query(query): Query<HashMap<String, String>>,
) -> Result<Json<Value>, Problem> {
    Conversation::find(&service, &agent, &id).await?;
    let limit = match query.get("limit").map(|limit| limit.parse::<usize>()) {
        None => DEFAULT_PAGE_SIZE,
        Some(Ok(limit @ 1..=MAX_PAGE_SIZE)) => limit,
        Some(_) => return Err(Problem::malformed("limit", format!("must be between 1 and {MAX_PAGE_SIZE}"))),
    };
    let newest_first = match query.get("order").map(String::as_str) {
        None | Some("desc") => true,
        Some("asc") => false,
        Some(_) => return Err(Problem::malformed("order", "must be asc or desc")),
    };
    let after = query.get("after").map(|item| turn_id(&agent, &id, item));
    if let Some(after) = &after
        && service.turn(&agent, after).await?.is_none()
    {
        return Err(Problem::malformed("after", "is not an item of this conversation"));
    }
    // Asks for one more, because the turn of the conversation itself may be among them.
    let request = TurnsRequest { conversation: id, newest_first, after, limit: Some(limit + 1) };
    let (mut turns, is_more) = service.turns(&agent, request).await?;
    turns.retain(|turn| turn.memory.message() != Some(HEADER));
    let is_more = is_more || turns.len() > limit;
    turns.truncate(limit);
    Ok(Json(page(&turns, is_more)))
}

pub(super) async fn retrieve(
    State(service): State<Service>,
    Known(agent, _): Known<Reading>,
    Path(path): Path<HashMap<String, String>>,
) -> Result<Json<Value>, Problem> {
    let (id, item) = ids(&path);
    Ok(Json(answered(&find(&service, &agent, id, item).await?)))
}

pub(super) async fn delete(
    Billed(service): Billed,
    Known(agent, _): Known<Administering>,
    Path(path): Path<HashMap<String, String>>,
) -> Result<Json<Value>, Problem> {
    let (id, item) = ids(&path);
    let turn = find(&service, &agent, id, item).await?.memory.id;
    let conversation = Conversation::find(&service, &agent, id).await?;
    service.forget_target(&agent, &Target::Memories(vec![turn]), false, service.now()).await?;
    Ok(Json(conversation.view()))
}

fn ids(path: &HashMap<String, String>) -> (&str, &str) {
    let part = |name: &str| path.get(name).map(String::as_str).unwrap_or_default();
    (part("id"), part("item"))
}

async fn find(service: &Service, agent: &Agent, conversation: &str, item: &str) -> Result<AttachedMemory, Problem> {
    let found = service.turn(agent, &turn_id(agent, conversation, item)).await?.filter(|_| item != HEADER);
    Ok(found.ok_or_else(|| Error::NotFound { what: ObjectKind::Item, name: item.to_owned() })?)
}

fn page(turns: &[AttachedMemory], is_more: bool) -> Value {
    let data: Vec<Value> = turns.iter().map(answered).collect();
    json!({
        "object": "list",
        "first_id": data.first().map(|item| &item["id"]),
        "last_id": data.last().map(|item| &item["id"]),
        "data": data,
        "has_more": is_more,
    })
}

/// Returns the items of a request as messages. An item keeps its id if that is usable, and free in the conversation and in the
/// request; otherwise it gets a new one.
pub(super) async fn to_messages(
    service: &Service,
    agent: &Agent,
    conversation: &str,
    key: Option<&str>,
    items: Option<&Value>,
) -> Result<Vec<MessageIn>, Problem> {
    let items = match items {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Array(items)) => items,
        Some(_) => return Err(Problem::malformed("items", "is not a list")),
    };
    if items.len() > MAX_ITEMS {
        return Err(Problem::malformed("items", format!("are {}; 1 to {MAX_ITEMS} are allowed", items.len())));
    }
    let mut messages = Vec::with_capacity(items.len());
    let mut seen = HashSet::new();
    for (index, item) in items.iter().enumerate() {
        let field = || format!("items[{index}]");
        let item = item.as_object().ok_or_else(|| Problem::malformed(field(), "is not an object"))?;
        let kind = item::kind(item).ok_or_else(|| Problem::malformed(field(), "has no type"))?;
        let own_id = item.get("id").and_then(Value::as_str).filter(|id| is_usable(id));
        let id = match own_id {
            Some(id) if is_free(service, agent, conversation, id, key.is_some()).await? => Some(id.to_owned()),
            _ => None,
        };
        let id = match id.filter(|id| !seen.contains(id)) {
            Some(id) => id,
            None => new_id(item::prefix(kind), key, index)?,
        };
        messages.push(item_message(conversation, &id, item, kind));
        seen.insert(id);
    }
    Ok(messages)
}

/// Returns whether an item may be stored under an id. The id of a removed item stays forgotten, and is refused. If the request
/// has an idempotency key, ids of stored items are accepted, because the same request may have stored them.
async fn is_free(
    service: &Service,
    agent: &Agent,
    conversation: &str,
    id: &str,
    is_repeatable: bool,
) -> Result<bool, Problem> {
    let key = TurnKey { conversation: conversation.to_owned(), id: id.to_owned() };
    if service.is_message_forgotten(agent, &key).await? {
        return Ok(false);
    }
    Ok(is_repeatable || service.turn(agent, &turn_id(agent, conversation, id)).await?.is_none())
}

/// Returns whether an id may be kept. The SDK puts a placeholder that begins with `__` into items of models without ids.
fn is_usable(id: &str) -> bool {
    let is_plain = id.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
    is_plain && (1..=128).contains(&id.len()) && id != HEADER && !id.starts_with("__")
}

/// Returns the idempotency key of a request, if it has one.
pub(super) fn idempotency_key(headers: &HeaderMap) -> Option<&str> {
    headers.get("idempotency-key")?.to_str().ok().filter(|key| !key.is_empty())
}
