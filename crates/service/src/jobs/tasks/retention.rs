//! The job retention: prunes memories that are past their plan, and saved model answers that no retry needs any more.

use annals_core::Result;
use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

use super::{Moment, Report, Task, counted, in_words, left, listed};
use crate::jobs::pass::{Pass, Retained};
use crate::jobs::round_robin::Sweep;

/// Calls [`Pass::retain`] in each run.
pub struct RetentionTask {
    pub pass: Pass,
    /// Maximum number of agents that are processed at the same time.
    pub agents_at_once: usize,
}

#[async_trait]
impl Task for RetentionTask {
    async fn run(&self, moment: Moment, stop: &CancellationToken) -> Result<Report> {
        Ok(retained(&self.pass.retain(self.agents_at_once, moment, stop).await?))
    }
}

fn retained(sweep: &Sweep<Retained>) -> Report {
    let sum = |number: fn(&Retained) -> u64| sweep.slots.iter().map(|(_, slot)| number(slot)).sum::<u64>();
    let doubt = sweep.slots.iter().rev().find_map(|(_, slot)| slot.trust.doubt());
    let done = [
        counted(sum(|slot| slot.pruned.pruned.iter().map(|totals| totals.rows).sum()), "memories pruned"),
        counted(
            sum(|slot| slot.pruned.postponed.iter().map(|totals| totals.rows).sum()),
            "memories due, after half an hour of steady clock",
        ),
        counted(sum(|slot| slot.pruned.held.len() as u64), "periods past the plan, kept"),
        counted(sum(|slot| slot.answers), "saved model answers deleted"),
        left(sweep),
        doubt.map(in_words),
    ];
    Report { done: listed(done), failures: sweep.failed.len() as u64 }
}
