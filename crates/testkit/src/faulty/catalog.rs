//! Implements the port `Catalog`, with its parts, for [`Faulty`].

use annals_core::ports::{
    AgentState, Agents, Catalog, Change, Comparison, Counts, DeadLetters, Ledger, Memories, OnConflict, Outline,
    RetentionLimits, Select, StoredConversation, Totals, Turn, Turns, VectorModel, Watermark, Watermarks,
};
use annals_core::{
    Agent, Date, DeadLetter, Grain, IngestReceipt, LedgerRow, Memory, MemoryId, Message, Period, Result, Settings,
    Summary, Timestamp, TurnKey,
};
use async_trait::async_trait;

use super::Faulty;

#[async_trait]
impl<P: Agents> Agents for Faulty<P> {
    async fn agents(&self, workspace: Option<&str>, after: Option<&Agent>, limit: usize) -> Result<Vec<Agent>> {
        self.store()?.agents(workspace, after, limit).await
    }

    async fn resolve_agent(&self, workspace: &str, name: &str) -> Result<Agent> {
        self.store()?.resolve_agent(workspace, name).await
    }

    async fn rename_agent(&self, agent: &Agent, name: &str) -> Result<Agent> {
        self.store()?.rename_agent(agent, name).await
    }

    async fn agents_with_work(&self, now: Timestamp) -> Result<Vec<Agent>> {
        self.store()?.agents_with_work(now).await
    }

    async fn agents_to_reembed(&self, model: &VectorModel) -> Result<Vec<Agent>> {
        self.store()?.agents_to_reembed(model).await
    }

    async fn agents_to_retain(&self, limits: &RetentionLimits) -> Result<Vec<Agent>> {
        self.store()?.agents_to_retain(limits).await
    }

    async fn totals(&self, now: Timestamp) -> Result<Totals> {
        self.store()?.totals(now).await
    }

    async fn agent_state(&self, agent: &Agent) -> Result<AgentState> {
        self.store()?.agent_state(agent).await
    }

    async fn last_change(&self, agent: &Agent) -> Result<u64> {
        self.store()?.last_change(agent).await
    }

    async fn settings(&self, agent: &Agent) -> Result<Settings> {
        self.store()?.settings(agent).await
    }

    async fn save_settings(&self, agent: &Agent, settings: &Settings) -> Result<()> {
        self.store()?.save_settings(agent, settings).await
    }

    async fn counts(&self, agent: &Agent) -> Result<Counts> {
        self.store()?.counts(agent).await
    }
}

#[async_trait]
impl<P: Turns> Turns for Faulty<P> {
    async fn ingest(
        &self,
        agent: &Agent,
        turns: Vec<Turn>,
        on_conflict: OnConflict,
        now: Timestamp,
    ) -> Result<IngestReceipt> {
        self.store()?.ingest(agent, turns, on_conflict, now).await
    }

    async fn compare(&self, agent: &Agent, messages: &[(TurnKey, Message)]) -> Result<Vec<Comparison>> {
        self.store()?.compare(agent, messages).await
    }

    async fn operation(&self, agent: &Agent, id: &str) -> Result<Option<IngestReceipt>> {
        self.store()?.operation(agent, id).await
    }

    async fn attachments(&self, agent: &Agent, ids: &[MemoryId]) -> Result<Vec<Option<String>>> {
        self.store()?.attachments(agent, ids).await
    }

    async fn attach(&self, agent: &Agent, id: &MemoryId, attachment: &str) -> Result<bool> {
        self.store()?.attach(agent, id, attachment).await
    }
}

#[async_trait]
impl<P: Memories> Memories for Faulty<P> {
    async fn list(&self, agent: &Agent, select: &Select) -> Result<Vec<Memory>> {
        self.store()?.list(agent, select).await
    }

    async fn get(&self, agent: &Agent, ids: &[MemoryId]) -> Result<Vec<Memory>> {
        self.store()?.get(agent, ids).await
    }

    async fn agent_of(&self, id: &MemoryId) -> Result<Option<Agent>> {
        self.store()?.agent_of(id).await
    }

    async fn find_by_prefix(&self, agent: &Agent, prefix: &str, limit: usize) -> Result<Vec<Memory>> {
        self.store()?.find_by_prefix(agent, prefix, limit).await
    }

    async fn conversations(&self, agent: &Agent, after: Option<&str>, limit: usize) -> Result<Vec<StoredConversation>> {
        self.store()?.conversations(agent, after, limit).await
    }

    async fn outline(&self, agent: &Agent) -> Result<Outline> {
        self.store()?.outline(agent).await
    }
}

#[async_trait]
impl<P: Watermarks> Watermarks for Faulty<P> {
    async fn changes(&self, agent: &Agent, grain: Grain, after: u64, limit: usize) -> Result<Vec<Change>> {
        self.store()?.changes(agent, grain, after, limit).await
    }

    async fn backlog(&self, agent: &Agent, grain: Grain, after: u64) -> Result<u64> {
        self.store()?.backlog(agent, grain, after).await
    }

    async fn watermark(&self, agent: &Agent, grain: Grain) -> Result<Watermark> {
        self.store()?.watermark(agent, grain).await
    }

    async fn save_watermark(&self, agent: &Agent, grain: Grain, read: Watermark, watermark: Watermark) -> Result<()> {
        self.store()?.save_watermark(agent, grain, read, watermark).await
    }
}

#[async_trait]
impl<P: Ledger> Ledger for Faulty<P> {
    async fn ledger(&self, agent: &Agent) -> Result<Vec<LedgerRow>> {
        self.store()?.ledger(agent).await
    }

    async fn failures(&self, limit: usize) -> Result<Vec<(Agent, LedgerRow)>> {
        self.store()?.failures(limit).await
    }

    async fn pruned_until(&self, agent: &Agent, grain: Grain) -> Result<Option<Date>> {
        self.store()?.pruned_until(agent, grain).await
    }

    async fn inputs(&self, agent: &Agent, period: Period) -> Result<Vec<Memory>> {
        self.store()?.inputs(agent, period).await
    }

    async fn save_summaries(&self, agent: &Agent, summaries: Vec<Summary>, now: Timestamp) -> Result<()> {
        self.store()?.save_summaries(agent, summaries, now).await
    }

    async fn note_failure(
        &self,
        agent: &Agent,
        period: Period,
        error: &str,
        not_before: Timestamp,
        now: Timestamp,
    ) -> Result<()> {
        self.store()?.note_failure(agent, period, error, not_before, now).await
    }

    async fn note_outage(
        &self,
        agent: &Agent,
        periods: &[Period],
        error: &str,
        not_before: Timestamp,
        now: Timestamp,
    ) -> Result<()> {
        self.store()?.note_outage(agent, periods, error, not_before, now).await
    }
}

#[async_trait]
impl<P: DeadLetters> DeadLetters for Faulty<P> {
    async fn add_dead_letters(&self, letters: Vec<DeadLetter>) -> Result<()> {
        self.store()?.add_dead_letters(letters).await
    }

    async fn dead_letters(&self, agent: &Agent) -> Result<Vec<DeadLetter>> {
        self.store()?.dead_letters(agent).await
    }

    async fn remove_dead_letters(&self, agent: &Agent, memories: &[MemoryId]) -> Result<()> {
        self.store()?.remove_dead_letters(agent, memories).await
    }
}

#[async_trait]
impl<P: Catalog> Catalog for Faulty<P> {
    async fn check(&self) -> Result<Vec<String>> {
        self.store()?.check().await
    }
}
