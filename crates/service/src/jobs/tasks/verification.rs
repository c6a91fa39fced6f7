//! The job verification: compares the stores with the catalog and rebuilds tables that differ.

use annals_core::{Agent, Result};
use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

use super::{Moment, Report, Task};
use crate::numbers::plural;
use crate::{Service, Verified};

/// Verifies all stores in each run, and rebuilds tables that differ from the catalog. Faults that a person must repair count as
/// failures: damage of the catalog, and days that no summary covers. A run that is stopped leaves out the remaining agents.
pub struct Verification(pub Service);

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
