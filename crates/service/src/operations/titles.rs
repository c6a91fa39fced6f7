//! Reads the titles of conversations, which imports keep in the attachment of the first message.

use annals_core::ports::{Select, StoredConversation};
use annals_core::{Agent, Grain, Kind, MemoryId, Result};
use serde_json::{Map, Value};

use crate::Service;
use crate::wire::ConversationEntry;

/// Field of the attachment that contains the title.
pub(super) const TITLE: &str = "conversation_title";

impl Service {
    /// Converts conversations to entries of a list, with the titles from the attachments of their first messages.
    pub(super) async fn with_titles(
        &self,
        agent: &Agent,
        found: Vec<StoredConversation>,
    ) -> Result<Vec<ConversationEntry>> {
        let mut first: Vec<MemoryId> = Vec::with_capacity(found.len());
        for conversation in &found {
            let select = Select {
                kinds: vec![Kind::Turn],
                conversation: Some(conversation.name.clone()),
                limit: 1,
                ..Select::all(Grain::Working)
            };
            let turns = self.parts.store.list(agent, &select).await?;
            // A conversation that was removed meanwhile has no first turn.
            first.push(turns.into_iter().next().map_or_else(|| MemoryId::from_text(""), |turn| turn.id));
        }
        let attached = self.parts.store.attachments(agent, &first).await?;
        let entry = |(conversation, json): (StoredConversation, Option<String>)| ConversationEntry {
            title: json.as_deref().and_then(title),
            ..ConversationEntry::from(conversation)
        };
        Ok(found.into_iter().zip(attached).map(entry).collect())
    }
}

/// Returns the title in an attachment; `None` if there is none.
fn title(attachment: &str) -> Option<String> {
    let mut fields: Map<String, Value> = serde_json::from_str(attachment).ok()?;
    match fields.remove(TITLE)? {
        Value::String(title) => Some(title),
        _ => None,
    }
}
