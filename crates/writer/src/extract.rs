//! Extraction pipeline: runs the extractors on new turns, in order of arrival, and saves the statements and fact operations
//! that they return.
//!
//! The lock of the agent's facts is not held while an extractor reads, unless the caller holds it. The result is then saved
//! only if its input is still the same (`inputs.rs`); otherwise the turns are read again.
//!
//! The watermark is saved with the last piece of a section's result, so a crash repeats at most one section. An outage or a
//! spent budget stops the pipeline. After six hours of either, and for turns on which the model fails repeatedly, the fallback
//! extractor reads in the model's place. These turns become dead letters, which the model reads later (`replay.rs`). Turns are
//! stored and searchable in any case. If only the budget of a request's API key is spent, the request leaves the turns to
//! scheduled extraction, which has no key.

mod ask;
mod count;
mod inputs;
mod last;
mod read;
mod section;

use std::sync::Arc;

use annals_core::ports::{AlreadyHeld, Change, ReadingSchedule, WriteLock};
use annals_core::retry::MAX_OUTAGE;
use annals_core::{
    Agent, Error, Extraction, ExtractionWatermark, Extractor, Facts, Grain, Kind, Memory, Result, Settings, Store,
    Timestamp,
};

use crate::recalled::SeenSentences;
pub use ask::MAX_CONTEXT_TURNS;
pub use count::Unread;
pub(crate) use inputs::Inputs;
use last::LastMemories;
use read::{Outcome, Pause, Read};
pub use section::MAX_TASK_TURNS;
pub(crate) use section::tasks;
use section::{Section, sections};

/// Number of changes read together. Bounds memory and the work that a crash repeats.
const BATCH: usize = 100;
/// Number of stale answers after which a pass ends, because each may cost a model call.
const MAX_STALE_ANSWERS: u64 = 2;

/// Writes the facts of agents. Cheap to clone.
#[derive(Clone)]
pub struct FactWriter {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) facts: Arc<dyn Facts>,
    pub(crate) extractor: Arc<dyn Extractor>,
    fallback: Arc<dyn Extractor>,
    pub(crate) last: Arc<LastMemories>,
    schedule: ReadingSchedule,
    /// Id of the API key of the request that turns are read for; `None` for scheduled work.
    access_key: Option<Arc<str>>,
}

/// The result of an extraction pass.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExtractionPassed {
    /// Turns that an extractor read and that have their results saved.
    pub turns: u64,
    /// Fact operations in the saved results.
    pub operations: u64,
    /// Statements in the saved results.
    pub statements: u64,
    /// Elements of the saved answers that could not be used.
    pub rejected: u64,
    /// Number of turns that the fallback read in the extractor's place.
    pub degraded: u64,
    /// Why the pipeline has to wait; `None` if it does not.
    pub waiting: Option<String>,
    /// Results that were not saved, because their input changed or another pass saved them meanwhile.
    pub stale: u64,
}

/// The state of one pass.
struct Pass<'a> {
    agent: &'a Agent,
    settings: Settings,
    now: Timestamp,
    /// Whether the model has been unavailable, or failing, for [`MAX_OUTAGE`] or longer.
    overdue: bool,
    /// Why the fallback reads all remaining turns; `None` while the extractor reads them.
    fallback_reason: Option<String>,
    /// The lock that is held to save, and to write the table of facts.
    lock: &'a dyn WriteLock,
    schedule: ReadingSchedule,
    sum: ExtractionPassed,
}

impl FactWriter {
    /// Returns a writer of facts over these stores. `fallback` needs no network, and reads the turns that `extractor` cannot.
    pub fn new(
        store: Arc<dyn Store>,
        facts: Arc<dyn Facts>,
        extractor: Arc<dyn Extractor>,
        fallback: Arc<dyn Extractor>,
    ) -> FactWriter {
        let (last, schedule) = (Arc::default(), ReadingSchedule::AT_ONCE);
        FactWriter { store, facts, extractor, fallback, last, schedule, access_key: None }
    }

    /// Sets when [`FactWriter::extract_due`] has a model read new turns.
    #[must_use]
    pub fn with_schedule(self, schedule: ReadingSchedule) -> FactWriter {
        FactWriter { schedule, ..self }
    }

    /// Returns a copy of this writer that books the calls of models to an API key too.
    #[must_use]
    pub fn for_key(&self, access_key: Option<Arc<str>>) -> FactWriter {
        FactWriter { access_key, ..self.clone() }
    }

    /// Reads all turns of an agent that were not read yet, unless the pipeline has to wait, and brings its table of facts up to
    /// date. Calls `progress` with the number of turns after each section. The caller holds the lock of the agent's facts, or
    /// is the only one that writes them.
    pub async fn extract(
        &self,
        agent: &Agent,
        now: Timestamp,
        progress: &(dyn Fn(u64) + Sync),
    ) -> Result<ExtractionPassed> {
        self.extract_until(agent, now, progress, &|| false).await
    }

    /// Extracts like [`FactWriter::extract`], but stops after the section at which `should_stop` returns true. The caller holds
    /// the lock of the agent's facts, or is the only one that writes them.
    pub async fn extract_until(
        &self,
        agent: &Agent,
        now: Timestamp,
        progress: &(dyn Fn(u64) + Sync),
        should_stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<ExtractionPassed> {
        self.extract_unlocked(agent, now, progress, should_stop, &AlreadyHeld).await
    }

    /// Extracts like [`FactWriter::extract_until`], but takes the lock only to save and to write the table of facts, not while
    /// an extractor reads. Two concurrent calls for one agent would pay for the same answers twice.
    pub async fn extract_unlocked(
        &self,
        agent: &Agent,
        now: Timestamp,
        progress: &(dyn Fn(u64) + Sync),
        should_stop: &(dyn Fn() -> bool + Sync),
        lock: &dyn WriteLock,
    ) -> Result<ExtractionPassed> {
        self.extract_by(ReadingSchedule::AT_ONCE, (agent, now), progress, should_stop, lock).await
    }

    /// Extracts like [`FactWriter::extract_unlocked`], but leaves turns that are not due by the schedule, unless the extractor
    /// is local.
    pub async fn extract_due(
        &self,
        agent: &Agent,
        now: Timestamp,
        should_stop: &(dyn Fn() -> bool + Sync),
        lock: &dyn WriteLock,
    ) -> Result<ExtractionPassed> {
        self.extract_by(self.schedule, (agent, now), &|_| (), should_stop, lock).await
    }

    async fn extract_by(
        &self,
        schedule: ReadingSchedule,
        (agent, now): (&Agent, Timestamp),
        progress: &(dyn Fn(u64) + Sync),
        should_stop: &(dyn Fn() -> bool + Sync),
        lock: &dyn WriteLock,
    ) -> Result<ExtractionPassed> {
        self.bring_facts_locked(agent, lock).await?;
        let mut pass = self.begin(agent, now, lock).await?;
        if !self.extractor.is_local(&pass.settings) {
            pass.schedule = schedule;
        }
        while pass.sum.waiting.is_none() && self.extract_batch(&mut pass, progress, should_stop).await? {
            if !self.extractor.is_local(&pass.settings) {
                // A model gets the known facts as input. The rules need no fresh table, and folding takes longer than they do.
                self.bring_facts_locked(agent, lock).await?;
            }
        }
        self.bring_facts_locked(agent, lock).await?;
        Ok(pass.sum)
    }

    async fn bring_facts_locked(&self, agent: &Agent, lock: &dyn WriteLock) -> Result<()> {
        let _guard = lock.acquire(agent).await;
        self.bring_facts(agent).await?;
        Ok(())
    }

    async fn begin<'a>(&self, agent: &'a Agent, now: Timestamp, lock: &'a dyn WriteLock) -> Result<Pass<'a>> {
        let watermark = self.store.extraction(agent).await?;
        let overdue = watermark.failing_since.is_some_and(|since| now.duration_since(since) >= MAX_OUTAGE);
        let held = if is_held(&watermark, now) { watermark.last_error } else { None };
        let (fallback_reason, waiting) = if overdue { (held, None) } else { (None, held) };
        let settings = self.store.settings(agent).await?;
        let sum = ExtractionPassed { waiting, ..ExtractionPassed::default() };
        Ok(Pass { agent, settings, now, overdue, fallback_reason, lock, schedule: ReadingSchedule::AT_ONCE, sum })
    }

    /// Reads the next changes. Returns false if there are none, or if the pass ends here: a section is not due, the pipeline
    /// waits, `MAX_STALE_ANSWERS` results were stale, or `should_stop` returned true.
    async fn extract_batch(
        &self,
        pass: &mut Pass<'_>,
        progress: &(dyn Fn(u64) + Sync),
        should_stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<bool> {
        let after = self.store.extraction(pass.agent).await?.extracted;
        let changes = self.store.changes(pass.agent, Grain::Working, after, BATCH).await?;
        let Some(last) = changes.last().map(Change::seq) else { return Ok(false) };
        let memories = self.last_memories(pass.agent, after, &changes).await?;
        let turns: Vec<Memory> = changes.into_iter().filter_map(turn).collect();
        let sections = sections(tasks(turns, &memories.seen), last);
        let done = self.read_sections(pass, &memories.seen, sections, progress, should_stop).await;
        if done.is_ok() {
            self.last.keep(pass.agent, memories);
        }
        done
    }

    /// Reads and saves the sections of a batch. Returns whether the pass continues.
    async fn read_sections(
        &self,
        pass: &mut Pass<'_>,
        seen: &SeenSentences,
        sections: Vec<Section>,
        progress: &(dyn Fn(u64) + Sync),
        should_stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<bool> {
        for section in sections {
            if !section.is_due(pass.schedule, pass.now) {
                return Ok(false);
            }
            let read = self.read_section(pass, seen, &section).await?;
            if !self.save_section(pass, &section, read).await? {
                return Ok(pass.sum.waiting.is_none() && pass.sum.stale < MAX_STALE_ANSWERS);
            }
            let turns = section.tasks.iter().map(|task| task.spoken.len() as u64).sum();
            pass.sum.turns += turns;
            progress(turns);
            if should_stop() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Saves the result of a section under the lock. Returns false if it was not saved to the end, because the pipeline has to
    /// wait, the input changed meanwhile, or another pass read the same turns.
    async fn save_section(&self, pass: &mut Pass<'_>, section: &Section, read: Read) -> Result<bool> {
        let _guard = pass.lock.acquire(pass.agent).await;
        if !(pass.lock.is_held() || self.are_current(pass.agent, &section.tasks, &read.inputs).await?) {
            pass.sum.stale += 1;
            return Ok(false);
        }
        match read.outcome {
            Outcome::Found(pieces) => {
                for piece in pieces {
                    match self.store.save_extraction(pass.agent, piece.clone(), pass.now).await {
                        Ok(()) => pass.sum.count(&piece),
                        // Another pass read these turns too. The remaining turns are read again.
                        Err(Error::Stale { .. }) => {
                            pass.sum.stale += 1;
                            return Ok(false);
                        }
                        Err(error) => return Err(error),
                    }
                }
                Ok(true)
            }
            Outcome::Wait(Pause { reason, until }) => {
                if let Some(until) = until {
                    self.store.note_extraction_failure(pass.agent, &reason, until, pass.now).await?;
                }
                pass.sum.waiting = Some(reason);
                Ok(false)
            }
        }
    }
}

impl ExtractionPassed {
    pub(crate) fn count(&mut self, piece: &Extraction) {
        self.operations += piece.found.operations.len() as u64;
        self.statements += piece.found.statements.len() as u64;
        self.rejected += piece.found.rejected.len() as u64;
        self.degraded += if piece.degraded.is_some() { piece.turns.len() as u64 } else { 0 };
    }
}

fn turn(change: Change) -> Option<Memory> {
    match change {
        Change::Upsert(memory) if memory.kind() == Kind::Turn => Some(memory),
        _ => None,
    }
}

/// Returns whether the model must not be called yet. A failure dated in the future was recorded under a clock that was ahead,
/// and is ignored. A failure dated in the past stops the pipeline for [`MAX_OUTAGE`] at most; then the fallback reads.
fn is_held(watermark: &ExtractionWatermark, now: Timestamp) -> bool {
    watermark.not_before.is_some_and(|until| until > now) && watermark.failing_since.is_none_or(|since| since <= now)
}

#[cfg(test)]
mod tests;
