//! The body of a job: one bounded pass of its work. This file holds the two jobs that need only policies; the binary passes in
//! those that need files and stores (compaction, verification, backup).

use std::sync::Arc;

use annals_core::{Result, Timestamp};
use annals_retention::Doubt;
use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

use super::Pass;
use super::pass::{Retained, RolledUp};
use super::round_robin::Sweep;

/// A reading of the machine's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// The current time.
    pub now: Timestamp,
    /// Whether the system reports its clock as synchronised; `None` if it does not report it.
    pub synchronised: Option<bool>,
}

/// The source of clock readings: the machine's clock in the binary, a clock under the test's control in tests.
pub type MomentClock = Arc<dyn Fn() -> Moment + Send + Sync>;

/// The result of a run, for people who look at the jobs. Holds no text of memories.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// What was done; empty if there was nothing to do.
    pub done: String,
    /// The number of failures; each was logged.
    pub failures: u64,
}

/// The body of a job.
#[async_trait]
pub trait Task: Send + Sync {
    /// Does one pass of the work: compares the actual state with the required one, and does what is missing. Called at every
    /// wake-up, once when the service starts, and on request; a task that should not repeat its work so often checks first
    /// when it was last done. Once `stop` is cancelled it begins nothing more: the run has reached its bound, or the service
    /// is stopping.
    async fn run(&self, moment: Moment, stop: &CancellationToken) -> Result<Report>;
}

/// The job rollup: [`Pass::roll_up`].
pub struct RollUpTask {
    /// The pass that does the work.
    pub pass: Pass,
    /// The number of agents processed at the same time.
    pub agents_at_once: usize,
}

/// The job retention: [`Pass::retain`].
pub struct RetentionTask {
    /// The pass that does the work.
    pub pass: Pass,
    /// The number of agents processed at the same time.
    pub agents_at_once: usize,
}

#[async_trait]
impl Task for RollUpTask {
    async fn run(&self, moment: Moment, stop: &CancellationToken) -> Result<Report> {
        Ok(rolled_up(&self.pass.roll_up(self.agents_at_once, moment, stop).await?))
    }
}

#[async_trait]
impl Task for RetentionTask {
    async fn run(&self, moment: Moment, stop: &CancellationToken) -> Result<Report> {
        Ok(retained(&self.pass.retain(self.agents_at_once, moment, stop).await?))
    }
}

fn rolled_up(sweep: &Sweep<RolledUp>) -> Report {
    let sum = |number: fn(&RolledUp) -> u64| sweep.turns.iter().map(|(_, turn)| number(turn)).sum::<u64>();
    let doubt = sweep.turns.iter().rev().find_map(|(_, turn)| turn.trust.doubt());
    let done = [
        counted(sum(|turn| turn.extracted.turns), "messages read for facts"),
        counted(sum(|turn| turn.passed.written.iter().sum()), "summaries written"),
        counted(sum(|turn| turn.passed.degraded), "of them by the built-in engine"),
        counted(sum(|turn| turn.passed.removed), "summaries removed"),
        counted(sum(|turn| turn.passed.waiting.len() as u64), "periods waiting for a model"),
        counted(sum(|turn| turn.passed.in_batch.len() as u64), "periods waiting for a batch"),
        counted(sum(|turn| turn.passed.left), "periods left for the next run"),
        counted(sum(|turn| turn.projected.applied), "changes made searchable"),
        counted(sum(|turn| u64::from(turn.cleaned)), "agents purged of forgotten data"),
        left(sweep),
        doubt.map(in_words),
    ];
    let faults: u64 = sum(|turn| turn.passed.failed.len() as u64 + turn.projected.dead);
    Report { done: listed(done), failures: faults + sweep.failed.len() as u64 }
}

fn retained(sweep: &Sweep<Retained>) -> Report {
    let sum = |number: fn(&Retained) -> u64| sweep.turns.iter().map(|(_, turn)| number(turn)).sum::<u64>();
    let doubt = sweep.turns.iter().rev().find_map(|(_, turn)| turn.trust.doubt());
    let done = [
        counted(sum(|turn| turn.pruned.pruned.iter().map(|totals| totals.rows).sum()), "memories pruned"),
        counted(
            sum(|turn| turn.pruned.postponed.iter().map(|totals| totals.rows).sum()),
            "memories due, after half an hour of steady clock",
        ),
        counted(sum(|turn| turn.pruned.held.len() as u64), "periods past the plan, kept"),
        counted(sum(|turn| turn.answers), "saved model answers deleted"),
        left(sweep),
        doubt.map(in_words),
    ];
    Report { done: listed(done), failures: sweep.failed.len() as u64 }
}

fn left<T>(sweep: &Sweep<T>) -> Option<String> {
    counted(sweep.left.len() as u64, "agents left for the next run")
}

fn in_words(doubt: Doubt) -> String {
    let reason = match doubt {
        Doubt::Unsynchronised => "the clock is not synchronised",
        Doubt::Behind => "the clock went back",
    };
    format!("nothing closed or pruned: {reason}")
}

fn counted(number: u64, what: &str) -> Option<String> {
    (number > 0).then(|| format!("{number} {what}"))
}

fn listed(parts: impl IntoIterator<Item = Option<String>>) -> String {
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}
