//! The scheduled jobs that need files and stores: compaction, verification, backup. Each writes the time of its last run into the
//! data folder, so that a restart does not repeat weekly work.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use annals_core::ports::TableStats;
use annals_core::{Agent, Error, Grain, Result, SignedDuration, Timestamp};
use annals_server::config::BackupConfig;
use annals_service::jobs::{Alarm, Jobs, Moment, Pass, Report, RetentionTask, RollUpTask, Task, Timing};
use annals_service::metrics::Metrics;
use annals_service::{Service, Verified};
use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

use crate::commands::backup::{Source, Target, prune, take};
use crate::config::Config;
use crate::folder::Folder;
use crate::view::plural;

/// If the last run is longer ago than this, the job runs at the start of the service.
const A_DAY: SignedDuration = SignedDuration::from_hours(25);
const A_WEEK: SignedDuration = SignedDuration::from_hours(7 * 24 + 1);

/// Returns the jobs of a folder with their schedules.
pub(crate) fn alarms(folder: &Folder, config: &Config) -> Result<Vec<Alarm>> {
    let jobs = Jobs::in_folder(&folder.path().join("jobs"))?;
    let service = folder.service();
    let pass = Pass::of(service);
    let rollup = RollUpTask { pass: pass.clone(), agents_at_once: jobs.rollup.agents_at_once };
    let retention = RetentionTask { pass, agents_at_once: jobs.retention.agents_at_once };
    let backup = Backup { folder: folder.clone(), config: config.backup.clone(), file: config.file.clone() };
    let backup_timing = Timing { enabled: jobs.backup.enabled && config.backup.target.is_some(), ..jobs.backup };
    let alarm = |name, timing, every, task| alarm(folder, name, timing, every, task);
    Ok(vec![
        alarm("rollup", jobs.rollup.timing, None, Arc::new(rollup) as Arc<dyn Task>),
        alarm("retention", jobs.retention.timing, None, Arc::new(retention)),
        alarm("compaction", jobs.compaction, Some(A_DAY), Arc::new(Compaction(service.clone()))),
        alarm("verification", jobs.verification, Some(A_WEEK), Arc::new(Verification(service.clone()))),
        alarm("backup", backup_timing, Some(A_DAY), Arc::new(backup)),
    ])
}

/// Builds the alarm of one job. A job with an interval `every` runs at the start only if its last run is longer ago than that.
/// The other jobs determine themselves what is due, so they always run at the start.
fn alarm(
    folder: &Folder,
    name: &'static str,
    timing: Timing,
    every: Option<SignedDuration>,
    task: Arc<dyn Task>,
) -> Alarm {
    let note = every.map(|_| folder.path().join("done").join(name));
    let last = note.as_deref().and_then(last);
    let now = folder.service().now();
    // A last run in the future was recorded under a clock that was ahead.
    let catch_up = last.zip(every).is_none_or(|(last, every)| last > now || now.duration_since(last) > every);
    let task = Arc::new(RecordedJob { name, note, metrics: folder.service().metrics().clone(), task });
    Alarm { name: name.to_owned(), timing, task, catch_up }
}

/// A task that also records metrics, and writes the time of a completed run to a file.
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

/// Compacts every table by joining small fragments.
struct Compaction(Service);

#[async_trait]
impl Task for Compaction {
    async fn run(&self, _: Moment, stop: &CancellationToken) -> Result<Report> {
        let mut tidied = 0;
        let mut worst = [TableStats::default(); 6];
        let mut last = None;
        while let Some(agent) = self.0.next_agent(last.as_ref()).await? {
            for (grain, worst) in Grain::ALL.into_iter().zip(&mut worst) {
                if stop.is_cancelled() {
                    return Ok(Report {
                        done: format!("{tidied} tables compacted before the job was stopped"),
                        failures: 0,
                    });
                }
                let table_stats = self.0.compact(&agent, grain).await?;
                worst.versions = worst.versions.max(table_stats.versions);
                worst.fragments = worst.fragments.max(table_stats.fragments);
                tidied += 1;
            }
            last = Some(agent);
        }
        for (grain, worst) in Grain::ALL.into_iter().zip(worst) {
            self.0.metrics().tables(grain, worst.versions, worst.fragments);
        }
        Ok(Report { done: format!("{tidied} tables compacted"), failures: 0 })
    }
}

/// Verifies all stores against the catalog. Rebuilds tables that differ from it; faults that need a person count as failures.
struct Verification(Service);

#[async_trait]
impl Task for Verification {
    async fn run(&self, moment: Moment, stop: &CancellationToken) -> Result<Report> {
        let faults = self.0.check_catalog().await?;
        for fault in &faults {
            tracing::error!(fault, "the catalog failed its integrity check");
        }
        let (mut failures, mut checked, mut repaired) = (faults.len() as u64, 0, 0);
        let mut last = None;
        while let Some(agent) = self.0.next_agent(last.as_ref()).await? {
            if stop.is_cancelled() {
                break;
            }
            let found = self.0.verify(&agent, moment.now).await?;
            failures += found.gaps.len() as u64;
            repaired += u64::from(!found.tables_are_sound());
            checked += 1;
            log(&agent, &found);
            self.0.rebuild_damaged(&agent, &found, moment.now).await?;
            last = Some(agent);
        }
        Ok(Report { done: format!("{} checked, {repaired} repaired", plural(checked, "agent")), failures })
    }
}

fn log(agent: &Agent, found: &Verified) {
    let Verified { gaps, tables, facts_differ, .. } = found;
    if !gaps.is_empty() {
        let why = "days are missing from the summaries that should cover them";
        tracing::error!(agent.folder = agent.folder(), gaps = gaps.len(), "{why}");
    }
    if !found.tables_are_sound() {
        let why = "tables do not match the catalog; they are rebuilt";
        tracing::error!(agent.folder = agent.folder(), rows = tables.len(), facts_differ, "{why}");
    }
}

/// Backs up what cannot be rebuilt to the configured target.
struct Backup {
    folder: Folder,
    config: BackupConfig,
    file: Option<PathBuf>,
}

#[async_trait]
impl Task for Backup {
    async fn run(&self, moment: Moment, stop: &CancellationToken) -> Result<Report> {
        let path = self.folder.path();
        let missing = || Error::invalid("backup.target", "is not set in annals.toml");
        let target = Target::to_write(self.config.target.as_deref().ok_or_else(missing)?, path)?;
        let source = Source { catalog: &**self.folder.catalog(), data: path, config: self.file.as_deref() };
        let (name, manifest) = take(&source, &target, moment.now, stop).await?;
        self.folder.service().metrics().backed_up(moment.now);
        let removed = match self.config.keep {
            Some(keep) => prune(&target, keep, moment.now).await?.len(),
            None => 0,
        };
        Ok(Report { done: format!("{name}: {} bytes, {removed} older backups removed", manifest.bytes()), failures: 0 })
    }
}
