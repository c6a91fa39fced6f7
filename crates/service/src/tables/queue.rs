//! The queue of agents with pending work, and the requests that wait for their progress.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use annals_core::retry::Backoff;
use annals_core::{Agent, SignedDuration};
use parking_lot::{Mutex, MutexGuard};
use tokio::sync::{Notify, watch};

use crate::locks::Lock;
use crate::metrics::Pipeline;

/// Maximum number of changes that a worker applies to each table of an agent before it takes the next agent. `LARGE_PIECE` is
/// for an agent that had more changes than one piece at the last time.
pub(super) const SMALL_PIECE: usize = 32;
pub(super) const LARGE_PIECE: usize = 256;

/// Pause before an agent is queued again after a failure: the disk may be full, or the embedding model unavailable. Once the
/// cause is fixed, messages wait no longer than the longest pause.
const PAUSE: Backoff = Backoff { first: SignedDuration::from_secs(2), longest: SignedDuration::from_secs(60) };

/// The agents with pending work, and the subscribers to their progress.
#[derive(Clone, Default)]
pub(crate) struct Queue(Arc<Inner>);

#[derive(Default)]
struct Inner {
    waiting: Mutex<Waiting>,
    pushed: Notify,
    /// For each agent that a request waits for, the channel that signals progress.
    progress: Mutex<HashMap<Agent, watch::Sender<()>>>,
}

#[derive(Default)]
struct Waiting {
    order: VecDeque<Agent>,
    /// The agents in `order`, for fast lookup.
    queued: HashSet<Agent>,
    /// Agents that had more changes than one piece when a worker last wrote to their tables.
    large: HashSet<Agent>,
    /// Agents with tables that a worker has just brought up to date. They may have messages to extract facts from.
    to_read: VecDeque<Agent>,
    /// Whether the next worker of kind [`Worker::Any`] extracts facts, if an agent waits for that. Extracting facts and writing
    /// tables alternate.
    reading_is_next: bool,
    /// Agents that a worker is processing. No second worker takes them, so that the other workers serve other agents.
    working: HashSet<Agent>,
    /// Agents that will be queued again when a lock is free, each with the lock.
    returning: HashSet<(Agent, Lock)>,
    /// Agents for which the last work in a pipeline failed. Each pipeline pauses apart from the other, so messages become
    /// searchable even if no facts can be written.
    failing: HashMap<(Agent, Pipeline), Failing>,
}

/// The failures of an agent in a pipeline since the last success there.
#[derive(Default)]
struct Failing {
    count: u32,
    error: String,
    /// Whether the pipeline pauses. New messages do not end the pause.
    is_paused: bool,
}

impl Waiting {
    fn take_tables(&mut self, worker: Worker) -> Option<Work> {
        let is_for =
            |agent: &Agent| !self.working.contains(agent) && (worker == Worker::Any || !self.large.contains(agent));
        let index = self.order.iter().position(is_for)?;
        let agent = self.order.remove(index)?;
        self.queued.remove(&agent);
        let size = if self.large.contains(&agent) { LARGE_PIECE } else { SMALL_PIECE };
        Some(Work::Tables(agent, size))
    }

    fn take_reading(&mut self) -> Option<Work> {
        let index = self.to_read.iter().position(|agent| !self.working.contains(agent))?;
        self.to_read.remove(index).map(Work::Reading)
    }

    fn is_paused(&self, agent: &Agent, pipeline: Pipeline) -> bool {
        self.failing.get(&(agent.clone(), pipeline)).is_some_and(|failing| failing.is_paused)
    }

    /// Removes an agent from the queue of a pipeline.
    fn remove(&mut self, agent: &Agent, pipeline: Pipeline) {
        let waiting = match pipeline {
            Pipeline::Working => &mut self.order,
            Pipeline::Extract => &mut self.to_read,
        };
        waiting.retain(|other| other != agent);
        if pipeline == Pipeline::Working {
            self.queued.remove(agent);
        }
    }
}

impl Queue {
    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.0.waiting.lock()
    }

    pub(super) fn push(&self, agent: &Agent) {
        let mut waiting = self.waiting();
        if !waiting.is_paused(agent, Pipeline::Working) && waiting.queued.insert(agent.clone()) {
            waiting.order.push_back(agent.clone());
            self.0.pushed.notify_waiters();
        }
    }

    /// Returns whether an agent waits for its tables to be written, or a worker processes an agent. The worker may also be
    /// extracting facts.
    pub(crate) fn has_work(&self) -> bool {
        let waiting = self.waiting();
        !waiting.order.is_empty() || !waiting.working.is_empty()
    }

    pub(super) async fn pop(&self, worker: Worker) -> Work {
        loop {
            let mut pushed = std::pin::pin!(self.0.pushed.notified());
            // Registers before the check, so that no notification is lost. Each push notifies all workers, because some of
            // them may not take the agent that was pushed.
            pushed.as_mut().enable();
            if let Some(work) = self.take(worker) {
                return work;
            }
            pushed.await;
        }
    }

    pub(super) fn take(&self, worker: Worker) -> Option<Work> {
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

    /// Records that a worker has finished its work for an agent, so that another worker may take the agent.
    pub(super) fn finish(&self, agent: &Agent) {
        self.waiting().working.remove(agent);
        self.0.pushed.notify_waiters();
    }

    /// Records whether more than one piece is due for an agent's tables.
    pub(super) fn note_size(&self, agent: &Agent, is_large: bool) {
        let mut waiting = self.waiting();
        if is_large {
            waiting.large.insert(agent.clone());
        } else {
            waiting.large.remove(agent);
        }
    }

    /// Queues an agent for the extraction of facts by a worker of kind [`Worker::Any`]. Does nothing if it is queued already or
    /// its extraction pauses.
    pub(super) fn push_to_read(&self, agent: &Agent) {
        let mut waiting = self.waiting();
        if !waiting.is_paused(agent, Pipeline::Extract) && !waiting.to_read.contains(agent) {
            waiting.to_read.push_back(agent.clone());
            self.0.pushed.notify_waiters();
        }
    }

    /// Marks an agent as waiting to be queued again when the lock is free. Returns false if it was marked already.
    pub(super) fn begin_return(&self, agent: &Agent, lock: Lock) -> bool {
        self.waiting().returning.insert((agent.clone(), lock))
    }

    pub(super) fn end_return(&self, agent: &Agent, lock: Lock) {
        self.waiting().returning.remove(&(agent.clone(), lock));
        self.push(agent);
    }

    /// Records that a worker failed. Returns how long the agent pauses in this pipeline. The caller ends the pause with
    /// [`Queue::end_pause`].
    pub(super) fn begin_pause(&self, agent: &Agent, pipeline: Pipeline, error: String) -> Duration {
        let mut waiting = self.waiting();
        let failing = waiting.failing.entry((agent.clone(), pipeline)).or_default();
        let pause = PAUSE.after(failing.count).unsigned_abs();
        *failing = Failing { count: failing.count.saturating_add(1), error, is_paused: true };
        // A message that arrived during the work has queued the agent again.
        waiting.remove(agent, pipeline);
        pause
    }

    pub(super) fn end_pause(&self, agent: &Agent, pipeline: Pipeline) {
        if let Some(failing) = self.waiting().failing.get_mut(&(agent.clone(), pipeline)) {
            failing.is_paused = false;
        }
        match pipeline {
            Pipeline::Working => self.push(agent),
            Pipeline::Extract => self.push_to_read(agent),
        }
    }

    /// Records that work in this pipeline succeeded. The next failure begins with the shortest pause again.
    pub(super) fn note_success(&self, agent: &Agent, pipeline: Pipeline) {
        self.waiting().failing.remove(&(agent.clone(), pipeline));
    }

    /// Returns the error of the agent's last work in this pipeline; `None` if it succeeded or there was none.
    pub(crate) fn failure(&self, agent: &Agent, pipeline: Pipeline) -> Option<String> {
        self.waiting().failing.get(&(agent.clone(), pipeline)).map(|failing| failing.error.clone())
    }

    fn progress(&self) -> MutexGuard<'_, HashMap<Agent, watch::Sender<()>>> {
        self.0.progress.lock()
    }

    /// Notifies the tasks that wait for progress of this agent.
    pub(super) fn notify(&self, agent: &Agent) {
        let mut progress = self.progress();
        if let Some(sender) = progress.get(agent)
            && sender.send(()).is_err()
        {
            progress.remove(agent);
        }
    }

    pub(super) fn subscribe(&self, agent: &Agent) -> watch::Receiver<()> {
        let mut progress = self.progress();
        progress.retain(|_, sender| sender.receiver_count() > 0);
        progress.entry(agent.clone()).or_default().subscribe()
    }
}

/// Which agents a worker takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Worker {
    /// All agents.
    Any,
    /// Agents with no more changes than one piece. A worker of this kind extracts no facts.
    Small,
}

/// A piece of work for one agent.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Work {
    /// Applies at most this many changes to each table of the agent.
    Tables(Agent, usize),
    /// Extracts facts from the agent's messages.
    Reading(Agent),
}

impl Work {
    pub(super) fn agent(&self) -> &Agent {
        match self {
            Work::Tables(agent, _) | Work::Reading(agent) => agent,
        }
    }

    pub(super) fn pipeline(&self) -> Pipeline {
        match self {
            Work::Tables(..) => Pipeline::Working,
            Work::Reading(_) => Pipeline::Extract,
        }
    }
}
