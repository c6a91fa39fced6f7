//! Conversations and items as they are stored: turns with attachments.

use annals_core::{Agent, Error, MemoryId, ObjectKind, Role, TurnKey};
use annals_service::wire::MessageIn;
use annals_service::{AttachedMemory, Service, TurnsRequest};
use serde_json::{Map, Value, json};

use super::item;
use crate::compat::body::random_hex;
use crate::rest::Problem;

/// The id of the turn that stands for the conversation itself.
pub(super) const HEADER: &str = "conversation";

/// A stored conversation as answers show it.
pub(super) struct Conversation {
    pub(super) id: String,
    created_at: i64,
    metadata: Value,
}

impl Conversation {
    /// Returns the conversation of this name, or a not-found error.
    pub(super) async fn find(service: &Service, agent: &Agent, id: &str) -> Result<Conversation, Problem> {
        let header = service.turn(agent, &turn_id(agent, id, HEADER)).await?;
        let first = match header {
            Some(header) => Some(header),
            None => {
                let request = TurnsRequest { conversation: id.into(), limit: Some(1), ..TurnsRequest::default() };
                service.turns(agent, request).await?.0.pop()
            }
        };
        let first = first.ok_or_else(|| Error::NotFound { what: ObjectKind::Conversation, name: id.to_owned() })?;
        let metadata = attached(&first, "metadata").unwrap_or_else(|| json!({}));
        let created_at = first.memory.at().as_second();
        Ok(Conversation { id: id.to_owned(), created_at, metadata })
    }

    pub(super) fn view(&self) -> Value {
        json!({
            "id": self.id,
            "object": "conversation",
            "created_at": self.created_at,
            "metadata": self.metadata,
        })
    }
}

/// Returns the turn that stands for a conversation. Its text is the metadata, so that searches find the conversation; without
/// metadata it is a fixed sentence.
pub(super) fn header(conversation: &str, metadata: &Map<String, Value>) -> MessageIn {
    let line = |(name, value): (&String, &Value)| format!("{name}: {}", value.as_str().unwrap_or_default());
    let lines: Vec<String> = metadata.iter().map(line).collect();
    let content = if lines.is_empty() { "The conversation begins.".to_owned() } else { lines.join("\n") };
    let attachment = json!({ "metadata": metadata }).to_string();
    message(conversation, HEADER, Role::System, None, content, attachment)
}

/// Returns an item as a message to store.
pub(super) fn item_message(conversation: &str, id: &str, item: &Map<String, Value>, kind: &str) -> MessageIn {
    let item::ItemText { role, name, text } = item::item_text(item, kind);
    let attachment = json!({ "item": item }).to_string();
    message(conversation, id, role, name, text, attachment)
}

fn message(
    conversation: &str,
    id: &str,
    role: Role,
    name: Option<String>,
    content: String,
    attachment: String,
) -> MessageIn {
    MessageIn {
        role,
        content,
        conversation: Some(conversation.to_owned()),
        id: Some(id.to_owned()),
        name,
        at: None,
        attachment: Some(attachment),
        other: Default::default(),
    }
}

/// Returns the item of a turn as answers show it.
pub(super) fn answered(turn: &AttachedMemory) -> Value {
    let id = turn.memory.message().unwrap_or_default();
    match attached(turn, "item") {
        Some(Value::Object(item)) => item::answered(item, id),
        _ => item::of_turn(turn.memory.role().unwrap_or(Role::User), &turn.memory.text, id),
    }
}

fn attached(turn: &AttachedMemory, field: &str) -> Option<Value> {
    let mut attachment: Map<String, Value> = serde_json::from_str(turn.attachment.as_deref()?).ok()?;
    attachment.remove(field)
}

/// Returns the id of the turn that holds an item.
pub(super) fn turn_id(agent: &Agent, conversation: &str, item: &str) -> MemoryId {
    MemoryId::turn(agent, &TurnKey { conversation: conversation.to_owned(), id: item.to_owned() })
}

/// Returns a new id that begins with `prefix`. With a client's idempotency key the same request gets the same ids.
pub(super) fn new_id(prefix: &str, key: Option<&str>, number: usize) -> Result<String, Problem> {
    let hex = match key {
        Some(key) => annals_core::Digest::of([prefix, key, &number.to_string()]).to_string()[..48].to_owned(),
        None => random_hex(24)?,
    };
    Ok(format!("{prefix}{hex}"))
}
