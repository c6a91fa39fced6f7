//! Messages to store, and the result of storing them.

use std::collections::BTreeMap;

use annals_core::{Role, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::RoleWord;

/// Messages of one or more conversations.
#[derive(Clone, Debug, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct IngestRequest {
    /// The messages in order: 1 to 1,000.
    #[schema(min_items = 1, max_items = 1000)]
    pub messages: Vec<MessageIn>,
    /// Conversation of the messages that name none.
    #[serde(default)]
    #[schema(example = "chat-42")]
    pub conversation: Option<String>,
    /// Replaces stored messages that have the same id but other content. Otherwise such messages are refused.
    #[serde(default)]
    pub revise: bool,
}

/// One message. Unknown fields are counted in the answer, not refused.
#[derive(Clone, Debug, Deserialize, JsonSchema, ToSchema)]
pub struct MessageIn {
    /// Role of the speaker: a person, the agent, the system or a tool.
    #[schema(value_type = RoleWord)]
    #[schemars(with = "RoleWord")]
    pub role: Role,
    /// What was said, verbatim: at most 256 KiB.
    #[schema(example = "I moved from Oslo to Bern last week.", min_length = 1)]
    pub content: String,
    /// Conversation that the message belongs to.
    #[serde(default)]
    pub conversation: Option<String>,
    /// Your own id of the message, unique within the conversation. With an id, sending the message again is harmless.
    #[serde(default)]
    pub id: Option<String>,
    /// Name of the speaker. Without a name, the speaker is known by the role.
    #[serde(default)]
    #[schema(example = "Ann")]
    pub name: Option<String>,
    /// When it was said, with a UTC offset. Default: now.
    #[serde(default)]
    #[schema(value_type = Option<String>, format = DateTime, example = "2026-03-04T18:30:00Z")]
    #[schemars(with = "Option<String>", extend("format" = "date-time"))]
    pub at: Option<Timestamp>,
    /// JSON to keep with the turn. Set by adapters for other programs' clients only.
    #[serde(skip)]
    #[schema(ignore)]
    #[schemars(skip)]
    pub attachment: Option<String>,
    /// All unknown fields.
    #[serde(flatten)]
    #[schema(ignore)]
    #[schemars(skip)]
    pub other: BTreeMap<String, serde::de::IgnoredAny>,
}

/// How far the messages of an accepted request are processed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Progress {
    /// Committed and fsynced: none of the messages can be lost any more.
    Accepted,
    /// Found by searches.
    Searchable,
    /// Also read for facts.
    Extracted,
}

/// Answer to a request that stores messages.
#[derive(Clone, Debug, Serialize, JsonSchema, ToSchema)]
pub struct Ingested {
    /// Id for `GET /v1/operations/{id}`, which returns the progress.
    pub operation_id: String,
    /// Progress at the time of this answer.
    pub status: Progress,
    /// Number of new messages.
    pub accepted: u64,
    /// Number of messages that were already stored.
    pub duplicate: u64,
    /// Number of stored messages with content that this request replaced.
    pub revised: u64,
    /// Number of messages that were not stored, because a message with their `id` in their conversation, or with their content
    /// and time, was forgotten. The content does not matter: to store something else, choose another id.
    pub forgotten: u64,
    /// Number of credentials that were masked before storage.
    pub masked: u64,
    /// Unknown fields of messages, which were ignored, each with the number of messages that contained it.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub ignored_fields: BTreeMap<String, u64>,
}

/// How far the messages of an accepted request are processed.
#[derive(Clone, Debug, Serialize, JsonSchema, ToSchema)]
pub struct OperationView {
    /// Id of the operation, as in the answer to the request that stored the messages.
    pub operation_id: String,
    /// Current name of the agent. Requests may also use its former names.
    pub agent: String,
    /// Progress at the time of this answer.
    pub status: Progress,
    /// Number of new messages.
    pub accepted: u64,
    /// Number of messages that were already stored.
    pub duplicate: u64,
    /// Number of stored messages with content that this request replaced.
    pub revised: u64,
    /// Number of messages that were forgotten earlier and stay forgotten.
    pub forgotten: u64,
    /// Number of credentials that were masked before storage.
    pub masked: u64,
}
