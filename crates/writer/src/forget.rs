//! Forgetting: erases memories in the catalog, then removes them from everything derived from it, on disk too.
//!
//! In order: [`Eraser::erase`]; then the caller has summaries rewritten; then [`Eraser::clean`]. Each may be run again. After a
//! crash between them, cleaning once more finishes the work, and [`Eraser::pending_cleanings`] lists the agents to clean.

use std::collections::HashMap;
use std::sync::Arc;

use annals_core::ports::{Erasure, ErasureReport, Table, Target, Watermark};
use annals_core::{Agent, Digest, Error, Grain, Message, Result, Timestamp, TurnKey};
use futures::future::join_all;
use parking_lot::{Mutex, MutexGuard};

use crate::project::STALE_READS;
use crate::{FactWriter, Writer};

/// Maximum number of agents with a recorded [`FilesState`]. If there are more, all records are dropped, and cleaning copies
/// their tables again.
const MAX_CLEAN_STATES: usize = 1_000;

/// Erases memories of agents. Cheap to clone.
#[derive(Clone)]
pub struct Eraser {
    writer: Writer,
    facts: FactWriter,
    /// The erasures of the catalog. Tests pass one with a planted fault here, to check that the proof finds the fault.
    erasure: Arc<dyn Erasure>,
    /// By agent, the state of its files when they were cleaned last.
    clean_states: Arc<Mutex<HashMap<Agent, FilesState>>>,
}

/// The state of the stores from which the files of an agent were made. Every write to one of the files changes this state.
#[derive(Clone, Debug, PartialEq)]
struct FilesState {
    /// The watermarks of the tables of all grains.
    tables: Vec<Watermark>,
    log_version: u64,
}

impl Eraser {
    /// Returns an eraser over the stores of these writers.
    pub fn new(writer: Writer, facts: FactWriter, erasure: Arc<dyn Erasure>) -> Eraser {
        Eraser { writer, facts, erasure, clean_states: Arc::default() }
    }

    /// Returns what forgetting the target would remove. Changes nothing.
    pub async fn preview(&self, agent: &Agent, target: &Target) -> Result<ErasureReport> {
        self.erasure.preview(agent, target).await
    }

    /// Forgets the target in the catalog: from here on no answer from the catalog contains it, and its messages are refused
    /// when they are sent again. It may stay in the tables, in the table of facts and on disk until [`Eraser::clean`] has run.
    pub async fn erase(&self, agent: &Agent, target: &Target, now: Timestamp) -> Result<ErasureReport> {
        let erased = self.erasure.erase(agent, target, now).await;
        self.facts.last.drop_agent(agent);
        erased
    }

    /// Returns the agents that still have to be cleaned: their erasure was interrupted or is in progress.
    pub async fn pending_cleanings(&self) -> Result<Vec<Agent>> {
        Ok(self.erasure.pending_cleanings().await?.into_iter().map(|(agent, _)| agent).collect())
    }

    /// Rewrites every file of the agent that may still hold erased text. Does not touch backups.
    pub async fn clean(&self, agent: &Agent, now: Timestamp) -> Result<()> {
        // Read before the work begins, so that an erasure during the work stays pending.
        let pending = self.pending_cleaning(agent).await?;
        self.renew(agent, now).await?;
        let state = self.state_of_files(agent).await?;
        match state {
            Some(state) => self.clean_states().insert(agent.clone(), state),
            None => self.clean_states().remove(agent),
        };
        self.cleaned(agent, pending).await
    }

    /// Does the same as [`Eraser::clean`], unless nothing was written to the agent's files since this process cleaned them
    /// last. Then only the catalog may hold erased text. So a repeated forgetting copies no table.
    pub async fn clean_changed_files(&self, agent: &Agent, now: Timestamp) -> Result<()> {
        let pending = self.pending_cleaning(agent).await?;
        self.writer.project(agent, now, &|_| ()).await?;
        let state = self.state_of_files(agent).await?;
        let is_clean = state.is_some_and(|state| self.clean_states().get(agent) == Some(&state));
        if !is_clean {
            return self.clean(agent, now).await;
        }
        self.erasure.scrub().await?;
        self.cleaned(agent, pending).await
    }

    /// Makes the next cleaning rewrite all files of the agent. Called if erased text was found in them.
    pub fn forget_clean_state(&self, agent: &Agent) {
        self.clean_states().remove(agent);
    }

    /// Returns the number of the agent's last erasure, or `None` if it is cleaned already.
    async fn pending_cleaning(&self, agent: &Agent) -> Result<Option<u64>> {
        let pending = self.erasure.pending_cleanings().await?;
        Ok(pending.into_iter().find(|(of, _)| of == agent).map(|(_, erasure)| erasure))
    }

    async fn cleaned(&self, agent: &Agent, pending: Option<u64>) -> Result<()> {
        match pending {
            Some(erasure) => self.erasure.cleaned(agent, erasure).await,
            None => Ok(()),
        }
    }

    /// Returns the state of the files of an agent. Returns `None` for an agent that is not known: an agent that is created
    /// again later could have the same state with other files.
    async fn state_of_files(&self, agent: &Agent) -> Result<Option<FilesState>> {
        if !self.writer.store.agent_state(agent).await?.known {
            return Ok(None);
        }
        let mut tables = Vec::new();
        for grain in Grain::ALL {
            tables.push(self.writer.store.watermark(agent, grain).await?);
        }
        Ok(Some(FilesState { tables, log_version: self.facts.store.log_version(agent).await? }))
    }

    fn clean_states(&self) -> MutexGuard<'_, HashMap<Agent, FilesState>> {
        let mut states = self.clean_states.lock();
        if states.len() > MAX_CLEAN_STATES {
            states.clear();
        }
        states
    }

    async fn renew(&self, agent: &Agent, now: Timestamp) -> Result<()> {
        if self.writer.store.agent_state(agent).await?.known {
            let renewed = self.renew_tables(agent, now).await?;
            self.writer.strata.remove_below(agent, &renewed).await?;
        } else {
            self.writer.strata.remove_agent(agent).await?;
        }
        if self.facts.store.log_version(agent).await? == 0 {
            self.facts.facts.remove(agent).await?;
        } else {
            // Rewritten even if its version is the log's, because only a rewrite removes other data from the file.
            self.facts.refold(agent).await?;
        }
        self.erasure.scrub().await
    }

    /// Returns the places where this agent still has any of these texts, in catalog, tables and facts; empty if they are
    /// forgotten.
    pub async fn prove(&self, agent: &Agent, words: &[String]) -> Result<Vec<String>> {
        if words.is_empty() {
            return Ok(Vec::new());
        }
        let mut locations = self.erasure.find_leftovers(agent, words).await?;
        locations.extend(self.remains(words).await?);
        locations.extend(self.writer.strata.find_leftovers(agent, words).await?);
        locations.extend(self.facts.facts.find_leftovers(agent, words).await?);
        Ok(locations)
    }

    /// Returns a place if the catalog's free space holds any of the texts. Other agents that have the same text may leave it
    /// there while they write, so the space is overwritten and searched once more.
    async fn remains(&self, words: &[String]) -> Result<Option<String>> {
        if !self.erasure.unused_space_contains(words).await? {
            return Ok(None);
        }
        self.erasure.scrub().await?;
        let remains = self.erasure.unused_space_contains(words).await?;
        Ok(remains.then(|| "free space of the catalog".to_owned()))
    }

    /// Removes the hashes by which these forgotten messages are refused, so that an import can store them again. The
    /// messages must be prepared by [`Writer::prepare`].
    pub async fn unforget(&self, agent: &Agent, messages: &[(TurnKey, Message)]) -> Result<()> {
        let hashes: Vec<(TurnKey, Digest)> =
            messages.iter().map(|(key, message)| (key.clone(), message.digest())).collect();
        self.erasure.unforget(agent, &hashes).await
    }

    /// Brings all tables up to date and copies each into a new generation, all at once: in a bucket, nearly all the time is
    /// waiting for answers. Returns the new tables.
    async fn renew_tables(&self, agent: &Agent, now: Timestamp) -> Result<Vec<Table>> {
        self.writer.project(agent, now, &|_| ()).await?;
        // Waits for all, also if one fails: a copy that went on without the caller's locks could write into the next one.
        let renewed = join_all(Grain::ALL.map(|grain| self.renew_table(agent, grain, now))).await;
        renewed.into_iter().collect()
    }

    async fn renew_table(&self, agent: &Agent, grain: Grain, now: Timestamp) -> Result<Table> {
        let mut stale = 0;
        loop {
            match self.renew_rows(agent, grain, now).await {
                Err(Error::Stale { .. }) if stale < STALE_READS => stale += 1,
                done => break done?,
            }
        }
        self.writer.table(agent, grain).await
    }

    /// Copies the present rows of a table into its next generation. A table that differs from the catalog is rebuilt and not
    /// copied, because rows that should be gone would be copied too.
    async fn renew_rows(&self, agent: &Agent, grain: Grain, now: Timestamp) -> Result<()> {
        let store = &self.writer.store;
        let read = store.watermark(agent, grain).await?;
        let watermark = Watermark { building: None, ..read.clone() };
        if read.building.is_some() {
            // A half-built generation is dropped: it is never copied, so deleted rows would stay in it. A change of model
            // begins again.
            store.save_watermark(agent, grain, read, watermark.clone()).await?;
        }
        if !self.writer.audit_grain(agent, grain).await?.is_empty() {
            return self.writer.rebuild(agent, grain, now, &|_| ()).await;
        }
        let former = Table { agent: agent.clone(), grain, generation: watermark.generation };
        self.writer.copy_rows(&former, watermark).await.map(|_| ())
    }
}

#[cfg(test)]
mod tests;
