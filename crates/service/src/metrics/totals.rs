//! Gauges over all agents, read from the catalog at each scrape. A scrape reads a bounded number of agents and continues where
//! the last one ended; for other agents it uses the numbers of an earlier scrape.

use std::collections::BTreeMap;
use std::ops::AddAssign;
use std::time::{Duration, Instant};

use annals_core::{Agent, Grain, LedgerRow, Result, Timestamp, Zones};

use super::labels::{OfLane, OfState, OfStore};
use super::process::{bytes_of, catalog_bytes, resident_bytes};
use super::{Pipeline, clamp};
use crate::Service;

/// The most agents that one scrape reads: some milliseconds each on a Pi.
const AGENTS: usize = 200;
/// The least interval between two measurements of folder sizes.
const FOLDERS: Duration = Duration::from_secs(60);

/// The latest numbers of each agent.
#[derive(Default)]
pub(super) struct Totals {
    seen: BTreeMap<Agent, Numbers>,
    last: Option<Agent>,
    folders: Option<Instant>,
}

/// The numbers of one agent, or of all agents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Numbers {
    memories: [u64; 6],
    unsearchable: u64,
    unread: u64,
    due: u64,
    /// When the first of the due periods ended, in seconds since 1970; `None` if none is due.
    due_since: Option<i64>,
    failed: u64,
    degraded: u64,
    stale: u64,
    dead_letters: u64,
}

impl AddAssign for Numbers {
    fn add_assign(&mut self, other: Numbers) {
        for (sum, number) in self.memories.iter_mut().zip(other.memories) {
            *sum += number;
        }
        self.unsearchable += other.unsearchable;
        self.unread += other.unread;
        self.due += other.due;
        self.due_since = self.due_since.into_iter().chain(other.due_since).min();
        self.failed += other.failed;
        self.degraded += other.degraded;
        self.stale += other.stale;
        self.dead_letters += other.dead_letters;
    }
}

impl Service {
    /// Returns all metrics in OpenMetrics text format.
    pub async fn metrics_text(&self, now: Timestamp) -> Result<String> {
        let mut totals = self.metrics.0.totals.lock().await;
        totals.look(self, now, AGENTS).await?;
        totals.show(self, now);
        if totals.folders.is_none_or(|at| at.elapsed() >= FOLDERS) {
            totals.folders = Some(Instant::now());
            self.measure_folders().await;
        }
        self.metrics.0.resident.set(clamp(resident_bytes().unwrap_or_default()));
        if let Some(free) = self.disk_free() {
            self.metrics.0.disk_free.set(clamp(free));
        }
        self.metrics.0.disk_low.set(clamp(self.disk_low()));
        Ok(self.metrics.text())
    }

    async fn measure_folders(&self) {
        let Some(folder) = self.parts.folder.clone() else { return };
        let stored = self.metrics.0.stored.clone();
        let measure = move || {
            let of = |store, bytes| stored.get_or_create(&OfStore { store }).set(clamp(bytes));
            of("catalog", catalog_bytes(&folder));
            of("tables", bytes_of(&folder.join("tables")));
            of("facts", bytes_of(&folder.join("facts")));
        };
        // The panic hook has logged a panic already.
        let _ = tokio::task::spawn_blocking(measure).await;
    }

    async fn numbers(&self, agent: &Agent, now: Timestamp) -> Result<Numbers> {
        let zones = self.parts.store.settings(agent).await?.zones()?;
        let watermark = self.parts.store.watermark(agent, Grain::Working).await?;
        let extracted = self.parts.store.extraction(agent).await?.extracted;
        let mut numbers = Numbers {
            memories: self.parts.store.counts(agent).await?.memories,
            unsearchable: self.parts.store.backlog(agent, Grain::Working, watermark.applied).await?,
            unread: self.parts.store.backlog(agent, Grain::Working, extracted).await?,
            dead_letters: self.parts.store.dead_letters(agent).await?.len() as u64,
            ..Numbers::default()
        };
        for row in self.parts.store.ledger(agent).await? {
            numbers.count(&row, &zones, now);
        }
        // For work that was waiting before the process began, the wait is measured from now.
        for (pipeline, reached, number) in [
            (Pipeline::Working, watermark.applied, numbers.unsearchable),
            (Pipeline::Extract, extracted, numbers.unread),
        ] {
            if number > 0 {
                self.metrics.waits(pipeline, agent, reached + 1);
            } else {
                self.metrics.reached(pipeline, agent, u64::MAX);
            }
        }
        Ok(numbers)
    }
}

impl Numbers {
    fn count(&mut self, row: &LedgerRow, zones: &Zones, now: Timestamp) {
        self.failed += u64::from(row.last_error.is_some());
        self.degraded += u64::from(row.degraded);
        let end = zones.cover(row.period).end;
        if row.is_dirty() && end <= now {
            self.due += 1;
            self.due_since = Some(self.due_since.map_or(end.as_second(), |since| since.min(end.as_second())));
            self.stale += u64::from(row.input_digest.is_some());
        }
    }
}

impl Totals {
    /// Reads the numbers of `most` agents, beginning after the last agent of the previous call.
    async fn look(&mut self, service: &Service, now: Timestamp, most: usize) -> Result<()> {
        let begin = self.last.clone();
        let mut agents = self.page(service, begin.as_ref(), most).await?;
        let left = most - agents.len();
        if let (1.., Some(begin)) = (left, begin) {
            // Goes on with the first agents, but reads none twice.
            agents.extend(self.page(service, None, left).await?.into_iter().filter(|agent| *agent <= begin));
        }
        for agent in agents {
            self.seen.insert(agent.clone(), service.numbers(&agent, now).await?);
            self.last = Some(agent);
        }
        Ok(())
    }

    /// Lists the next agents, and drops the numbers of those that no longer exist.
    async fn page(&mut self, service: &Service, after: Option<&Agent>, most: usize) -> Result<Vec<Agent>> {
        let page = service.parts.store.agents(None, after, most).await?;
        let last = if page.len() == most { page.last() } else { None };
        let is_before = |agent: &Agent| after.is_some_and(|after| agent <= after);
        let is_behind = |agent: &Agent| last.is_some_and(|last| agent > last);
        self.seen.retain(|agent, _| is_before(agent) || is_behind(agent) || page.binary_search(agent).is_ok());
        Ok(page)
    }

    fn sum(&self) -> Numbers {
        let mut sum = Numbers::default();
        self.seen.values().for_each(|numbers| sum += *numbers);
        sum
    }

    fn show(&self, service: &Service, now: Timestamp) {
        let (sum, metrics, instant) = (self.sum(), &service.metrics.0, Instant::now());
        for (grain, number) in Grain::ALL.iter().zip(sum.memories) {
            metrics.memories.get_or_create(&(*grain).into()).set(clamp(number));
        }
        let due_for = sum.due_since.map_or(0, |since| now.as_second() - since);
        for (lane, number, seconds) in [
            ("working", sum.unsearchable, metrics.waits.longest(Pipeline::Working, instant).as_secs_f64()),
            ("extract", sum.unread, metrics.waits.longest(Pipeline::Extract, instant).as_secs_f64()),
            ("rollup", sum.due, f64::from(i32::try_from(due_for).unwrap_or(i32::MAX))),
        ] {
            metrics.lane_messages.get_or_create(&OfLane { lane }).set(clamp(number));
            metrics.lane_age.get_or_create(&OfLane { lane }).set(seconds);
        }
        for (state, number) in
            [("due", sum.due), ("failed", sum.failed), ("degraded", sum.degraded), ("stale", sum.stale)]
        {
            metrics.periods.get_or_create(&OfState { state }).set(clamp(number));
        }
        metrics.dead_letters.set(clamp(sum.dead_letters));
    }
}
