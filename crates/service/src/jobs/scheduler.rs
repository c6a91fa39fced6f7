//! The scheduler: starts runs of jobs at the times that the files in `jobs/` declare, and does nothing else.
//!
//! tokio-cron-scheduler drops missed wake-ups, starts a job again while it still runs, and may fire twice. None of it matters
//! here. A wake-up only notifies a [`Runner`], which never runs a job twice at the same time. At the start every enabled job
//! runs once if a run may have been missed. Times are in UTC, because tokio-cron-scheduler does not follow changes of a zone's
//! offset.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use annals_core::{Error, ObjectKind, Result, Timestamp};
use parking_lot::Mutex;
use tokio::task::JoinHandle;
use tokio_cron_scheduler::job::JobId;
use tokio_cron_scheduler::{Job, JobScheduler, JobSchedulerError};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::runner::Runner;
use super::{MomentClock, Outcome, Runs, Task, Timing};

/// A job, as it is passed to [`Scheduler::start`].
pub struct ScheduledJob {
    /// Unique name: the name of the job's file, without `.toml`.
    pub name: String,
    pub timing: Timing,
    /// What a run does.
    pub task: Arc<dyn Task>,
    /// Whether the job runs once at the start; false if it is certain that no run was missed. A job that is off does not run at
    /// the start.
    pub catch_up: bool,
}

/// A job as it is scheduled now, with its runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobStatus {
    /// The name of the job's file, without `.toml`.
    pub name: String,
    pub timing: Timing,
    /// The runs since the service started.
    pub runs: Runs,
    /// The next wake-up; `None` if the job is off, or if the scheduler has none for it, as after a shutdown.
    pub next_wake: Option<Timestamp>,
}

/// Scheduled jobs, which run until [`Scheduler::shutdown`] is called or this is dropped.
pub struct Scheduler {
    jobs: BTreeMap<String, Entry>,
    cron: JobScheduler,
    stop: CancellationToken,
    workers: Mutex<Vec<(String, JoinHandle<()>)>>,
    _stop_when_dropped: DropGuard,
}

struct Entry {
    timing: Timing,
    runner: Arc<Runner>,
    /// `None` if the job is off.
    id: Option<JobId>,
}

impl Scheduler {
    /// Schedules these jobs. Wakes each job that is enabled and has `catch_up` set once now, in this order.
    pub async fn start(all: Vec<ScheduledJob>, clock: MomentClock) -> Result<Scheduler> {
        let cron = JobScheduler::new().await.map_err(|error| broken(&error))?;
        let stop = CancellationToken::new();
        let _stop_when_dropped = stop.clone().drop_guard();
        let (mut jobs, mut workers) = (BTreeMap::new(), Vec::new());
        for ScheduledJob { name, timing, task, catch_up } in all {
            let within = Duration::from_secs(60 * u64::from(timing.minutes));
            let runner = Arc::new(Runner::new(&name, task, within, clock.clone()));
            let id = if timing.enabled { Some(schedule(&cron, &timing, &runner).await?) } else { None };
            let (worker, stop) = (runner.clone(), stop.clone());
            workers.push((name.clone(), tokio::spawn(async move { worker.work(stop).await })));
            if timing.enabled && catch_up {
                runner.wake();
            }
            jobs.insert(name, Entry { timing, runner, id });
        }
        cron.start().await.map_err(|error| broken(&error))?;
        Ok(Scheduler { jobs, cron, stop, workers: Mutex::new(workers), _stop_when_dropped })
    }

    /// Runs a job now, even if it is off, and waits for the end of a run that began after this call. Fails with
    /// [`Error::NotFound`] if no job has the name.
    pub async fn run_now(&self, name: &str) -> Result<Outcome> {
        self.job(name)?.runner.run_now(&self.stop).await
    }

    /// Starts a run of a job, or one more after the run under way. Does not wait for it.
    pub fn wake(&self, name: &str) -> Result<()> {
        self.job(name)?.runner.wake();
        Ok(())
    }

    /// Returns the state of each job, ordered by name.
    pub async fn status(&self) -> Vec<JobStatus> {
        let mut status = Vec::new();
        for (name, job) in &self.jobs {
            status.push(JobStatus {
                name: name.clone(),
                timing: job.timing.clone(),
                runs: job.runner.runs(),
                next_wake: self.next_wake(job.id).await,
            });
        }
        status
    }

    /// Starts no further runs, cancels the runs under way, and waits at most `within` for their end. Returns the jobs with a
    /// run that had not ended by then. Such a run is aborted, which has the effect of a crash.
    pub async fn shutdown(&self, within: Duration) -> Vec<String> {
        self.stop.cancel();
        if let Err(error) = self.cron.clone().shutdown().await {
            tracing::warn!(%error, "the job scheduler could not be shut down; its jobs no longer run");
        }
        let workers = std::mem::take(&mut *self.workers.lock());
        let deadline = tokio::time::Instant::now() + within;
        let mut broken_off = Vec::new();
        for (name, mut worker) in workers {
            if tokio::time::timeout_at(deadline, &mut worker).await.is_err() {
                worker.abort();
                broken_off.push(name);
            }
        }
        broken_off
    }

    fn job(&self, name: &str) -> Result<&Entry> {
        self.jobs.get(name).ok_or_else(|| Error::NotFound { what: ObjectKind::Job, name: name.to_owned() })
    }

    async fn next_wake(&self, id: Option<JobId>) -> Option<Timestamp> {
        let next = self.cron.clone().next_tick_for_job(id?).await.ok()??;
        Timestamp::from_second(next.timestamp()).ok()
    }
}

/// Schedules a job: each wake-up notifies its runner.
async fn schedule(cron: &JobScheduler, timing: &Timing, runner: &Arc<Runner>) -> Result<JobId> {
    let runner = runner.clone();
    let wake = move |_, _| -> std::pin::Pin<Box<dyn Future<Output = ()> + Send>> {
        runner.wake();
        Box::pin(std::future::ready(()))
    };
    let job = Job::new_async(timing.wake.as_str(), wake)
        .map_err(|_| Error::invalid("wake", format!("is {:?}, which is not a cron expression", timing.wake)))?;
    cron.add(job).await.map_err(|error| broken(&error))
}

fn broken(error: &JobSchedulerError) -> Error {
    Error::storage("starting the job scheduler", error.to_string())
}
