//! The table of the scheduled jobs: name, schedule and body of each.
//!
//! A job with an interval writes the time of its last completed run into the data folder, so that a restart does not repeat
//! weekly work. The bodies are in `annals_service::jobs`, and in `backup.rs`.

mod backup;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use annals_core::{Error, Result, SignedDuration, Timestamp};
use annals_service::jobs::{
    Compaction, Jobs, Moment, Pass, Report, RetentionTask, RollUpTask, ScheduledJob, Task, Timing, Verification,
};
use annals_service::metrics::Metrics;
use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

use crate::config::Config;
use crate::folder::Folder;
use backup::Backup;

/// The interval of a daily job, with an hour to spare; [`A_WEEK`] is that of a weekly job. If the last run is longer ago, the
/// job runs at the start of the service.
const A_DAY: SignedDuration = SignedDuration::from_hours(25);
const A_WEEK: SignedDuration = SignedDuration::from_hours(7 * 24 + 1);

/// A row of the table [`JOBS`].
struct Job {
    name: &'static str,
    schedule: fn(&Jobs, &Config) -> Timing,
    /// The time after the last run from which a run counts as missed. A job without this time determines itself what is due, so
    /// it always runs at the start of the service.
    every: Option<SignedDuration>,
    run: fn(&Context) -> Arc<dyn Task>,
}

/// The data that the bodies of the jobs are built from.
struct Context<'c> {
    folder: &'c Folder,
    config: &'c Config,
    declared: &'c Jobs,
    /// Shared by roll-up and retention, which take turns over the same agents.
    pass: Pass,
}

const JOBS: [Job; 5] = [
    Job {
        name: "rollup",
        schedule: |declared, _| declared.rollup.timing.clone(),
        every: None,
        run: |context| {
            Arc::new(RollUpTask { pass: context.pass.clone(), agents_at_once: context.declared.rollup.agents_at_once })
        },
    },
    Job {
        name: "retention",
        schedule: |declared, _| declared.retention.timing.clone(),
        every: None,
        run: |context| {
            Arc::new(RetentionTask {
                pass: context.pass.clone(),
                agents_at_once: context.declared.retention.agents_at_once,
            })
        },
    },
    Job {
        name: "compaction",
        schedule: |declared, _| declared.compaction.clone(),
        every: Some(A_DAY),
        run: |context| Arc::new(Compaction(context.folder.service().clone())),
    },
    Job {
        name: "verification",
        schedule: |declared, _| declared.verification.clone(),
        every: Some(A_WEEK),
        run: |context| Arc::new(Verification(context.folder.service().clone())),
    },
    Job {
        name: "backup",
        schedule: |declared, config| Timing {
            enabled: declared.backup.enabled && config.backup.target.is_some(),
            ..declared.backup.clone()
        },
        every: Some(A_DAY),
        run: |context| Arc::new(Backup::new(context.folder, context.config)),
    },
];

/// Returns the jobs of a folder with their schedules.
pub(crate) fn scheduled_jobs(folder: &Folder, config: &Config) -> Result<Vec<ScheduledJob>> {
    let declared = Jobs::in_folder(&folder.path().join("jobs"))?;
    let context = Context { folder, config, declared: &declared, pass: Pass::of(folder.service()) };
    Ok(JOBS.iter().map(|job| job.scheduled(&context)).collect())
}

impl Job {
    /// Returns the job with its schedule and its task. A job with an interval runs at the start only if its last run is longer
    /// ago than the interval, is unknown, or is in the future. In a cluster it never runs at the start: another node may have
    /// run it last.
    fn scheduled(&self, context: &Context) -> ScheduledJob {
        let note = self.every.map(|_| context.folder.path().join("done").join(self.name));
        let last = note.as_deref().and_then(last);
        let now = context.folder.service().now();
        // A last run in the future was recorded under a clock that was ahead.
        let is_overdue =
            last.zip(self.every).is_none_or(|(last, every)| last > now || now.duration_since(last) > every);
        let catch_up = is_overdue && !(self.every.is_some() && context.config.cluster.node().is_some());
        let metrics = context.folder.service().metrics().clone();
        let task = Arc::new(RecordedJob { name: self.name, note, metrics, task: (self.run)(context) });
        ScheduledJob {
            name: self.name.to_owned(),
            timing: (self.schedule)(context.declared, context.config),
            task,
            catch_up,
        }
    }
}

/// A task that also records metrics. For a job with an interval, writes the time of a completed run to a file.
struct RecordedJob {
    name: &'static str,
    note: Option<PathBuf>,
    metrics: Metrics,
    task: Arc<dyn Task>,
}

#[async_trait]
impl Task for RecordedJob {
    async fn run(&self, moment: Moment, stop: &CancellationToken) -> Result<Report> {
        if let Some(synchronised) = moment.synchronised {
            self.metrics.clock_synchronised(synchronised);
        }
        let begun = Instant::now();
        let done = self.task.run(moment, stop).await.inspect_err(|error| self.metrics.failed(self.name, error));
        self.metrics.job(self.name, begun.elapsed());
        let report = done?;
        if let Some(note) = self.note.as_deref().filter(|_| !stop.is_cancelled()) {
            leave(note, moment.now)?;
        }
        Ok(report)
    }
}

fn last(note: &Path) -> Option<Timestamp> {
    std::fs::read_to_string(note).ok()?.trim().parse().ok()
}

fn leave(note: &Path, now: Timestamp) -> Result<()> {
    let write = || {
        std::fs::create_dir_all(note.parent().unwrap_or(Path::new(".")))?;
        annals_objects::replace_file(note, now.to_string().as_bytes())
    };
    write().map_err(|cause| Error::storage(format!("writing {}", note.display()), cause))
}
