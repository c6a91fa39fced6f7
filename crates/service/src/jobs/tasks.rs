//! What the jobs do in a run. Each job has a file here except backup, which the binary implements, because only the binary may
//! name the stores.

mod compaction;
mod retention;
mod rollup;
mod verification;

use std::sync::Arc;

use annals_core::{Result, Timestamp};
use annals_retention::Doubt;
use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

use super::round_robin::Sweep;

pub use compaction::Compaction;
pub use retention::RetentionTask;
pub use rollup::RollUpTask;
pub use verification::Verification;

/// A reading of the machine's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// The time that the clock shows.
    pub now: Timestamp,
    /// Whether the system reports its clock as synchronised; `None` if it does not report it.
    pub synchronised: Option<bool>,
}

/// The source of clock readings: the machine's clock in the binary, a clock under the test's control in tests.
pub type MomentClock = Arc<dyn Fn() -> Moment + Send + Sync>;

/// The result of a run, in words for people who look at the jobs. Contains no text of memories.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// What was done; empty if there was nothing to do.
    pub done: String,
    /// The number of failures; the log describes them.
    pub failures: u64,
}

/// What a job does in a run.
#[async_trait]
pub trait Task: Send + Sync {
    /// Compares the actual state with the required one, and does what is missing. Called at wake-ups, on request, and when the
    /// service starts if a run may have been missed. A task with work that should be done less often checks first when it was
    /// last done. Once `stop` is cancelled the task begins nothing more: the run has reached its time limit, or the service is
    /// stopping.
    async fn run(&self, moment: Moment, stop: &CancellationToken) -> Result<Report>;
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
