//! The scheduled jobs of a service, and the outcome of their runs.

use annals_core::Timestamp;
use serde::{Deserialize, Serialize};

use crate::jobs::{JobStatus, Outcome};

/// A scheduled job, with the last of its runs.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct JobView {
    /// Name of the job: the name of its file in `jobs/`, without `.toml`.
    pub name: String,
    /// Whether the job runs by its schedule. A job that is off can still be run on request.
    pub enabled: bool,
    /// When the job runs: a cron expression in UTC.
    pub wake: String,
    /// Minutes after which a run begins no further work.
    pub minutes: u16,
    /// When the job runs next. Null if the job is off.
    pub next_wake: Option<Timestamp>,
    /// Whether a run is under way.
    pub running: bool,
    /// Number of runs that have ended since the service started.
    pub runs: u64,
    /// When the last run began. Null before the first since the service started.
    pub last_start: Option<Timestamp>,
    /// When the last run that has ended did so. Null before the first end since the service started.
    pub last_end: Option<Timestamp>,
    /// Outcome of the last run that ended. Null before the first end since the service started.
    pub outcome: Option<OutcomeView>,
}

/// Outcome of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum OutcomeView {
    /// The run ended; parts of it may have failed.
    Done {
        /// What was done; empty if there was nothing to do.
        done: String,
        /// Number of failures in the run. The log of the service describes them.
        failures: u64,
    },
    /// The run failed as a whole.
    Failed {
        /// Why it failed.
        error: String,
    },
}

/// A run on request.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct JobRunView {
    /// Name of the job: the name of its file in `jobs/`, without `.toml`.
    pub job: String,
    pub outcome: OutcomeView,
}

impl From<&JobStatus> for JobView {
    fn from(status: &JobStatus) -> JobView {
        let JobStatus { name, timing, runs, next_wake } = status;
        JobView {
            name: name.clone(),
            enabled: timing.enabled,
            wake: timing.wake.clone(),
            minutes: timing.minutes,
            next_wake: *next_wake,
            running: runs.is_running(),
            runs: runs.ended,
            last_start: runs.last_start,
            last_end: runs.last_end,
            outcome: runs.outcome.as_ref().map(OutcomeView::from),
        }
    }
}

impl From<&Outcome> for OutcomeView {
    fn from(outcome: &Outcome) -> OutcomeView {
        match outcome {
            Outcome::Done(report) => OutcomeView::Done { done: report.done.clone(), failures: report.failures },
            Outcome::Failed(error) => OutcomeView::Failed { error: error.clone() },
        }
    }
}
