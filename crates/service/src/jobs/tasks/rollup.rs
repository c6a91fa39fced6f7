//! The job rollup: extracts facts from new messages, summarizes closed periods, makes messages and summaries searchable, and
//! completes erasures.

use annals_core::Result;
use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

use super::{Moment, Report, Task, counted, in_words, left, listed};
use crate::jobs::pass::{Pass, RolledUp};
use crate::jobs::round_robin::Sweep;

/// Calls [`Pass::roll_up`] in each run.
pub struct RollUpTask {
    pub pass: Pass,
    /// Maximum number of agents that are processed at the same time.
    pub agents_at_once: usize,
}

#[async_trait]
impl Task for RollUpTask {
    async fn run(&self, moment: Moment, stop: &CancellationToken) -> Result<Report> {
        Ok(rolled_up(&self.pass.roll_up(self.agents_at_once, moment, stop).await?))
    }
}

fn rolled_up(sweep: &Sweep<RolledUp>) -> Report {
    let sum = |number: fn(&RolledUp) -> u64| sweep.slots.iter().map(|(_, slot)| number(slot)).sum::<u64>();
    let doubt = sweep.slots.iter().rev().find_map(|(_, slot)| slot.trust.doubt());
    let done = [
        counted(sum(|slot| slot.extracted.turns), "messages read for facts"),
        counted(sum(|slot| slot.passed.written.iter().sum()), "summaries written"),
        counted(sum(|slot| slot.passed.degraded), "of them by the built-in engine"),
        counted(sum(|slot| slot.passed.removed), "summaries removed"),
        counted(sum(|slot| slot.passed.waiting.len() as u64), "periods waiting for a model"),
        counted(sum(|slot| slot.passed.in_batch.len() as u64), "periods waiting for a batch"),
        counted(sum(|slot| slot.passed.left), "periods left for the next run"),
        counted(sum(|slot| slot.projected.applied), "changes made searchable"),
        counted(sum(|slot| u64::from(slot.cleaned)), "agents purged of forgotten data"),
        left(sweep),
        doubt.map(in_words),
    ];
    let faults: u64 = sum(|slot| slot.passed.failed.len() as u64 + slot.projected.dead);
    Report { done: listed(done), failures: faults + sweep.failed.len() as u64 }
}
