//! Paging parameters, and the conversations of an agent.

use annals_core::ports::StoredConversation;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// Which page of a list to return.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema, ToSchema, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct PageRequest {
    /// Maximum number of entries, at least 1. Conversations: at most 1,000, default 100. Agents: all by default.
    #[serde(default)]
    #[param(minimum = 1, maximum = 1000)]
    #[schemars(range(min = 1))]
    pub limit: Option<usize>,
    /// Continues a previous answer: its `next_cursor`.
    #[serde(default)]
    pub cursor: Option<String>,
}

/// A conversation with stored turns.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct ConversationEntry {
    /// Name of the conversation, as its messages give it.
    pub conversation: String,
    /// Title of the conversation, if it was imported with one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Number of turns of the conversation that are stored.
    pub turns: u64,
    /// When the first of these turns was said.
    #[schema(format = DateTime)]
    pub first: String,
    /// When the last of these turns was said.
    #[schema(format = DateTime)]
    pub last: String,
}

impl From<StoredConversation> for ConversationEntry {
    fn from(stored: StoredConversation) -> ConversationEntry {
        let StoredConversation { name, turns, first, last } = stored;
        let (first, last) = (first.to_string(), last.to_string());
        ConversationEntry { conversation: name, title: None, turns, first, last }
    }
}

/// Conversations, ordered by name.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct ConversationsAnswer {
    /// Current name of the agent. Requests may also use its former names.
    pub agent: String,
    /// The conversations of this page.
    pub conversations: Vec<ConversationEntry>,
    /// Cursor of the next page, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}
