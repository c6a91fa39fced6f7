//! Titles of conversations. A title is kept as an attachment of the first message of its conversation, so that it is exported
//! and forgotten with the message.

use std::collections::HashMap;

use annals_core::{MemoryId, Result, TurnKey};
use serde_json::{Map, Value};

use super::Import;
use crate::operations::titles::TITLE;

/// Titles of conversations with a first message that is not stored yet.
#[derive(Default)]
pub(super) struct Titles {
    /// Titles of conversations without a message in the import so far, by conversation.
    expected: HashMap<String, String>,
    /// Titles of conversations with a first message in the current batch, with the key of that message.
    begun: Vec<(TurnKey, String)>,
}

impl Titles {
    /// Assigns a waiting title to the first message of its conversation.
    pub(super) fn begin(&mut self, conversation: &str, id: &str) {
        if let Some(title) = self.expected.remove(conversation) {
            self.begun.push((TurnKey { conversation: conversation.to_owned(), id: id.to_owned() }, title));
        }
    }
}

impl Import<'_> {
    pub(super) fn take_title(&mut self, conversation: String, title: String) {
        let title = self.masked(title);
        self.titles.expected.insert(conversation, title);
    }

    /// Attaches the titles to the first messages in the batch that was stored. A message that was refused gets no title.
    pub(super) async fn attach_titles(&mut self) -> Result<()> {
        let begun = std::mem::take(&mut self.titles.begun);
        let ids: Vec<MemoryId> = begun.iter().map(|(key, _)| MemoryId::turn(self.agent, key)).collect();
        let store = &*self.service.parts.store;
        let attached = store.attachments(self.agent, &ids).await?;
        for ((id, attached), (_, title)) in ids.into_iter().zip(attached).zip(begun) {
            let former = attached.and_then(|json| serde_json::from_str::<Map<String, Value>>(&json).ok());
            let mut fields = former.unwrap_or_default();
            let title = Value::from(title);
            if fields.get(TITLE) != Some(&title) {
                fields.insert(TITLE.to_owned(), title);
                store.attach(self.agent, &id, &Value::Object(fields).to_string()).await?;
            }
        }
        Ok(())
    }
}
