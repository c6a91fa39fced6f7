//! Messages on their way in, and what became of them.

use std::collections::BTreeMap;

use annals_core::{Role, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::RoleWord;

/// Messages of one or many conversations.
#[derive(Clone, Debug, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct IngestRequest {
    /// The messages in their order: 1 to 1,000.
    #[schema(min_items = 1, max_items = 1000)]
    pub messages: Vec<MessageIn>,
    /// The conversation of the messages that name none.
    #[serde(default)]
    #[schema(example = "chat-42")]
    pub conversation: Option<String>,
    /// Replaces what is stored under the same id with other content, which is refused otherwise.
    #[serde(default)]
    pub revise: bool,
}

/// One message. Fields that mean nothing here are counted in the answer, not refused.
#[derive(Clone, Debug, Deserialize, JsonSchema, ToSchema)]
pub struct MessageIn {
    /// Who spoke.
    #[schema(value_type = RoleWord)]
    #[schemars(with = "RoleWord")]
    pub role: Role,
    /// What was said, verbatim: at most 256 KiB.
    #[schema(example = "I moved from Oslo to Bern last week.", min_length = 1)]
    pub content: String,
    /// The conversation it belongs to.
    #[serde(default)]
    pub conversation: Option<String>,
    /// Your own id of it, unique within the conversation. With one, sending it again is harmless.
    #[serde(default)]
    pub id: Option<String>,
    /// The speaker's name.
    #[serde(default)]
    #[schema(example = "Ann")]
    pub name: Option<String>,
    /// When it was said, with an offset; now if it is not given.
    #[serde(default)]
    #[schema(value_type = Option<String>, format = DateTime, example = "2026-03-04T18:30:00Z")]
    #[schemars(with = "Option<String>", extend("format" = "date-time"))]
    pub at: Option<Timestamp>,
    /// Whatever else was sent.
    #[serde(flatten)]
    #[schema(ignore)]
    #[schemars(skip)]
    pub other: BTreeMap<String, serde::de::IgnoredAny>,
}

/// How far an accepted request has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Progress {
    /// Committed and fsynced: nothing of it can be lost any more.
    Accepted,
    /// Found by searches.
    Searchable,
    /// Read for facts as well.
    Extracted,
}

/// Answer to messages.
#[derive(Clone, Debug, Serialize, JsonSchema, ToSchema)]
pub struct Ingested {
    /// To ask how far it has come: `GET /v1/operations/{id}`.
    pub operation_id: String,
    /// How far it had come when this was answered.
    pub status: Progress,
    /// New messages.
    pub accepted: u64,
    /// Messages that were already there.
    pub duplicate: u64,
    /// Messages whose content was replaced.
    pub revised: u64,
    /// Messages that were forgotten before, and stay so.
    pub forgotten: u64,
    /// Credentials that were masked before storage.
    pub masked: u64,
    /// Fields that mean nothing here, and in how many messages each stood.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub ignored_fields: BTreeMap<String, u64>,
}

/// How far an accepted request has come.
#[derive(Clone, Debug, Serialize, JsonSchema, ToSchema)]
pub struct OperationView {
    /// Its id.
    pub operation_id: String,
    /// Whose messages.
    pub agent: String,
    /// How far it has come.
    pub status: Progress,
    /// New messages.
    pub accepted: u64,
    /// Messages that were already there.
    pub duplicate: u64,
    /// Messages whose content was replaced.
    pub revised: u64,
    /// Messages that were forgotten before, and stay so.
    pub forgotten: u64,
    /// Credentials that were masked before storage.
    pub masked: u64,
}
