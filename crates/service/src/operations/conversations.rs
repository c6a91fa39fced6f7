//! Lists the conversations of an agent, page by page.

use annals_core::{Agent, Result};

use super::timeline::limit;
use crate::Service;
use crate::wire::{ConversationsAnswer, PageRequest};

impl Service {
    /// Returns one page of conversations with their titles, ordered by name.
    pub async fn conversations(&self, agent: &Agent, request: PageRequest) -> Result<ConversationsAnswer> {
        let limit = limit(request.limit)?;
        // One more than the page holds shows whether there is a next page.
        let mut found = self.parts.store.conversations(agent, request.cursor.as_deref(), limit + 1).await?;
        let more = found.len() > limit;
        found.truncate(limit);
        Ok(ConversationsAnswer {
            agent: agent.name().to_owned(),
            next_cursor: found.last().filter(|_| more).map(|last| last.name.clone()),
            conversations: self.with_titles(agent, found).await?,
        })
    }
}
