//! Implements port `Catalog`.

use annals_core::ports::{AgentState, Change, Comparison, Counts, Select, StoredConversation, Turn, Watermark};
use annals_core::{
    Agent, Catalog, Date, DeadLetter, Grain, IngestReceipt, LedgerRow, Memory, MemoryId, Message, Period, Result,
    Settings, Summary, Timestamp, TurnKey,
};
use async_trait::async_trait;

use crate::db::Db;
use crate::{
    SqliteCatalog, agents, changes, conversations, counts, dead_letters, get, ingest, inputs, ledger, list, summaries,
    watermarks,
};

#[async_trait]
impl Catalog for SqliteCatalog {
    async fn agents(&self, workspace: Option<&str>, after: Option<&Agent>, limit: usize) -> Result<Vec<Agent>> {
        let (workspace, after) = (workspace.map(str::to_owned), after.cloned());
        let list = move |c: &dyn Db| agents::page(c, workspace.as_deref(), after.as_ref(), limit);
        self.thread.read("listing agents", list).await
    }

    async fn agents_with_work(&self, now: Timestamp) -> Result<Vec<Agent>> {
        self.thread.read("listing agents that have work", move |c| agents::with_work(c, now)).await
    }

    async fn agent_state(&self, agent: &Agent) -> Result<AgentState> {
        let agent = agent.clone();
        self.thread.read("reading the state of an agent", move |c| agents::agent_state(c, &agent)).await
    }

    async fn settings(&self, agent: &Agent) -> Result<Settings> {
        let agent = agent.clone();
        self.thread.read("reading settings", move |c| agents::settings(c, &agent)).await
    }

    async fn save_settings(&self, agent: &Agent, settings: &Settings) -> Result<()> {
        let (agent, settings) = (agent.clone(), settings.clone());
        self.thread.write("saving settings", move |c| agents::save_settings(c, &agent, &settings)).await
    }

    async fn ingest(&self, agent: &Agent, turns: Vec<Turn>, revise: bool, now: Timestamp) -> Result<IngestReceipt> {
        let agent = agent.clone();
        self.thread.write("storing messages", move |c| ingest::ingest(c, &agent, &turns, revise, now)).await
    }

    async fn compare(&self, agent: &Agent, messages: &[(TurnKey, Message)]) -> Result<Vec<Comparison>> {
        let (agent, messages) = (agent.clone(), messages.to_vec());
        self.thread.read("comparing messages", move |c| ingest::compare(c, &agent, &messages)).await
    }

    async fn changes(&self, agent: &Agent, grain: Grain, after: u64, limit: usize) -> Result<Vec<Change>> {
        let agent = agent.clone();
        self.thread.read("reading changes", move |c| changes::changes(c, &agent, grain, after, limit)).await
    }

    async fn backlog(&self, agent: &Agent, grain: Grain, after: u64) -> Result<u64> {
        let agent = agent.clone();
        self.thread.read("counting changes", move |c| changes::backlog(c, &agent, grain, after)).await
    }

    async fn watermark(&self, agent: &Agent, grain: Grain) -> Result<Watermark> {
        let agent = agent.clone();
        self.thread.read("reading a watermark", move |c| watermarks::watermark(c, &agent, grain)).await
    }

    async fn save_watermark(&self, agent: &Agent, grain: Grain, read: Watermark, watermark: Watermark) -> Result<()> {
        let agent = agent.clone();
        let save = move |c: &dyn Db| watermarks::save_watermark(c, &agent, grain, read, watermark);
        self.thread.write("saving a watermark", save).await
    }

    async fn ledger(&self, agent: &Agent) -> Result<Vec<LedgerRow>> {
        let agent = agent.clone();
        self.thread.read("reading the ledger", move |c| ledger::ledger(c, &agent)).await
    }

    async fn pruned_until(&self, agent: &Agent, grain: Grain) -> Result<Option<Date>> {
        let agent = agent.clone();
        self.thread.read("reading what was pruned", move |c| ledger::pruned_until(c, &agent, grain)).await
    }

    async fn inputs(&self, agent: &Agent, period: Period) -> Result<Vec<Memory>> {
        let agent = agent.clone();
        self.thread.read("reading the input of a period", move |c| inputs::inputs(c, &agent, period)).await
    }

    async fn save_summaries(&self, agent: &Agent, summaries: Vec<Summary>, now: Timestamp) -> Result<()> {
        let agent = agent.clone();
        self.thread.write("saving summaries", move |c| summaries::save_summaries(c, &agent, &summaries, now)).await
    }

    async fn note_failure(
        &self,
        agent: &Agent,
        period: Period,
        error: &str,
        not_before: Timestamp,
        now: Timestamp,
    ) -> Result<()> {
        let (agent, error) = (agent.clone(), error.to_owned());
        let work = move |c: &dyn Db| ledger::note_failure(c, &agent, period, &error, not_before, now);
        self.thread.write("saving a failure", work).await
    }

    async fn note_outage(
        &self,
        agent: &Agent,
        periods: &[Period],
        error: &str,
        not_before: Timestamp,
        now: Timestamp,
    ) -> Result<()> {
        let (agent, periods, error) = (agent.clone(), periods.to_vec(), error.to_owned());
        let work = move |c: &dyn Db| ledger::note_outage(c, &agent, &periods, &error, not_before, now);
        self.thread.write("saving an outage", work).await
    }

    async fn list(&self, agent: &Agent, select: &Select) -> Result<Vec<Memory>> {
        let (agent, select) = (agent.clone(), select.clone());
        self.thread.read("listing memories", move |c| list::list(c, &agent, &select)).await
    }

    async fn get(&self, agent: &Agent, ids: &[MemoryId]) -> Result<Vec<Memory>> {
        let (agent, ids) = (agent.clone(), ids.to_vec());
        self.thread.read("reading memories", move |c| get::get(c, &agent, &ids)).await
    }

    async fn conversations(&self, agent: &Agent, after: Option<&str>, limit: usize) -> Result<Vec<StoredConversation>> {
        let (agent, after) = (agent.clone(), after.map(str::to_owned));
        let list = move |c: &dyn Db| conversations::list(c, &agent, after.as_deref(), limit);
        self.thread.read("listing conversations", list).await
    }

    async fn counts(&self, agent: &Agent) -> Result<Counts> {
        let agent = agent.clone();
        self.thread.read("counting memories", move |c| counts::counts(c, &agent)).await
    }

    async fn operation(&self, agent: &Agent, id: &str) -> Result<Option<IngestReceipt>> {
        let (agent, id) = (agent.clone(), id.to_owned());
        self.thread.read("reading an operation", move |c| ingest::operation(c, &agent, &id)).await
    }

    async fn add_dead_letters(&self, letters: Vec<DeadLetter>) -> Result<()> {
        self.thread.write("saving dead letters", move |c| dead_letters::add_dead_letters(c, &letters)).await
    }

    async fn dead_letters(&self, agent: &Agent) -> Result<Vec<DeadLetter>> {
        let agent = agent.clone();
        self.thread.read("reading dead letters", move |c| dead_letters::dead_letters(c, &agent)).await
    }

    async fn remove_dead_letters(&self, agent: &Agent, memories: &[MemoryId]) -> Result<()> {
        let (agent, memories) = (agent.clone(), memories.to_vec());
        self.thread
            .write("removing dead letters", move |c| dead_letters::remove_dead_letters(c, &agent, &memories))
            .await
    }

    async fn check(&self) -> Result<Vec<String>> {
        self.faults().await
    }
}
