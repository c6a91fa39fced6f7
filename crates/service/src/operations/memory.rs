//! Operations on one memory: show it, list its sources, correct it, pin it.

use annals_core::ports::{Select, Version};
use annals_core::{Agent, Error, Grain, Memory, MemoryId, ObjectKind, Result, Timestamp};

use crate::Service;
use crate::locks::History;
use crate::operations::NoProgress;
use crate::wire::{CorrectRequest, MemoryAnswer, MemoryView, SentenceView, SourcesAnswer, VersionView};

impl Service {
    /// Returns one memory with its sentences and former versions. Fails with [`Error::NotFound`] if the agent has no such
    /// memory.
    pub async fn memory(&self, agent: &Agent, id: &str) -> Result<MemoryAnswer> {
        let memory = self.find(agent, id).await?;
        let versions = self.parts.store.versions(agent, &memory.id).await?;
        let view = |version: Version| VersionView { text: version.text, replaced_at: version.replaced_at.to_string() };
        Ok(MemoryAnswer {
            agent: agent.name().to_owned(),
            sentences: memory.sentences().iter().map(SentenceView::from).collect(),
            versions: versions.into_iter().map(view).collect(),
            memory: MemoryView::from(&memory),
        })
    }

    /// Returns the memory with this id, and its agent, of any workspace. Fails with [`Error::NotFound`] if no agent has it. For
    /// the local command, which may use all agents.
    pub(crate) async fn find_anywhere(&self, id: &str) -> Result<(Agent, Memory)> {
        let found = self.parts.store.agent_of(&MemoryId::from_text(id)).await?;
        let agent = found.ok_or_else(|| Error::NotFound { what: ObjectKind::Memory, name: id.to_owned() })?;
        let memory = self.find(&agent, id).await?;
        Ok((agent, memory))
    }

    /// Returns the memories with these ids. Leaves out ids that are not stored.
    pub async fn memories(&self, agent: &Agent, ids: &[MemoryId]) -> Result<Vec<Memory>> {
        self.parts.store.get(agent, ids).await
    }

    /// Returns the former texts of a memory, oldest first.
    pub async fn versions(&self, agent: &Agent, id: &MemoryId) -> Result<Vec<Version>> {
        self.parts.store.versions(agent, id).await
    }

    /// Returns all memories of a grain except passages, oldest first.
    pub async fn memories_of(&self, agent: &Agent, grain: Grain) -> Result<Vec<Memory>> {
        self.parts.store.list(agent, &Select::all(grain)).await
    }

    /// Returns the memories that a memory was made from and that are still stored, in order of time.
    pub async fn sources(&self, agent: &Agent, id: &str) -> Result<SourcesAnswer> {
        let memory = self.find(agent, id).await?;
        let mut sources = self.parts.store.get(agent, memory.sources()).await?;
        sources.sort_by_key(Memory::at);
        Ok(SourcesAnswer {
            agent: agent.name().to_owned(),
            id: id.to_owned(),
            sources: sources.iter().map(MemoryView::from).collect(),
        })
    }

    /// Replaces the text of a memory, sets or removes its pin, or both; fails if the request asks for neither. Returns the
    /// memory as it is then. When the call returns, a new text is searchable, and facts follow it
    /// if the extractor is local.
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
            self.parts.writer.correct(agent, &id, text, now).await?;
        }
        if let Some(pinned) = request.pinned {
            self.parts.store.pin(agent, &id, pinned).await?;
        }
        drop(history);
        if request.text.is_some() {
            self.make_searchable(agent, &|_| ()).await?;
            // The text is saved and searchable: a failure here must not look like one of the correction.
            if let Err(error) = self.bring_facts_up_to_date(agent, &NoProgress).await {
                tracing::error!(agent.folder = agent.folder(), %error, "extracting facts from a correction failed; it is retried");
            }
        }
        self.memory(agent, id.as_str()).await
    }

    /// Returns the memory with this id. Fails with [`Error::NotFound`] if the agent has no such memory.
    pub async fn find(&self, agent: &Agent, id: &str) -> Result<Memory> {
        let mut found = self.parts.store.get(agent, &[MemoryId::from_text(id)]).await?;
        found.pop().ok_or_else(|| Error::NotFound { what: ObjectKind::Memory, name: id.to_owned() })
    }
}
