//! Makes new messages searchable as they come, and reads them for facts where that costs nothing.
//!
//! A nudge puts an agent at the end of a queue, once; workers take agents from its head and do a bounded piece of what is due,
//! so that a large import of one agent does not hold up the others. An agent of which more is due than a small piece is large
//! until it is done. One worker takes no large agents and leaves reading for facts to the others, so that a message of
//! somebody else waits for small pieces only, however many large agents there are. A worker waits for nobody: an agent whose
//! locks are taken comes back when they are free. What is due follows from the catalog: a nudge that is lost only makes it wait for the next
//! one, or for the next pass. Never calls a network.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use annals_core::{Agent, Error, Grain, Result, Timestamp};
use annals_writer::{ExtractionPassed, Projected};
use tokio::sync::{Notify, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::Service;
use crate::jobs::Enough;
use crate::locks::{Extraction, Facts, Held, Lock, Tables};
use crate::metrics::Lane;

/// Changes of one table that a worker applies before the next agent has its turn: of an agent that may have little to do, and of a
/// large one.
const SMALL_PIECE: usize = 32;
const LARGE_PIECE: usize = 256;
/// How long a worker reads the messages of one agent for facts before the next agent has its turn.
const READING: Duration = Duration::from_millis(200);
/// How long an agent is left alone whose tables could not be written: the disk may be full.
const PAUSE: Duration = Duration::from_secs(2);

/// The agents with something to do, and who waits for which of them.
#[derive(Clone, Default)]
pub(crate) struct Queue(Arc<Inner>);

#[derive(Default)]
struct Inner {
    waiting: Mutex<Waiting>,
    nudged: Notify,
    /// Of the agents that anybody waits for.
    progress: Mutex<HashMap<Agent, watch::Sender<()>>>,
}

#[derive(Default)]
struct Waiting {
    order: VecDeque<Agent>,
    /// The same agents.
    queued: HashSet<Agent>,
    /// Agents of which more was due than a piece, and is still.
    large: HashSet<Agent>,
    /// Agents whose tables are up to date and whose messages are to be read for facts.
    to_read: VecDeque<Agent>,
    /// Whether reading comes before tables: they take turns.
    reading_is_next: bool,
    /// Agents that a worker is at. No second one takes them: the other workers are for the others.
    working: HashSet<Agent>,
    /// Agents that come back when a lock is free.
    returning: HashSet<Agent>,
}

impl Waiting {
    fn take_tables(&mut self, worker: Worker) -> Option<Work> {
        let is_for =
            |agent: &Agent| !self.working.contains(agent) && (worker == Worker::Any || !self.large.contains(agent));
        let place = self.order.iter().position(is_for)?;
        let agent = self.order.remove(place)?;
        self.queued.remove(&agent);
        let size = if self.large.contains(&agent) { LARGE_PIECE } else { SMALL_PIECE };
        Some(Work::Tables(agent, size))
    }

    fn take_reading(&mut self) -> Option<Work> {
        let place = self.to_read.iter().position(|agent| !self.working.contains(agent))?;
        self.to_read.remove(place).map(Work::Reading)
    }
}

impl Queue {
    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, agent: &Agent) {
        let mut waiting = self.waiting();
        if waiting.queued.insert(agent.clone()) {
            waiting.order.push_back(agent.clone());
            self.0.nudged.notify_waiters();
        }
    }

    async fn pop(&self, worker: Worker) -> Work {
        loop {
            let mut nudged = std::pin::pin!(self.0.nudged.notified());
            // Whoever is woken by what another kind of worker takes sleeps on, so all are woken.
            nudged.as_mut().enable();
            if let Some(work) = self.take(worker) {
                return work;
            }
            nudged.await;
        }
    }

    fn take(&self, worker: Worker) -> Option<Work> {
        let waiting = &mut *self.waiting();
        let work = match worker {
            Worker::Small => waiting.take_tables(worker),
            Worker::Any if waiting.reading_is_next => waiting.take_reading().or_else(|| waiting.take_tables(worker)),
            Worker::Any => waiting.take_tables(worker).or_else(|| waiting.take_reading()),
        }?;
        if worker == Worker::Any {
            waiting.reading_is_next = matches!(work, Work::Tables(..));
        }
        waiting.working.insert(work.agent().clone());
        Some(work)
    }

    /// Ends a worker's turn with an agent.
    fn finish(&self, agent: &Agent) {
        self.waiting().working.remove(agent);
        self.0.nudged.notify_waiters();
    }

    /// Notes whether more is due for an agent's tables than a piece.
    fn note_size(&self, agent: &Agent, is_large: bool) {
        let mut waiting = self.waiting();
        if is_large {
            waiting.large.insert(agent.clone());
        } else {
            waiting.large.remove(agent);
        }
    }

    /// Has a worker that takes any agent read its messages.
    fn push_to_read(&self, agent: &Agent) {
        let mut waiting = self.waiting();
        if !waiting.to_read.contains(agent) {
            waiting.to_read.push_back(agent.clone());
        }
    }

    /// Whether the agent was not coming back already.
    fn begin_return(&self, agent: &Agent) -> bool {
        self.waiting().returning.insert(agent.clone())
    }

    fn end_return(&self, agent: &Agent) {
        self.waiting().returning.remove(agent);
        self.push(agent);
    }

    fn progress(&self) -> MutexGuard<'_, HashMap<Agent, watch::Sender<()>>> {
        self.0.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Wakes whoever waits for the agent, and nobody else.
    fn tell(&self, agent: &Agent) {
        let mut progress = self.progress();
        if let Some(sender) = progress.get(agent)
            && sender.send(()).is_err()
        {
            progress.remove(agent);
        }
    }

    fn subscribe(&self, agent: &Agent) -> watch::Receiver<()> {
        let mut progress = self.progress();
        progress.retain(|_, sender| sender.receiver_count() > 0);
        progress.entry(agent.clone()).or_default().subscribe()
    }
}

/// Which agents a worker takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Worker {
    /// All.
    Any,
    /// Those that are not large.
    Small,
}

/// A worker's turn with an agent.
#[derive(Debug, PartialEq, Eq)]
enum Work {
    /// To bring at most so many changes into each of its tables.
    Tables(Agent, usize),
    /// To read its messages for facts.
    Reading(Agent),
}

impl Work {
    fn agent(&self) -> &Agent {
        match self {
            Work::Tables(agent, _) | Work::Reading(agent) => agent,
        }
    }
}

/// What a worker came to with an agent.
enum Piece {
    Done,
    /// More is due for the tables.
    More,
    /// Messages are to be read for facts.
    Unread,
    /// Somebody else holds this lock.
    Busy(Lock),
}

impl Service {
    /// Says that an agent has new messages.
    pub fn nudge(&self, agent: &Agent) {
        self.queue.push(agent);
    }

    /// Takes agents that were nudged one after the other, until it is stopped: then it ends after the piece at hand.
    pub(crate) async fn work(&self, worker: Worker, stop: CancellationToken) {
        loop {
            let work = tokio::select! {
                () = stop.cancelled() => return,
                work = self.queue.pop(worker) => work,
            };
            let agent = work.agent().clone();
            let piece = match work {
                Work::Tables(_, size) => self.piece(&agent, size, worker).await,
                Work::Reading(_) => self.read_piece(&agent).await,
            };
            match &piece {
                Ok(Piece::More) => self.nudge(&agent),
                Ok(Piece::Unread) => self.queue.push_to_read(&agent),
                _ => {}
            }
            self.queue.finish(&agent);
            match piece {
                Ok(Piece::Done | Piece::More | Piece::Unread) => {}
                Ok(Piece::Busy(lock)) => self.return_when_free(agent, lock, &stop),
                Err(error) => {
                    self.metrics.failed("project", &error);
                    tracing::error!(agent.folder = agent.folder(), %error, "new messages cannot be made searchable yet");
                    self.return_after(agent, PAUSE, &stop);
                }
            }
        }
    }

    /// Has an agent come back to the queue when nobody holds the lock.
    fn return_when_free(&self, agent: Agent, lock: Lock, stop: &CancellationToken) {
        let (service, stop) = (self.clone(), stop.clone());
        if !self.queue.begin_return(&agent) {
            return;
        }
        tokio::spawn(async move {
            tokio::select! {
                () = stop.cancelled() => {}
                () = service.locks.wait_until_free(&agent, lock) => {}
            }
            service.queue.end_return(&agent);
        });
    }

    fn return_after(&self, agent: Agent, pause: Duration, stop: &CancellationToken) {
        let (service, stop) = (self.clone(), stop.clone());
        tokio::spawn(async move {
            tokio::select! {
                () = stop.cancelled() => {}
                () = tokio::time::sleep(pause) => service.nudge(&agent),
            }
        });
    }

    /// Does a bounded piece of what is due for an agent, if nobody else does.
    async fn piece(&self, agent: &Agent, size: usize, worker: Worker) -> Result<Piece> {
        let Some(tables) = self.locks.try_lock::<Tables>(agent) else { return Ok(Piece::Busy(Lock::Tables)) };
        let more = self.writer.project_some(agent, self.now(), size).await?;
        drop(tables);
        self.queue.note_size(agent, more);
        self.came(agent).await?;
        match worker {
            _ if more => Ok(Piece::More),
            Worker::Any => self.read_piece(agent).await,
            Worker::Small => Ok(Piece::Unread),
        }
    }

    /// Reads new messages for facts for a while, if that costs nothing; else only brings the table of facts up to date.
    async fn read_piece(&self, agent: &Agent) -> Result<Piece> {
        let Some(_reader) = self.locks.try_lock::<Extraction>(agent) else {
            return Ok(Piece::Busy(Lock::Extraction));
        };
        let Some(_facts) = self.locks.try_lock::<Facts>(agent) else { return Ok(Piece::Busy(Lock::Facts)) };
        if !self.extractor.is_local(&self.catalog.settings(agent).await?) {
            self.fact_writer.bring_facts(agent).await?;
            return Ok(Piece::Done);
        }
        let until = Instant::now() + READING;
        let is_over = || Instant::now() >= until;
        let passed = self.fact_writer.extract_until(agent, self.now(), &|_| (), &is_over).await?;
        self.came(agent).await?;
        Ok(if is_over() && passed.waiting.is_none() { Piece::Unread } else { Piece::Done })
    }

    /// Makes everything of an agent searchable.
    pub async fn make_searchable(&self, agent: &Agent, progress: &(dyn Fn(u64) + Sync)) -> Result<Projected> {
        let tables = self.locks.lock::<Tables>(agent).await;
        self.project(agent, tables, progress).await
    }

    /// The same if nobody else writes the tables; else a worker does it once they are free.
    pub(crate) async fn make_searchable_if_free(&self, agent: &Agent) -> Result<Projected> {
        match self.locks.try_lock::<Tables>(agent) {
            Some(tables) => self.project(agent, tables, &|_| ()).await,
            None => {
                self.nudge(agent);
                Ok(Projected::default())
            }
        }
    }

    async fn project(
        &self,
        agent: &Agent,
        tables: Held<'_, Tables>,
        progress: &(dyn Fn(u64) + Sync),
    ) -> Result<Projected> {
        let projected = self.writer.project(agent, self.now(), progress).await?;
        drop(tables);
        self.came(agent).await?;
        Ok(projected)
    }

    /// Builds an agent's damaged tables anew if `error` says that one is damaged; any other error comes back. Whoever calls this
    /// holds no permit that others wait for: it may take long.
    pub(crate) async fn mend_tables(&self, agent: &Agent, error: Error, now: Timestamp) -> Result<()> {
        let Error::Damaged { what, why } = error else { return Err(error) };
        tracing::error!(table = what, error = why, "a table is damaged; it is put aside and built anew");
        let mut facts = self.locks.lock::<Facts>(agent).await;
        let _tables = facts.then::<Tables>().await;
        self.fact_writer.bring_facts(agent).await?;
        let places = self.writer.mend(agent, now).await?;
        tracing::error!(?places, "the damaged table was kept there");
        Ok(())
    }

    /// Reads new messages of an agent for facts, by rules or by model.
    pub async fn read_for_facts(&self, agent: &Agent, progress: &(dyn Fn(u64) + Sync)) -> Result<ExtractionPassed> {
        let reader = self.locks.lock::<Extraction>(agent).await;
        self.read_until(agent, reader, progress, &|| false).await
    }

    /// The same until it is `enough`, if nobody else reads them now.
    pub(crate) async fn read_for_facts_if_free(&self, agent: &Agent, enough: Enough<'_>) -> Result<ExtractionPassed> {
        let Some(reader) = self.locks.try_lock::<Extraction>(agent) else { return Ok(ExtractionPassed::default()) };
        let signal = reader.signal();
        self.read_until(agent, reader, &|_| (), &|| enough() || signal.is_waited_for()).await
    }

    async fn read_until(
        &self,
        agent: &Agent,
        reader: Held<'_, Extraction>,
        progress: &(dyn Fn(u64) + Sync),
        enough: Enough<'_>,
    ) -> Result<ExtractionPassed> {
        let passed = {
            let facts = reader.for_saving::<Facts>();
            self.fact_writer.extract_unlocked(agent, self.now(), progress, enough, &facts).await?
        };
        drop(reader);
        self.came(agent).await?;
        Ok(passed)
    }

    /// Has a model read the messages again that it could not read before.
    pub async fn reread_for_facts(&self, agent: &Agent, now: Timestamp) -> Result<ExtractionPassed> {
        let reader = self.locks.lock::<Extraction>(agent).await;
        let passed = self.fact_writer.replay_unlocked(agent, now, &reader.for_saving::<Facts>()).await?;
        Ok(passed)
    }

    /// Has new messages of an agent read for facts without waiting for the next pass, by a model too.
    pub fn read_soon(&self, agent: &Agent) {
        let (service, agent) = (self.clone(), agent.clone());
        tokio::spawn(async move {
            if let Err(error) = service.read_for_facts(&agent, &|_| ()).await {
                tracing::error!(agent.folder = agent.folder(), %error, "new messages cannot be read for facts yet");
            }
        });
    }

    /// Tells the metrics and whoever waits how far an agent has come.
    async fn came(&self, agent: &Agent) -> Result<()> {
        let (searchable, extracted) = self.reached(agent).await?;
        self.metrics.reached(Lane::Working, agent, searchable);
        self.metrics.reached(Lane::Extract, agent, extracted);
        self.queue.tell(agent);
        Ok(())
    }

    /// The catalog sequence up to which an agent's messages are found by searches, and up to which they were read for facts.
    pub(crate) async fn reached(&self, agent: &Agent) -> Result<(u64, u64)> {
        let searchable = self.catalog.lane(agent, Grain::Working).await?.applied;
        Ok((searchable, self.journal.extraction(agent).await?.extracted))
    }

    /// Waits until `is_there` of [`Service::reached`], or the deadline. What was reached.
    pub(crate) async fn reach(
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

#[cfg(test)]
mod tests;
