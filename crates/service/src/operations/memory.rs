//! Operations on one memory: show it, list its sources, correct it, pin it.

use annals_core::{Agent, Error, Memory, MemoryId, Result, Timestamp};

use crate::Service;
use crate::locks::History;
use crate::wire::{CorrectRequest, MemoryAnswer, MemoryView, SentenceView, SourcesAnswer, VersionView};

impl Service {
    /// Returns one memory with its sentences and former versions.
    pub async fn memory(&self, agent: &Agent, id: &str) -> Result<MemoryAnswer> {
        let memory = self.find(agent, id).await?;
        let versions = self.store.versions(agent, &memory.id).await?;
        let view = |version: annals_core::ports::Version| VersionView {
            text: version.text,
            replaced_at: version.replaced_at.to_string(),
        };
        Ok(MemoryAnswer {
            agent: agent.name().to_owned(),
            sentences: memory.sentences().iter().map(SentenceView::from).collect(),
            versions: versions.into_iter().map(view).collect(),
            memory: MemoryView::from(&memory),
        })
    }

    /// Returns the memories that a memory was made from, by time.
    pub async fn sources(&self, agent: &Agent, id: &str) -> Result<SourcesAnswer> {
        let memory = self.find(agent, id).await?;
        let mut sources = self.store.get(agent, memory.sources()).await?;
        sources.sort_by_key(Memory::at);
        Ok(SourcesAnswer {
            agent: agent.name().to_owned(),
            id: id.to_owned(),
            sources: sources.iter().map(MemoryView::from).collect(),
        })
    }

    /// Replaces the text of a memory, sets or removes its pin, or both. Returns the memory.
    pub async fn correct(
        &self,
        agent: &Agent,
        id: &str,
        request: CorrectRequest,
        now: Timestamp,
    ) -> Result<MemoryAnswer> {
        if request.text.is_none() && request.pinned.is_none() {
            return Err(Error::invalid("text", "is missing; give text, pinned or both"));
        }
        let history = self.locks.lock::<History>(agent).await;
        let id = self.find(agent, id).await?.id;
        if let Some(text) = &request.text {
            self.writer.correct(agent, &id, text, now).await?;
        }
        if let Some(pinned) = request.pinned {
            self.store.pin(agent, &id, pinned).await?;
        }
        drop(history);
        if request.text.is_some() {
            self.make_searchable(agent, &|_| ()).await?;
        }
        self.memory(agent, id.as_str()).await
    }

    /// Returns the memory with this id if it belongs to the agent, or [`Error::NotFound`].
    pub async fn find(&self, agent: &Agent, id: &str) -> Result<Memory> {
        let mut found = self.store.get(agent, &[MemoryId::from_text(id)]).await?;
        found.pop().ok_or_else(|| Error::NotFound { what: "memory", name: id.to_owned() })
    }
}
