//! Calls about the scheduled jobs of a service.

use annals_core::{Error, ObjectKind, Result};
use serde::{Deserialize, Serialize};

use super::{Call, Context};
use crate::jobs::Scheduler;
use crate::wire::{JobRunView, JobView};

/// Lists the jobs with their last runs. Fails in a process that runs a single command, which has none.
#[derive(Debug, Serialize, Deserialize)]
pub struct ListJobs {}

impl Call for ListJobs {
    const NAME: &'static str = "list_jobs";
    type Answer = Vec<JobView>;

    async fn run(self, context: Context<'_>) -> Result<Vec<JobView>> {
        Ok(jobs(&context)?.status().await.iter().map(JobView::from).collect())
    }
}

/// Runs a job now, whatever its schedule, and waits for its end.
#[derive(Debug, Serialize, Deserialize)]
pub struct RunJob {
    /// Name of the job's file in `jobs/`, without `.toml`.
    pub name: String,
}

impl Call for RunJob {
    const NAME: &'static str = "run_job";
    type Answer = JobRunView;

    async fn run(self, context: Context<'_>) -> Result<JobRunView> {
        let outcome = (&jobs(&context)?.run_now(&self.name).await?).into();
        Ok(JobRunView { job: self.name, outcome })
    }
}

fn jobs<'c>(context: &'c Context<'_>) -> Result<&'c Scheduler> {
    let none = || Error::NotFound { what: ObjectKind::RunningService, name: String::new() };
    context.host.jobs().ok_or_else(none)
}
