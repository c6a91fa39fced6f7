//! Change of the embedding model: embeds the tables of all agents again with the configured model, in the background or for a
//! command.
//!
//! It starts by itself after a restart with another model in the settings: the catalog records the model of each table. It
//! works in short pieces, each under the agent's lock of the tables, and between two pieces lets new messages and searches go
//! first. A stop or a crash costs one piece. Searches use the former table until the new one is complete.

use std::sync::Arc;
use std::time::Duration;

use annals_core::{Agent, Result};
use parking_lot::Mutex;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::locks::Tables;
use crate::wire::ReembeddingView;
use crate::{ProgressSink, Service};

/// Number of changes in a piece. With the bundled model a piece takes some 200 ms, the longest time that a new message of the
/// agent waits for it.
const PIECE: usize = 32;
/// Number of changes in a piece if a user waits for a command. Larger pieces finish the whole sooner.
const LARGE_PIECE: usize = 256;
/// Maximum time that a piece waits for other work. It then runs in any case, so that a busy service re-embeds its tables too.
const MAX_WAIT: Duration = Duration::from_secs(1);
/// Interval at which a waiting piece checks whether other work has ended.
const LOOK: Duration = Duration::from_millis(20);
/// Pause after a failure: the endpoint of the model may be unavailable, or the disk full.
const PAUSE: Duration = Duration::from_secs(10);

/// Throughput of re-embedding in this process: the time of all pieces that succeeded, with the waits before them, and the
/// number of changes. Leaves out pauses after failures, which may last hours.
#[derive(Clone, Default)]
pub(crate) struct Speed(Arc<Mutex<(Duration, u64)>>);

impl Speed {
    fn count(&self, time: Duration, changes: u64) {
        let mut speed = self.0.lock();
        *speed = (speed.0 + time, speed.1 + changes);
    }

    /// Returns the estimated seconds for this many changes; `None` before any change was counted.
    fn seconds(&self, changes: u64) -> Option<u64> {
        let (time, done) = *self.0.lock();
        (done > 0).then(|| (time.as_secs_f64() / done as f64 * changes as f64).ceil() as u64)
    }
}

impl Service {
    /// Embeds all tables with vectors of another model again, until none is left or `stop` is cancelled.
    pub async fn reembed_in_background(&self, stop: CancellationToken) {
        self.reembed_retrying(stop, PAUSE).await;
    }

    /// Does the same as [`Service::reembed_in_background`], with the given pause after each failure.
    async fn reembed_retrying(&self, stop: CancellationToken, pause: Duration) {
        loop {
            let swept = tokio::select! {
                () = stop.cancelled() => return,
                swept = self.agents_of_another_model() => swept,
            };
            let failure = match swept {
                Ok(agents) if agents.is_empty() => return,
                Ok(agents) => self.reembed_all(&agents, &stop).await,
                Err(error) => Some(error),
            };
            if stop.is_cancelled() {
                return;
            }
            if let Some(error) = failure {
                self.metrics.failed("reembed", &error);
                tracing::error!(%error, "embedding tables again failed; it is retried");
                tokio::select! {
                    () = stop.cancelled() => return,
                    () = tokio::time::sleep(pause) => {}
                }
            }
        }
    }

    async fn agents_of_another_model(&self) -> Result<Vec<Agent>> {
        let agents = self.agents_to_reembed().await?;
        let mut left = 0;
        for agent in &agents {
            let state = self.parts.writer.reembedding(agent).await?;
            left += state.total - state.done;
        }
        self.metrics.left_to_embed(left);
        Ok(agents)
    }

    /// Embeds the tables of these agents again, one after another. After a failure of one agent, continues with the next.
    /// Returns the last failure.
    async fn reembed_all(&self, agents: &[Agent], stop: &CancellationToken) -> Option<annals_core::Error> {
        let model = self.parts.writer.configured_model().name;
        tracing::info!(agents = agents.len(), model, "the embedding model has changed; tables are embedded again");
        let mut failure = None;
        for agent in agents {
            loop {
                let begun = Instant::now();
                self.wait_for_quiet().await;
                if stop.is_cancelled() {
                    return failure;
                }
                match self.reembed_piece(agent, PIECE, begun).await {
                    Ok(Some(changes)) => self.metrics.embedded_again(changes),
                    Ok(None) => break,
                    Err(error) => {
                        failure = Some(error);
                        break;
                    }
                }
            }
        }
        failure
    }

    /// Embeds up to `most` changes of an agent again. Returns their number, or `None` if nothing is left. The estimate of speed
    /// counts the time since `begun`, and so the wait before the piece.
    async fn reembed_piece(&self, agent: &Agent, most: usize, begun: Instant) -> Result<Option<u64>> {
        let _tables = self.locks.lock::<Tables>(agent).await;
        let changes = self.parts.writer.reembed_some(agent, self.now(), most).await?;
        self.reembedding_speed.count(begun.elapsed(), changes.unwrap_or_default());
        Ok(changes)
    }

    /// Waits until no agent is queued, no worker processes one, and a search could begin at once, but for at most [`MAX_WAIT`].
    async fn wait_for_quiet(&self) {
        let until = Instant::now() + MAX_WAIT;
        while Instant::now() < until && (self.queue.has_work() || self.searches.available_permits() == 0) {
            tokio::time::sleep(LOOK).await;
        }
    }

    /// Embeds those tables of an agent again that have vectors of another model. Does not wait for other work. Returns the
    /// number of changes that were embedded.
    pub async fn reembed(&self, agent: &Agent, progress: &dyn ProgressSink) -> Result<u64> {
        let state = self.parts.writer.reembedding(agent).await?;
        let stage = progress.begin("embedding again", state.total - state.done);
        let mut done = 0;
        while let Some(changes) = self.reembed_piece(agent, LARGE_PIECE, Instant::now()).await? {
            stage.advance(changes);
            done += changes;
        }
        Ok(done)
    }

    /// Returns the agents with a table that is still to be embedded again.
    pub(crate) async fn agents_to_reembed(&self) -> Result<Vec<Agent>> {
        self.parts.store.agents_to_reembed(&self.parts.writer.configured_model()).await
    }

    /// Returns how far the re-embedding of an agent's tables is; `None` if all tables have vectors of the configured model.
    pub(crate) async fn reembedding(&self, agent: &Agent) -> Result<Option<ReembeddingView>> {
        let writer = &self.parts.writer;
        let state = writer.reembedding(agent).await?;
        if state.total == 0 {
            return Ok(None);
        }
        let mut missing = Vec::new();
        for model in &state.from {
            if !writer.can_open(model).await? {
                missing.push(model.clone());
            }
        }
        Ok(Some(ReembeddingView {
            from: state.from,
            to: writer.configured_model().name,
            missing,
            done: state.done,
            total: state.total,
            seconds_left: self.reembedding_speed.seconds(state.total - state.done),
        }))
    }
}

#[cfg(test)]
mod tests;
