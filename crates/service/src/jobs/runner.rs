//! Runs one job, never twice at the same time. Any number of wake-ups during a run cause exactly one more run.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use annals_core::{Error, Result, Timestamp};
use futures::FutureExt;
use tokio::sync::{Notify, watch};
use tokio_util::sync::CancellationToken;

use super::{MomentClock, Report, Task};

/// The outcome of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The run ended; parts of it may have failed.
    Done(Report),
    /// The run failed as a whole or panicked, with the reason.
    Failed(String),
}

/// The runs of a job since the service started.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Runs {
    pub begun: u64,
    /// The number of runs that have ended: the same, or one less during a run.
    pub ended: u64,
    /// When the last run began; `None` before the first.
    pub last_start: Option<Timestamp>,
    /// When the last run that has ended did so; `None` before the first end.
    pub last_end: Option<Timestamp>,
    /// The outcome of the last run that has ended; `None` before the first end.
    pub outcome: Option<Outcome>,
}

impl Runs {
    pub fn is_running(&self) -> bool {
        self.begun > self.ended
    }
}

/// A job with the state of its runs.
pub(super) struct Runner {
    name: String,
    task: Arc<dyn Task>,
    /// Length of a run after which its cancellation token is cancelled.
    within: Duration,
    clock: MomentClock,
    wake_up: Notify,
    runs: watch::Sender<Runs>,
}

impl Runner {
    pub(super) fn new(name: &str, task: Arc<dyn Task>, within: Duration, clock: MomentClock) -> Runner {
        Runner {
            name: name.to_owned(),
            task,
            within,
            clock,
            wake_up: Notify::new(),
            runs: watch::Sender::new(Runs::default()),
        }
    }

    /// Starts a run, or another run after the one under way.
    pub(super) fn wake(&self) {
        // `Notify` stores at most one wake-up.
        self.wake_up.notify_one();
    }

    pub(super) fn runs(&self) -> Runs {
        self.runs.borrow().clone()
    }

    /// Starts a run and waits for the end of a run that began after this call. Fails if the service shuts down first.
    pub(super) async fn run_now(&self, stop: &CancellationToken) -> Result<Outcome> {
        let mut runs = self.runs.subscribe();
        let wanted = runs.borrow_and_update().begun + 1;
        self.wake();
        tokio::select! {
            ended = runs.wait_for(|runs| runs.ended >= wanted) => {
                let outcome = ended.ok().and_then(|runs| runs.outcome.clone());
                outcome.ok_or_else(|| Error::unavailable("running a job", "the service is shutting down"))
            }
            () = stop.cancelled() => Err(Error::unavailable("running a job", "the service is shutting down")),
        }
    }

    /// Runs the job at each wake-up until `stop` is cancelled. This also cancels the token of a run under way, and waits for
    /// its end.
    pub(super) async fn work(&self, stop: CancellationToken) {
        loop {
            tokio::select! {
                biased;
                () = stop.cancelled() => return,
                () = self.wake_up.notified() => self.run(&stop).await,
            }
        }
    }

    async fn run(&self, stop: &CancellationToken) {
        let moment = (self.clock)();
        self.runs.send_modify(|runs| {
            runs.begun += 1;
            runs.last_start = Some(moment.now);
        });
        let should_stop = stop.child_token();
        let pass = AssertUnwindSafe(self.task.run(moment, &should_stop)).catch_unwind();
        let outcome = match run_within(pass, &should_stop, self.within).await {
            Ok(Ok(report)) => Outcome::Done(report),
            Ok(Err(error)) => Outcome::Failed(error.to_string()),
            // The job panicked, which is a bug. The panic hook has logged the cause, and the job runs again at the next
            // wake-up.
            Err(_) => Outcome::Failed("it panicked".into()),
        };
        self.log(&outcome);
        let end = (self.clock)().now;
        self.runs.send_modify(|runs| {
            runs.ended += 1;
            runs.last_end = Some(end);
            runs.outcome = Some(outcome);
        });
    }

    fn log(&self, outcome: &Outcome) {
        let job = self.name.as_str();
        match outcome {
            Outcome::Done(report) if report.failures > 0 => {
                tracing::warn!(
                    job.name = job,
                    job.failures = report.failures,
                    job.done = report.done,
                    "a job finished with failures"
                );
            }
            Outcome::Done(report) if report.done.is_empty() => {
                tracing::debug!(job.name = job, "a job had nothing to do");
            }
            Outcome::Done(report) => tracing::info!(job.name = job, job.done = report.done, "a job ran"),
            Outcome::Failed(error) => tracing::error!(job.name = job, %error, "a job failed; it is retried"),
        }
    }
}

/// Waits for the end of a pass. If it takes longer than `within`, cancels `should_stop` and goes on waiting.
async fn run_within<T>(pass: impl Future<Output = T>, should_stop: &CancellationToken, within: Duration) -> T {
    let mut pass = std::pin::pin!(pass);
    tokio::select! {
        outcome = &mut pass => outcome,
        () = tokio::time::sleep(within) => {
            should_stop.cancel();
            pass.await
        }
    }
}
