//! Conversations of an agent, and what may be listed page by page.

use annals_core::ports::StoredConversation;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// Which page of a list.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, ToSchema, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct PageWish {
    /// The most entries, from 1 on. Conversations: at most 1,000, and 100 if it is not given; agents: all if it is not given.
    #[serde(default)]
    #[param(minimum = 1, maximum = 1000)]
    pub limit: Option<usize>,
    /// Goes on where an answer ended: its `next_cursor`.
    #[serde(default)]
    pub cursor: Option<String>,
}

/// A conversation of which turns are stored.
#[derive(Clone, Debug, Serialize, JsonSchema, ToSchema)]
pub struct ConversationEntry {
    /// Its name.
    pub conversation: String,
    /// Its turns.
    pub turns: u64,
    /// When the first of them was said.
    #[schema(format = DateTime)]
    pub first: String,
    /// When the last of them was said.
    #[schema(format = DateTime)]
    pub last: String,
}

impl From<StoredConversation> for ConversationEntry {
    fn from(stored: StoredConversation) -> ConversationEntry {
        let StoredConversation { name, turns, first, last } = stored;
        ConversationEntry { conversation: name, turns, first: first.to_string(), last: last.to_string() }
    }
}

/// Conversations by name.
#[derive(Clone, Debug, Serialize, JsonSchema, ToSchema)]
pub struct ConversationsAnswer {
    /// Whose.
    pub agent: String,
    /// The conversations.
    pub conversations: Vec<ConversationEntry>,
    /// Where the next conversations begin, if there are more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}
