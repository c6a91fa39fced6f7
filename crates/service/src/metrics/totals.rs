//! Gauges over all agents, read from the catalog in one read at each scrape, and the sizes of memory, disk and folders.

use std::time::{Duration, Instant};

use annals_core::ports::Totals;
use annals_core::{Grain, Result, Timestamp};
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use super::labels::{OfPipeline, OfState, OfStore};
use super::process::{bytes_of, catalog_bytes, resident_bytes};
use super::{Metrics, Pipeline, clamp};
use crate::Service;

/// Minimum interval between two measurements of folder sizes, and its multiple of the time that the last one took. Reading the
/// sizes of 100,000 files, which 10,000 agents have, takes 2.5 s.
const FOLDERS: Duration = Duration::from_secs(60);
const FOLDERS_REST: u32 = 100;
/// How long a scrape waits for a measurement. After that it shows the former sizes: Prometheus gives up after ten seconds.
const FOLDERS_WAIT: Duration = Duration::from_secs(3);

impl Service {
    /// Updates the gauges, and returns all metrics in OpenMetrics text format.
    pub async fn metrics_text(&self, now: Timestamp) -> Result<String> {
        self.metrics.show(&self.parts.store.totals(now).await?, now);
        self.measure_folders_if_due().await;
        self.metrics.0.resident.set(clamp(resident_bytes().unwrap_or_default()));
        if let Some(free) = self.disk_free() {
            self.metrics.0.disk_free.set(clamp(free));
        }
        self.metrics.0.disk_low.set(clamp(self.disk_low()));
        Ok(self.metrics.text())
    }

    /// Measures the folders, unless they were measured a short time ago or another scrape is measuring them. A measurement goes
    /// on when the scrape ends.
    async fn measure_folders_if_due(&self) {
        let Some(folder) = self.parts.folder.clone() else { return };
        let Ok(mut due) = self.metrics.0.folders_due.clone().try_lock_owned() else { return };
        let begun = Instant::now();
        if due.is_some_and(|due| begun < due) {
            return;
        }
        let stored = self.metrics.0.stored.clone();
        let measure = move || {
            let of = |store, bytes| stored.get_or_create(&OfStore { store }).set(clamp(bytes));
            of("catalog", catalog_bytes(&folder));
            of("tables", bytes_of(&folder.join("tables")));
            of("facts", bytes_of(&folder.join("facts")));
            *due = Some(Instant::now() + FOLDERS.max(FOLDERS_REST * begun.elapsed()));
        };
        // The panic hook has logged a panic already.
        let _ = timeout(FOLDERS_WAIT, spawn_blocking(measure)).await;
    }
}

impl Metrics {
    /// Sets the gauges over all agents. The wait of changes that this process has not seen before is measured from now.
    fn show(&self, sum: &Totals, now: Timestamp) {
        let (metrics, instant) = (&self.0, Instant::now());
        let unsearchable = sum.backlogs.iter().filter(|backlog| backlog.unsearchable > 0);
        metrics.waits.set(Pipeline::Working, unsearchable.map(|of| (&of.agent, of.applied + 1)), instant);
        let unread = sum.backlogs.iter().filter(|backlog| backlog.unread > 0);
        metrics.waits.set(Pipeline::Extract, unread.map(|of| (&of.agent, of.extracted + 1)), instant);
        for (grain, number) in Grain::ALL.iter().zip(sum.memories) {
            metrics.memories.get_or_create(&(*grain).into()).set(clamp(number));
        }
        let due_for = sum.due_since.map_or(0, |since| now.as_second() - since.as_second());
        for (pipeline, number, seconds) in [
            ("working", sum.unsearchable(), metrics.waits.longest(Pipeline::Working, instant).as_secs_f64()),
            ("extract", sum.unread(), metrics.waits.longest(Pipeline::Extract, instant).as_secs_f64()),
            ("rollup", sum.due, f64::from(i32::try_from(due_for).unwrap_or(i32::MAX))),
        ] {
            metrics.pipeline_messages.get_or_create(&OfPipeline { pipeline }).set(clamp(number));
            metrics.pipeline_age.get_or_create(&OfPipeline { pipeline }).set(seconds);
        }
        for (state, number) in
            [("due", sum.due), ("failed", sum.failed), ("degraded", sum.degraded), ("stale", sum.stale)]
        {
            metrics.periods.get_or_create(&OfState { state }).set(clamp(number));
        }
        metrics.dead_letters.set(clamp(sum.dead_letters));
    }
}
