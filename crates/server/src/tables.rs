//! Makes new messages searchable as they come, and reads them for facts where that costs nothing.
//!
//! A nudge puts an agent at the end of a queue, once; workers take agents from its head and do a bounded piece of what is due,
//! so that a large import of one agent does not hold up the others. A worker waits for nobody: an agent whose locks are taken
//! comes back when they are free. What is due follows from the catalog: a nudge that is lost only makes it wait for the next
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
use crate::locks::{Guard, Lock};
use crate::metrics::Lane;

/// Batches of one table that a worker applies before the next agent has its turn.
const BATCHES: usize = 4;
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
    /// Agents that a worker is at. No second one takes them: the other workers are for the others.
    working: HashSet<Agent>,
    /// Agents that come back when a lock is free.
    returning: HashSet<Agent>,
}

impl Queue {
    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, agent: &Agent) {
        let mut waiting = self.waiting();
        if waiting.queued.insert(agent.clone()) {
            waiting.order.push_back(agent.clone());
            self.0.nudged.notify_one();
        }
    }

    async fn pop(&self) -> Agent {
        loop {
            let nudged = self.0.nudged.notified();
            if let Some(agent) = self.take() {
                return agent;
            }
            nudged.await;
        }
    }

    fn take(&self) -> Option<Agent> {
        let mut waiting = self.waiting();
        let place = waiting.order.iter().position(|agent| !waiting.working.contains(agent))?;
        let agent = waiting.order.remove(place)?;
        waiting.queued.remove(&agent);
        waiting.working.insert(agent.clone());
        if !waiting.order.is_empty() {
            // A nudge holds one wake-up: without this a second worker would sleep on.
            self.0.nudged.notify_one();
        }
        Some(agent)
    }

    /// Ends a worker's turn with an agent.
    fn finish(&self, agent: &Agent) {
        let mut waiting = self.waiting();
        waiting.working.remove(agent);
        if !waiting.order.is_empty() {
            self.0.nudged.notify_one();
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

/// What a worker came to with an agent.
enum Piece {
    Done,
    More,
    /// Somebody else holds this lock.
    Busy(Lock),
}

impl Service {
    /// Says that an agent has new messages.
    pub fn nudge(&self, agent: &Agent) {
        self.queue.push(agent);
    }

    /// Takes agents that were nudged one after the other, until it is stopped: then it ends after the piece at hand.
    pub async fn work(&self, stop: CancellationToken) {
        loop {
            let agent = tokio::select! {
                () = stop.cancelled() => return,
                agent = self.queue.pop() => agent,
            };
            let piece = self.piece(&agent).await;
            self.queue.finish(&agent);
            match piece {
                Ok(Piece::Done) => {}
                Ok(Piece::More) => self.nudge(&agent),
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
                guard = service.locks.lock(&agent, lock) => drop(guard),
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
    async fn piece(&self, agent: &Agent) -> Result<Piece> {
        let Some(tables) = self.locks.try_lock(agent, Lock::Tables) else { return Ok(Piece::Busy(Lock::Tables)) };
        let more = self.writer.project_some(agent, self.now(), BATCHES).await?;
        drop(tables);
        self.came(agent).await?;
        if more { Ok(Piece::More) } else { self.read_piece(agent).await }
    }

    /// Reads new messages for facts for a while, if that costs nothing; else only brings the table of facts up to date.
    async fn read_piece(&self, agent: &Agent) -> Result<Piece> {
        let Some(_reader) = self.locks.try_lock(agent, Lock::Extraction) else {
            return Ok(Piece::Busy(Lock::Extraction));
        };
        let Some(_facts) = self.locks.try_lock(agent, Lock::Facts) else { return Ok(Piece::Busy(Lock::Facts)) };
        if !self.extractor.is_local(&self.catalog.settings(agent).await?) {
            self.fact_writer.bring_facts(agent).await?;
            return Ok(Piece::Done);
        }
        let until = Instant::now() + READING;
        let is_over = || Instant::now() >= until;
        let passed = self.fact_writer.extract_until(agent, self.now(), &|_| (), &is_over).await?;
        self.came(agent).await?;
        Ok(if is_over() && passed.waiting.is_none() { Piece::More } else { Piece::Done })
    }

    /// Makes everything of an agent searchable.
    pub async fn make_searchable(&self, agent: &Agent, progress: &(dyn Fn(u64) + Sync)) -> Result<Projected> {
        let tables = self.locks.tables_lock(agent).await;
        self.project(agent, tables, progress).await
    }

    /// The same if nobody else writes the tables; else a worker does it once they are free.
    pub(crate) async fn make_searchable_if_free(&self, agent: &Agent) -> Result<Projected> {
        match self.locks.try_lock(agent, Lock::Tables) {
            Some(tables) => self.project(agent, tables, &|_| ()).await,
            None => {
                self.nudge(agent);
                Ok(Projected::default())
            }
        }
    }

    async fn project(&self, agent: &Agent, tables: Guard, progress: &(dyn Fn(u64) + Sync)) -> Result<Projected> {
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
        let _locks = self.locks.facts_and_tables_lock(agent).await;
        self.fact_writer.bring_facts(agent).await?;
        let places = self.writer.mend(agent, now).await?;
        tracing::error!(?places, "the damaged table was kept there");
        Ok(())
    }

    /// Reads new messages of an agent for facts, by rules or by model.
    pub async fn read_for_facts(&self, agent: &Agent, progress: &(dyn Fn(u64) + Sync)) -> Result<ExtractionPassed> {
        let reader = self.locks.lock(agent, Lock::Extraction).await;
        self.read_until(agent, reader, progress, &|| false).await
    }

    /// The same until it is `enough`, if nobody else reads them now.
    pub(crate) async fn read_for_facts_if_free(&self, agent: &Agent, enough: Enough<'_>) -> Result<ExtractionPassed> {
        match self.locks.try_lock(agent, Lock::Extraction) {
            Some(reader) => self.read_until(agent, reader, &|_| (), enough).await,
            None => Ok(ExtractionPassed::default()),
        }
    }

    async fn read_until(
        &self,
        agent: &Agent,
        reader: Guard,
        progress: &(dyn Fn(u64) + Sync),
        enough: Enough<'_>,
    ) -> Result<ExtractionPassed> {
        let facts = self.locks.for_saving(Lock::Facts);
        let passed = self.fact_writer.extract_unlocked(agent, self.now(), progress, enough, &facts).await?;
        drop(reader);
        self.drop_stale_replies(agent, passed.stale).await?;
        self.came(agent).await?;
        Ok(passed)
    }

    /// Has a model read the messages again that it could not read before.
    pub async fn reread_for_facts(&self, agent: &Agent, now: Timestamp) -> Result<ExtractionPassed> {
        let _reader = self.locks.lock(agent, Lock::Extraction).await;
        let passed = self.fact_writer.replay_unlocked(agent, now, &self.locks.for_saving(Lock::Facts)).await?;
        self.drop_stale_replies(agent, passed.stale).await?;
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
