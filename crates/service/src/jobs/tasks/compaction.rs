//! The job compaction: merges small fragments of tables and frees the space of replaced rows.

use annals_core::ports::TableStats;
use annals_core::{Grain, Result};
use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

use super::{Moment, Report, Task};
use crate::Service;

/// Compacts all tables of all agents in each run, and then sets the metrics of versions and fragments. A run that is stopped
/// leaves out the remaining tables and the metrics.
pub struct Compaction(pub Service);

#[async_trait]
impl Task for Compaction {
    async fn run(&self, _: Moment, stop: &CancellationToken) -> Result<Report> {
        let mut compacted = 0;
        let mut worst = [TableStats::default(); 6];
        let mut last = None;
        while let Some(agent) = self.0.next_agent(last.as_ref()).await? {
            for (grain, worst) in Grain::ALL.into_iter().zip(&mut worst) {
                if stop.is_cancelled() {
                    let done = format!("{compacted} tables compacted before the job was stopped");
                    return Ok(Report { done, failures: 0 });
                }
                let table_stats = self.0.compact(&agent, grain).await?;
                worst.versions = worst.versions.max(table_stats.versions);
                worst.fragments = worst.fragments.max(table_stats.fragments);
                compacted += 1;
            }
            last = Some(agent);
        }
        for (grain, worst) in Grain::ALL.into_iter().zip(worst) {
            self.0.metrics().tables(grain, worst.versions, worst.fragments);
        }
        Ok(Report { done: format!("{compacted} tables compacted"), failures: 0 })
    }
}
