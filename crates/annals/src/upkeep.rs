//! The jobs that need files and stores: compaction, verification, backup. Each leaves the moment of its last run in the data
//! folder, so that a restart does not do the week's work again.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use annals_core::ports::Table;
use annals_core::{Error, Grain, Result, SignedDuration, Timestamp};
use annals_server::Service;
use annals_server::jobs::{Alarm, Jobs, Moment, Pass, Report, RetentionTask, RollUpTask, Task, Timing};
use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

use crate::commands::backup::{Source, Target, prune, take};
use crate::config::Config;
use crate::folder::Folder;

/// What was not done for so long is caught up at the start.
const A_DAY: SignedDuration = SignedDuration::from_hours(25);
const A_WEEK: SignedDuration = SignedDuration::from_hours(7 * 24 + 1);

/// The jobs of a folder, and when they wake up.
pub fn alarms(folder: &Folder, config: &Config) -> Result<Vec<Alarm>> {
    let jobs = Jobs::in_folder(&folder.path.join("jobs"))?;
    let pass = Pass::of(&folder.service);
    let rollup = RollUpTask { pass: pass.clone(), agents_at_once: jobs.rollup.agents_at_once };
    let retention = RetentionTask { pass, agents_at_once: jobs.retention.agents_at_once };
    let now = folder.service.now();
    let seldom = |name: &str, every: SignedDuration, task: Arc<dyn Task>| {
        let place = folder.path.join("done").join(name);
        let catch_up = last(&place).is_none_or(|last| now.duration_since(last) > every);
        (catch_up, Arc::new(Noted { place, task }) as Arc<dyn Task>)
    };
    let (service, path) = (folder.service.clone(), folder.path.clone());
    let compaction = seldom("compaction", A_DAY, Arc::new(Compaction(service.clone())));
    let verification = seldom("verification", A_WEEK, Arc::new(Verification(service)));
    let target = config.backup.target.clone();
    let backup_timing = Timing { enabled: jobs.backup.enabled && target.is_some(), ..jobs.backup };
    let copy =
        Backup { folder: folder.clone(), data: path, target, keep: config.backup.keep, config: config.file.clone() };
    let backup = seldom("backup", A_DAY, Arc::new(copy));
    let alarm = |name: &str, timing, (catch_up, task)| Alarm { name: name.to_owned(), timing, task, catch_up };
    Ok(vec![
        alarm("rollup", jobs.rollup.timing, (true, Arc::new(rollup) as Arc<dyn Task>)),
        alarm("retention", jobs.retention.timing, (true, Arc::new(retention))),
        alarm("compaction", jobs.compaction, compaction),
        alarm("verification", jobs.verification, verification),
        alarm("backup", backup_timing, backup),
    ])
}

/// A task that leaves a note when it was done.
struct Noted {
    place: PathBuf,
    task: Arc<dyn Task>,
}

fn last(place: &Path) -> Option<Timestamp> {
    std::fs::read_to_string(place).ok()?.trim().parse().ok()
}

#[async_trait]
impl Task for Noted {
    async fn run(&self, moment: Moment, stop: &CancellationToken) -> Result<Report> {
        let report = self.task.run(moment, stop).await?;
        if !stop.is_cancelled() {
            let note = || {
                std::fs::create_dir_all(self.place.parent().unwrap_or(Path::new(".")))?;
                std::fs::write(&self.place, moment.now.to_string())
            };
            note().map_err(|cause| Error::storage(format!("writing {}", self.place.display()), cause))?;
        }
        Ok(report)
    }
}

/// Joins small pieces of every table.
struct Compaction(Service);

#[async_trait]
impl Task for Compaction {
    async fn run(&self, _: Moment, stop: &CancellationToken) -> Result<Report> {
        let mut tidied = 0;
        for agent in self.0.catalog.agents().await? {
            for grain in Grain::ALL {
                if stop.is_cancelled() {
                    return Ok(Report { done: format!("{tidied} tables compacted, not all"), failures: 0 });
                }
                let _writing = self.0.writing(&agent).await;
                let generation = self.0.catalog.lane(&agent, grain).await?.generation;
                self.0.strata.tidy(&Table { agent: agent.clone(), grain, generation }).await?;
                tidied += 1;
            }
        }
        Ok(Report { done: format!("{tidied} tables compacted"), failures: 0 })
    }
}

/// Reads everything back. A table that is not what the catalog says is built anew; what only a person can mend is a failure.
struct Verification(Service);

#[async_trait]
impl Task for Verification {
    async fn run(&self, moment: Moment, stop: &CancellationToken) -> Result<Report> {
        let faults = self.0.catalog.check().await?;
        for fault in &faults {
            tracing::error!(fault, "the catalog is not sound");
        }
        let (mut failures, mut checked, mut mended) = (faults.len() as u64, 0, 0);
        for agent in self.0.catalog.agents().await? {
            if stop.is_cancelled() {
                break;
            }
            let gaps = self.0.summarizer.coverage(&agent, moment.now).await?.len() as u64;
            if gaps > 0 {
                tracing::warn!(
                    agent.folder = agent.folder(),
                    gaps,
                    "days are not in the summaries that should tell of them"
                );
            }
            failures += gaps;
            let _reading = self.0.reading(&agent).await;
            let _writing = self.0.writing(&agent).await;
            if self.0.fact_writer.facts_differ(&agent).await? {
                self.0.fact_writer.refold(&agent).await?;
                mended += 1;
            }
            let discrepancies = self.0.writer.audit(&agent).await?;
            if !discrepancies.is_empty() {
                tracing::error!(
                    agent.folder = agent.folder(),
                    rows = discrepancies.len(),
                    "tables are not what the catalog says"
                );
                for grain in Grain::ALL {
                    self.0.writer.rebuild(&agent, grain, moment.now, &|_| ()).await?;
                }
                mended += 1;
            }
            checked += 1;
        }
        Ok(Report { done: format!("{checked} agents checked, {mended} mended"), failures })
    }
}

/// Copies what cannot be made anew to another place.
struct Backup {
    folder: Folder,
    data: PathBuf,
    target: Option<String>,
    keep: Option<u32>,
    config: Option<PathBuf>,
}

#[async_trait]
impl Task for Backup {
    async fn run(&self, moment: Moment, _: &CancellationToken) -> Result<Report> {
        let missing = || Error::invalid("backup.target", "is not set in annals.toml");
        let target = Target::to_write(self.target.as_deref().ok_or_else(missing)?, &self.data)?;
        let source = Source { catalog: &self.folder.sqlite, data: &self.data, config: self.config.as_deref() };
        let (name, manifest) = take(&source, &target, moment.now).await?;
        let removed = match self.keep {
            Some(keep) => prune(&target, keep, moment.now).await?.len(),
            None => 0,
        };
        Ok(Report { done: format!("{name}: {} bytes, {removed} older ones removed", manifest.bytes()), failures: 0 })
    }
}
