//! Background workers that make new messages searchable, and extract facts from them if the extractor runs locally.
//!
//! [`Service::enqueue`] queues an agent, once. A worker takes the first agent that it may take and applies a bounded piece of
//! its pending changes, so that a large import of one agent does not delay others. An agent with more changes than one piece
//! counts as large until it has caught up. One worker takes no large agents and extracts no facts, so a message of another
//! agent waits for small pieces only. After a failure the agent pauses, longer each time. Extraction pauses apart from the
//! tables, so messages become searchable even if no facts can be written. Workers never wait for an agent lock: the agent is
//! queued again when the lock is free. Pending changes are found in the catalog, so a lost entry of the queue only delays an
//! agent until the next entry or the next scheduled pass. Workers never call a model to extract facts.

mod queue;

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use annals_core::{Agent, Error, Grain, Result, Timestamp};
use annals_writer::{ExtractionPassed, Projected};
use futures::FutureExt;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::Service;
use crate::jobs::ShouldStop;
use crate::locks::{Extraction, Facts, Held, Lock, Tables};
use crate::metrics::Pipeline;
use queue::Work;

pub(crate) use queue::Queue;
pub use queue::Worker;

/// How long a worker extracts facts from the messages of one agent before it takes the next agent.
const READING: Duration = Duration::from_millis(200);
/// Maximum number of batches for each table of an agent that are applied under one lock. Then the lock is free for other tasks.
/// A batch of messages takes a second or two to embed on two cores.
const PIECE: usize = 4;

/// What is left to do after a worker has processed a piece of an agent's work.
enum Piece {
    Done,
    /// More changes are due for the tables.
    More,
    /// Messages may be left to extract facts from.
    MayHaveUnread,
    /// Another task holds this lock.
    Busy(Lock),
}

impl Service {
    /// Queues an agent that has new messages. Does nothing if it is queued already or pauses after a failure.
    pub fn enqueue(&self, agent: &Agent) {
        self.queue.push(agent);
    }

    /// Processes queued agents until `stop` is cancelled; the piece under way is finished first.
    pub async fn work(&self, worker: Worker, stop: CancellationToken) {
        loop {
            let work = tokio::select! {
                () = stop.cancelled() => return,
                work = self.queue.pop(worker) => work,
            };
            self.process(&work, &stop).await;
        }
    }

    /// Does a piece of work of an agent. Queues the agent again: at once if more is due, once the lock is free if another task
    /// holds it, or after a pause if the piece failed.
    async fn process(&self, work: &Work, stop: &CancellationToken) {
        let piece = async {
            match work {
                Work::Tables(agent, size) => self.write_piece(agent, *size).await,
                Work::Reading(agent) => self.read_piece(agent).await,
            }
        };
        // A panic is a bug, which the panic hook logs. It must not end the worker, nor hold the agent for good.
        let piece = AssertUnwindSafe(piece).catch_unwind().await;
        let piece = piece.unwrap_or_else(|_| Err(Error::storage("processing new messages", "it panicked")));
        let (agent, pipeline) = (work.agent(), work.pipeline());
        if matches!(piece, Ok(Piece::Done | Piece::More | Piece::MayHaveUnread)) {
            self.queue.note_success(agent, pipeline);
        }
        match piece {
            Ok(Piece::Done) => {}
            Ok(Piece::More) => self.enqueue(agent),
            Ok(Piece::MayHaveUnread) => self.queue.push_to_read(agent),
            Ok(Piece::Busy(lock)) => self.return_when_free(agent.clone(), lock, stop),
            Err(error) => self.pause(agent, pipeline, &error, stop),
        }
        self.queue.finish(agent);
    }

    /// Logs and counts a failure, and queues the agent again after a pause.
    fn pause(&self, agent: &Agent, pipeline: Pipeline, error: &Error, stop: &CancellationToken) {
        let (part, work) = match pipeline {
            Pipeline::Working => ("project", "indexing new messages"),
            Pipeline::Extract => ("extract", "extracting facts from new messages"),
        };
        self.metrics.failed(part, error);
        tracing::error!(agent.folder = agent.folder(), %error, "{work} failed; it is retried");
        let pause = self.queue.begin_pause(agent, pipeline, with_cause(error));
        let (service, agent, stop) = (self.clone(), agent.clone(), stop.clone());
        tokio::spawn(async move {
            tokio::select! {
                () = stop.cancelled() => {}
                () = tokio::time::sleep(pause) => service.queue.end_pause(&agent, pipeline),
            }
        });
    }

    /// Queues an agent again once the lock is free.
    fn return_when_free(&self, agent: Agent, lock: Lock, stop: &CancellationToken) {
        let (service, stop) = (self.clone(), stop.clone());
        if !self.queue.begin_return(&agent, lock) {
            return;
        }
        tokio::spawn(async move {
            tokio::select! {
                () = stop.cancelled() => {}
                () = service.locks.wait_until_free(&agent, lock) => {}
            }
            service.queue.end_return(&agent, lock);
        });
    }

    /// Applies a bounded piece of the changes that are due for an agent's tables. Returns `Piece::Busy` if another task holds
    /// the lock.
    async fn write_piece(&self, agent: &Agent, size: usize) -> Result<Piece> {
        let Some(tables) = self.locks.try_lock::<Tables>(agent) else { return Ok(Piece::Busy(Lock::Tables)) };
        let more = self.parts.writer.project_some(agent, self.now(), size).await?;
        drop(tables);
        self.queue.note_size(agent, more);
        self.publish_progress(agent).await?;
        Ok(if more { Piece::More } else { Piece::MayHaveUnread })
    }

    /// Extracts facts from new messages for up to [`READING`] if the extractor runs locally; otherwise only brings the facts
    /// table up to date.
    async fn read_piece(&self, agent: &Agent) -> Result<Piece> {
        if !self.parts.extractor.is_local(&self.parts.store.settings(agent).await?) {
            // Without the lock of extraction: a pass with a model ends early if somebody waits for that lock.
            let Some(_facts) = self.locks.try_lock::<Facts>(agent) else { return Ok(Piece::Busy(Lock::Facts)) };
            self.parts.fact_writer.bring_facts(agent).await?;
            return Ok(Piece::Done);
        }
        let Some(_reader) = self.locks.try_lock::<Extraction>(agent) else {
            return Ok(Piece::Busy(Lock::Extraction));
        };
        let Some(_facts) = self.locks.try_lock::<Facts>(agent) else { return Ok(Piece::Busy(Lock::Facts)) };
        let until = Instant::now() + READING;
        let is_over = || Instant::now() >= until;
        let passed = self.parts.fact_writer.extract_until(agent, self.now(), &|_| (), &is_over).await?;
        self.publish_progress(agent).await?;
        Ok(if is_over() && passed.waiting.is_none() { Piece::MayHaveUnread } else { Piece::Done })
    }

    /// Applies all pending changes to the tables of an agent. The lock of the tables is free between pieces, so that an
    /// erasure does not wait for an import of hours.
    pub async fn make_searchable(&self, agent: &Agent, progress: &(dyn Fn(u64) + Sync)) -> Result<Projected> {
        let (mut projected, mut more) = (Projected::default(), true);
        while more {
            let tables = self.locks.lock::<Tables>(agent).await;
            more = self.project(agent, tables, progress, &mut projected).await?;
        }
        Ok(projected)
    }

    /// Applies all pending changes while the lock of the tables is free. Queues the agent if another task holds it.
    pub(crate) async fn make_searchable_if_free(&self, agent: &Agent) -> Result<Projected> {
        let (mut projected, mut more) = (Projected::default(), true);
        while more {
            let Some(tables) = self.locks.try_lock::<Tables>(agent) else {
                self.enqueue(agent);
                break;
            };
            more = self.project(agent, tables, &|_| (), &mut projected).await?;
        }
        Ok(projected)
    }

    /// Applies at most [`PIECE`] batches to each table, and adds the counts to `total`. Returns whether more is due.
    async fn project(
        &self,
        agent: &Agent,
        tables: Held<'_, Tables>,
        progress: &(dyn Fn(u64) + Sync),
        total: &mut Projected,
    ) -> Result<bool> {
        let (projected, more) = self.parts.writer.project_batches(agent, self.now(), PIECE, progress).await?;
        drop(tables);
        *total += projected;
        self.queue.note_success(agent, Pipeline::Working);
        self.publish_progress(agent).await?;
        Ok(more)
    }

    /// Rebuilds an agent's damaged tables if `error` is [`Error::Damaged`]; returns any other error. May take long, so the
    /// caller must hold no search permit.
    pub(crate) async fn mend_tables(&self, agent: &Agent, error: Error, now: Timestamp) -> Result<()> {
        let Error::Damaged { what, why } = error else { return Err(error) };
        tracing::error!(table = what, error = why, "a table is damaged; it is moved aside and rebuilt");
        let mut facts = self.locks.lock::<Facts>(agent).await;
        let _tables = facts.then::<Tables>().await;
        self.parts.fact_writer.bring_facts(agent).await?;
        let paths = self.parts.writer.rebuild_damaged(agent, now).await?;
        tracing::error!(?paths, "the damaged table was moved to these paths");
        Ok(())
    }

    /// Extracts facts from new messages of an agent, by rules or with a model.
    pub async fn read_for_facts(&self, agent: &Agent, progress: &(dyn Fn(u64) + Sync)) -> Result<ExtractionPassed> {
        self.read_for_facts_until(agent, progress, &|| false).await
    }

    /// Does the same as [`Service::read_for_facts`], but ends early once `should_stop` returns true. The function is called
    /// after each section of messages.
    pub(crate) async fn read_for_facts_until(
        &self,
        agent: &Agent,
        progress: &(dyn Fn(u64) + Sync),
        should_stop: ShouldStop<'_>,
    ) -> Result<ExtractionPassed> {
        let reader = self.locks.lock::<Extraction>(agent).await;
        self.read_until(agent, reader, progress, should_stop).await
    }

    /// Extracts facts from new messages that are due, until `should_stop` returns true or another task waits for the lock.
    /// Does nothing if another task reads the agent's messages now.
    pub(crate) async fn read_for_facts_if_free(
        &self,
        agent: &Agent,
        should_stop: ShouldStop<'_>,
    ) -> Result<ExtractionPassed> {
        let Some(reader) = self.locks.try_lock::<Extraction>(agent) else { return Ok(ExtractionPassed::default()) };
        let signal = reader.signal();
        let should_stop = || should_stop() || signal.is_waited_for();
        let passed = {
            let facts = reader.for_saving::<Facts>();
            self.parts.fact_writer.extract_due(agent, self.now(), &should_stop, &facts).await?
        };
        drop(reader);
        self.publish_progress(agent).await?;
        Ok(passed)
    }

    async fn read_until(
        &self,
        agent: &Agent,
        reader: Held<'_, Extraction>,
        progress: &(dyn Fn(u64) + Sync),
        should_stop: ShouldStop<'_>,
    ) -> Result<ExtractionPassed> {
        let passed = {
            let facts = reader.for_saving::<Facts>();
            self.fact_writer().extract_unlocked(agent, self.now(), progress, should_stop, &facts).await?
        };
        drop(reader);
        self.publish_progress(agent).await?;
        Ok(passed)
    }

    /// Extracts facts again from the messages that are dead letters of extraction, because the model failed on them.
    pub(crate) async fn reread_for_facts(&self, agent: &Agent, now: Timestamp) -> Result<ExtractionPassed> {
        let reader = self.locks.lock::<Extraction>(agent).await;
        let passed = self.fact_writer().replay_unlocked(agent, now, &reader.for_saving::<Facts>()).await?;
        Ok(passed)
    }

    /// Extracts facts from new messages of an agent now, in a background task, by rules or with a model. Without this call a
    /// model reads them in the next scheduled pass. A failure is logged.
    pub fn read_soon(&self, agent: &Agent) {
        let (service, agent) = (self.clone(), agent.clone());
        tokio::spawn(async move {
            if let Err(error) = service.read_for_facts(&agent, &|_| ()).await {
                tracing::error!(agent.folder = agent.folder(), %error, "extracting facts from new messages failed; it is retried");
            }
        });
    }

    /// Reports an agent's progress to the metrics, and notifies the tasks that wait for it.
    async fn publish_progress(&self, agent: &Agent) -> Result<()> {
        let (searchable, extracted) = self.reached(agent).await?;
        self.metrics.reached(Pipeline::Working, agent, searchable);
        self.metrics.reached(Pipeline::Extract, agent, extracted);
        self.queue.notify(agent);
        Ok(())
    }

    /// Returns two sequence numbers of the agent: up to the first its messages are searchable, up to the second they were read
    /// for facts.
    pub(crate) async fn reached(&self, agent: &Agent) -> Result<(u64, u64)> {
        let searchable = self.parts.store.watermark(agent, Grain::Working).await?.applied;
        Ok((searchable, self.parts.store.extraction(agent).await?.extracted))
    }

    /// Waits until `is_there` accepts the result of [`Service::reached`], or until the deadline has passed. Returns what was
    /// reached.
    pub(crate) async fn wait_until_reached(
        &self,
        agent: &Agent,
        deadline: Duration,
        is_there: impl Fn((u64, u64)) -> bool,
    ) -> Result<(u64, u64)> {
        let until = Instant::now() + deadline;
        let mut progress = self.queue.subscribe(agent);
        loop {
            let reached = self.reached(agent).await?;
            if is_there(reached) || tokio::time::timeout_at(until, progress.changed()).await.is_err() {
                return Ok(reached);
            }
        }
    }
}

/// Formats an error with its cause, which says what to fix.
pub(crate) fn with_cause(error: &Error) -> String {
    let cause = std::error::Error::source(error).map(|cause| format!(": {cause}")).unwrap_or_default();
    format!("{error}{cause}")
}

#[cfg(test)]
mod tests;
