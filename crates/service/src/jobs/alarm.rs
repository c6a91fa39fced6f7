//! The alarm clock: wakes jobs at the times that their files declare, and does nothing else.
//!
//! tokio-cron-scheduler drops missed wake-ups, starts a job again while it still runs, and may fire twice. None of it matters
//! here: a wake-up only notifies a [`Runner`], which runs one pass at a time, and every enabled job runs once at the start
//! unless no run can have been missed, so that missed work is caught up. Times are in UTC, because the scheduler does not
//! follow changes of a zone's offset.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use annals_core::{Error, ObjectKind, Result, Timestamp};
use tokio::task::JoinHandle;
use tokio_cron_scheduler::job::JobId;
use tokio_cron_scheduler::{Job, JobScheduler, JobSchedulerError};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::runner::Runner;
use super::{MomentClock, Outcome, Runs, Task, Timing};

/// A job to schedule.
pub struct Alarm {
    /// The name of the job.
    pub name: String,
    /// When the job wakes up and how long it may run.
    pub timing: Timing,
    /// The body of the job.
    pub task: Arc<dyn Task>,
    /// Whether the job runs once at the start; false if it is certain that no run was missed.
    pub catch_up: bool,
}

/// The state of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobStatus {
    /// The name of the job.
    pub name: String,
    /// When the job wakes up, and whether it is enabled.
    pub timing: Timing,
    /// The runs of the job so far.
    pub runs: Runs,
    /// The next wake-up; `None` if the job is off.
    pub next_wake: Option<Timestamp>,
}

/// Scheduled jobs, which run until [`AlarmClock::shutdown`] is called or this is dropped.
pub struct AlarmClock {
    jobs: BTreeMap<String, Armed>,
    scheduler: JobScheduler,
    stop: CancellationToken,
    workers: Mutex<Vec<(String, JoinHandle<()>)>>,
    _stop_when_dropped: DropGuard,
}

struct Armed {
    timing: Timing,
    runner: Arc<Runner>,
    /// `None` if the job is off.
    id: Option<JobId>,
}

impl AlarmClock {
    /// Schedules these jobs. Wakes each job that is enabled and has `catch_up` set once now, in this order.
    pub async fn start(alarms: Vec<Alarm>, clock: MomentClock) -> Result<AlarmClock> {
        let scheduler = JobScheduler::new().await.map_err(|error| broken(&error))?;
        let stop = CancellationToken::new();
        let _stop_when_dropped = stop.clone().drop_guard();
        let (mut jobs, mut workers) = (BTreeMap::new(), Vec::new());
        for Alarm { name, timing, task, catch_up } in alarms {
            let within = Duration::from_secs(60 * u64::from(timing.minutes));
            let runner = Arc::new(Runner::new(&name, task, within, clock.clone()));
            let id = if timing.enabled { Some(arm(&scheduler, &timing, &runner).await?) } else { None };
            let (worker, stop) = (runner.clone(), stop.clone());
            workers.push((name.clone(), tokio::spawn(async move { worker.work(stop).await })));
            if timing.enabled && catch_up {
                runner.wake();
            }
            jobs.insert(name, Armed { timing, runner, id });
        }
        scheduler.start().await.map_err(|error| broken(&error))?;
        Ok(AlarmClock { jobs, scheduler, stop, workers: Mutex::new(workers), _stop_when_dropped })
    }

    /// Runs a job now, even if it is off, and waits for the end of a run that began after this call.
    pub async fn run_now(&self, name: &str) -> Result<Outcome> {
        self.job(name)?.runner.run_now(&self.stop).await
    }

    /// Wakes a job without waiting for it.
    pub fn wake(&self, name: &str) -> Result<()> {
        self.job(name)?.runner.wake();
        Ok(())
    }

    /// Returns the state of the jobs, by name.
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

    /// Starts no further runs, signals the runs under way to stop, and waits for them for at most `within`. Returns the jobs
    /// that had not ended by then; they were aborted, which has the effect of a crash.
    pub async fn shutdown(&self, within: Duration) -> Vec<String> {
        self.stop.cancel();
        if let Err(error) = self.scheduler.clone().shutdown().await {
            tracing::warn!(%error, "the job scheduler could not be shut down; its jobs no longer run");
        }
        let workers = std::mem::take(&mut *self.workers.lock().expect("no holder of the lock panics"));
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

    fn job(&self, name: &str) -> Result<&Armed> {
        self.jobs.get(name).ok_or_else(|| Error::NotFound { what: ObjectKind::Job, name: name.to_owned() })
    }

    async fn next_wake(&self, id: Option<JobId>) -> Option<Timestamp> {
        let next = self.scheduler.clone().next_tick_for_job(id?).await.ok()??;
        Timestamp::from_second(next.timestamp()).ok()
    }
}

/// Schedules a job: each wake-up notifies its runner.
async fn arm(scheduler: &JobScheduler, timing: &Timing, runner: &Arc<Runner>) -> Result<JobId> {
    let runner = runner.clone();
    let ring = move |_, _| -> std::pin::Pin<Box<dyn Future<Output = ()> + Send>> {
        runner.wake();
        Box::pin(std::future::ready(()))
    };
    let job = Job::new_async(timing.wake.as_str(), ring)
        .map_err(|_| Error::invalid("wake", format!("is {:?}, which is not a cron expression", timing.wake)))?;
    scheduler.add(job).await.map_err(|error| broken(&error))
}

fn broken(error: &JobSchedulerError) -> Error {
    Error::storage("starting the job scheduler", error.to_string())
}
