//! The lane `{agent}:working`: makes new messages searchable as they come, and reads them for facts where that costs nothing.
//!
//! A nudge puts an agent at the end of a queue, once; workers take agents from its head and do a bounded piece of what is due,
//! so that a large import of one agent does not hold up the others. What is due follows from the catalog: a nudge that
//! is lost only makes it wait for the next one, or for the next pass. Never calls a network.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use annals_core::{Agent, Grain, Result};
use annals_writer::{ExtractionPassed, Projected};
use tokio::sync::{Notify, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::Service;
use crate::jobs::Enough;
use crate::lanes::{Guard, Lanes};
use crate::metrics::Lane;

/// Batches of one table that a worker applies before the next agent has its turn.
const BATCHES: usize = 4;
/// How long a worker leaves an agent alone whose tables could not be written: the disk may be full.
const PAUSE: Duration = Duration::from_secs(2);

/// The queue, the locks, and who waits.
#[derive(Clone, Default)]
pub(crate) struct Tables {
    /// One writer of an agent's tables at a time.
    pub(crate) working: Lanes,
    /// One reader of an agent's new messages at a time.
    pub(crate) extract: Lanes,
    queue: Arc<Queue>,
}

#[derive(Default)]
struct Queue {
    agents: Mutex<VecDeque<Agent>>,
    nudged: Notify,
    done: watch::Sender<()>,
}

impl Queue {
    fn push(&self, agent: &Agent) {
        let mut agents = self.agents.lock().unwrap_or_else(PoisonError::into_inner);
        if !agents.contains(agent) {
            agents.push_back(agent.clone());
            self.nudged.notify_one();
        }
    }

    async fn pop(&self) -> Agent {
        loop {
            let nudged = self.nudged.notified();
            if let Some(agent) = self.agents.lock().unwrap_or_else(PoisonError::into_inner).pop_front() {
                return agent;
            }
            nudged.await;
        }
    }
}

impl Service {
    /// One at a time for an agent: whoever writes its tables waits here.
    pub async fn writing(&self, agent: &Agent) -> Guard {
        self.tables.working.enter(agent).await
    }

    /// One at a time for an agent: whoever reads its messages for facts, or writes its table of facts, waits here.
    pub async fn reading(&self, agent: &Agent) -> Guard {
        self.tables.extract.enter(agent).await
    }

    /// Says that an agent has new messages.
    pub fn nudge(&self, agent: &Agent) {
        self.tables.queue.push(agent);
    }

    /// Takes agents that were nudged one after the other, until it is stopped: then it ends after the piece at hand.
    pub async fn work(&self, stop: CancellationToken) {
        loop {
            let agent = tokio::select! {
                () = stop.cancelled() => return,
                agent = self.tables.queue.pop() => agent,
            };
            match self.piece(&agent).await {
                Ok(true) => self.nudge(&agent),
                Ok(false) => {}
                Err(error) => {
                    self.metrics.failed("project", &error);
                    tracing::error!(agent.folder = agent.folder(), %error, "new messages cannot be made searchable yet");
                    tokio::select! {
                        () = stop.cancelled() => return,
                        () = tokio::time::sleep(PAUSE) => self.nudge(&agent),
                    }
                }
            }
        }
    }

    /// Does a bounded piece of what is due for an agent. Whether more is due.
    async fn piece(&self, agent: &Agent) -> Result<bool> {
        let more = {
            let _writing = self.writing(agent).await;
            self.writer.project_some(agent, self.now(), BATCHES).await?
        };
        self.came(agent).await?;
        if !more && self.extractor.is_local(&self.catalog.settings(agent).await?) {
            self.read_for_facts(agent, &|_| ()).await?;
        }
        Ok(more)
    }

    /// Makes everything of an agent searchable.
    pub async fn make_searchable(&self, agent: &Agent, progress: &(dyn Fn(u64) + Sync)) -> Result<Projected> {
        let _writing = self.writing(agent).await;
        let projected = self.writer.project(agent, self.now(), progress).await?;
        self.came(agent).await?;
        Ok(projected)
    }

    /// Reads new messages of an agent for facts, by rules or by model.
    pub async fn read_for_facts(&self, agent: &Agent, progress: &(dyn Fn(u64) + Sync)) -> Result<ExtractionPassed> {
        self.read_for_facts_until(agent, progress, &|| false).await
    }

    /// The same, until it is `enough`.
    pub(crate) async fn read_for_facts_until(
        &self,
        agent: &Agent,
        progress: &(dyn Fn(u64) + Sync),
        enough: Enough<'_>,
    ) -> Result<ExtractionPassed> {
        let _reading = self.reading(agent).await;
        let passed = self.fact_writer.extract_until(agent, self.now(), progress, enough).await?;
        self.came(agent).await?;
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
        self.tables.queue.done.send_replace(());
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
        let mut done = self.tables.queue.done.subscribe();
        loop {
            let reached = self.reached(agent).await?;
            if is_there(reached) || tokio::time::timeout_at(until, done.changed()).await.is_err() {
                return Ok(reached);
            }
        }
    }
}
