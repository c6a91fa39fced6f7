//! Turns with their attachments: the JSON that an adapter for another program's clients keeps beside each turn.

use annals_core::ports::Select;
use annals_core::{Agent, Digest, Error, Grain, Interval, Kind, Memory, MemoryId, ObjectKind, Result, TurnKey};

use super::timeline::limit;
use crate::Service;

/// A page of turns of one conversation.
#[derive(Clone, Debug, Default)]
pub struct TurnsRequest {
    /// Name of the conversation.
    pub conversation: String,
    /// Whether to list from newest to oldest.
    pub newest_first: bool,
    /// Id of a turn of the conversation. The page continues after that turn; `None` begins with the first turn.
    pub after: Option<MemoryId>,
    /// Maximum number of turns: 1 to 1,000. Default: 100.
    pub limit: Option<usize>,
}

/// A memory, with its attachment if it is a turn that has one.
#[derive(Clone, Debug)]
pub struct AttachedMemory {
    pub memory: Memory,
    /// JSON that an adapter keeps with the turn; `None` if there is none.
    pub attachment: Option<String>,
}

impl Service {
    /// Returns a page of turns in order of time, and whether more follow. Fails with [`Error::NotFound`] if the turn to
    /// continue after does not exist, and with [`Error::Invalid`] if the limit is out of range.
    pub async fn turns(&self, agent: &Agent, request: TurnsRequest) -> Result<(Vec<AttachedMemory>, bool)> {
        let limit = limit(request.limit)?;
        let within = match &request.after {
            None => Interval::ALWAYS,
            Some(id) => after(&self.find(agent, id.as_str()).await?, request.newest_first),
        };
        let select = Select {
            within,
            kinds: vec![Kind::Turn],
            conversation: Some(request.conversation),
            newest_first: request.newest_first,
            // One more than the page holds shows whether there is a next page.
            limit: limit + 1,
            ..Select::all(Grain::Working)
        };
        let mut turns = self.parts.store.list(agent, &select).await?;
        let is_more = turns.len() > limit;
        turns.truncate(limit);
        Ok((self.with_attachments(agent, turns).await?, is_more))
    }

    /// Returns the memory with this id; `None` if it is not stored. Does not check that it is a turn.
    pub async fn turn(&self, agent: &Agent, id: &MemoryId) -> Result<Option<AttachedMemory>> {
        let found = self.parts.store.get(agent, std::slice::from_ref(id)).await?;
        Ok(self.with_attachments(agent, found).await?.pop())
    }

    /// Returns whether the message under this key was forgotten. If so, no other message can be stored under the key until
    /// [`Service::allow_key`] is called.
    pub async fn is_message_forgotten(&self, agent: &Agent, key: &TurnKey) -> Result<bool> {
        // No message has this content, so only the key is compared.
        let message = (key.clone(), Digest::of([""]));
        Ok(self.parts.store.forgotten(agent, &[message]).await? == [true])
    }

    /// Allows a new message under a forgotten key. The former message stays forgotten.
    pub async fn allow_key(&self, agent: &Agent, key: &TurnKey) -> Result<()> {
        let message = (key.clone(), Digest::of([""]));
        self.parts.store.unforget(agent, &[message]).await
    }

    /// Reads the attachments of memories. Returns the memories in the same order.
    pub async fn with_attachments(&self, agent: &Agent, memories: Vec<Memory>) -> Result<Vec<AttachedMemory>> {
        let ids: Vec<MemoryId> = memories.iter().map(|memory| memory.id.clone()).collect();
        let attachments = self.parts.store.attachments(agent, &ids).await?;
        let joined = memories.into_iter().zip(attachments);
        Ok(joined.map(|(memory, attachment)| AttachedMemory { memory, attachment }).collect())
    }

    /// Replaces the attachment of a turn. Masks credentials if the agent's settings say so. Fails with [`Error::NotFound`] if
    /// the turn does not exist.
    pub async fn attach(&self, agent: &Agent, id: &MemoryId, attachment: &str) -> Result<()> {
        let settings = self.parts.store.settings(agent).await?;
        let masked = settings.mask.then(|| annals_writer::mask_json(attachment));
        if self.parts.store.attach(agent, id, masked.as_deref().unwrap_or(attachment)).await? {
            return Ok(());
        }
        Err(Error::NotFound { what: ObjectKind::Message, name: id.to_string() })
    }

    /// Returns at most `limit` turns and statements with an id that begins with `prefix`.
    pub async fn find_by_prefix(&self, agent: &Agent, prefix: &str, limit: usize) -> Result<Vec<Memory>> {
        self.parts.store.find_by_prefix(agent, prefix, limit).await
    }
}

/// Returns the interval after a turn, or before it if `newest_first`. It leaves out no other turn of the conversation, because
/// these never share an instant.
fn after(turn: &Memory, newest_first: bool) -> Interval {
    if newest_first {
        Interval { end: turn.cover.start, ..Interval::ALWAYS }
    } else {
        Interval { start: turn.cover.end, ..Interval::ALWAYS }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use annals_core::{Role, Timestamp};
    use annals_testkit::{agent, at};

    use super::*;
    use crate::fixture::{NOW, service};
    use crate::wire::{IngestRequest, MessageIn};

    fn message(id: usize) -> MessageIn {
        MessageIn {
            role: Role::User,
            content: format!("text {id}"),
            conversation: Some("talk".into()),
            id: Some(id.to_string()),
            name: None,
            at: None::<Timestamp>,
            attachment: Some(format!("{{\"number\":{id}}}")),
            other: Default::default(),
        }
    }

    async fn with_five() -> Service {
        let service = service(Arc::new(|| at(NOW)));
        let settings = service.admit(&agent("a")).await.unwrap();
        let messages = (0..5).map(message).collect();
        let request = IngestRequest { messages, conversation: None, revise: false };
        service.ingest(&agent("a"), &settings, request, at(NOW)).await.unwrap();
        service
    }

    #[tokio::test]
    async fn pages_join_in_both_directions() {
        let service = with_five().await;
        for newest_first in [false, true] {
            let (mut seen, mut after) = (Vec::new(), None);
            loop {
                let conversation = "talk".into();
                let request = TurnsRequest { conversation, newest_first, after, limit: Some(2) };
                let (page, is_more) = service.turns(&agent("a"), request).await.unwrap();
                seen.extend(page.iter().map(|turn| turn.attachment.clone().unwrap()));
                after = page.last().map(|turn| turn.memory.id.clone());
                if !is_more {
                    break;
                }
            }
            let mut expect: Vec<String> = (0..5).map(|id| format!("{{\"number\":{id}}}")).collect();
            if newest_first {
                expect.reverse();
            }
            assert_eq!(seen, expect);
        }
    }

    #[tokio::test]
    async fn unknown_turn_has_no_attachment_and_no_page() {
        let service = with_five().await;
        let id = MemoryId::from_text("t-none");
        let request = TurnsRequest { after: Some(id.clone()), ..TurnsRequest::default() };
        assert!(matches!(service.turns(&agent("a"), request).await, Err(Error::NotFound { .. })));
        assert!(matches!(service.attach(&agent("a"), &id, "{}").await, Err(Error::NotFound { .. })));
    }
}
