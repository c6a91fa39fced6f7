//! Roll-up of one agent: reads new messages for facts, writes the due summaries, and makes them searchable.

use std::collections::BTreeMap;

use annals_core::{Agent, Grain, Result, Timestamp};
use annals_summarizer::{Passed, Plan};
use annals_writer::ExtractionPassed;

use crate::Service;
use crate::locks::{History, RollUp};
use crate::wire::{FailureView, RollupAnswer, RollupRequest};

impl Service {
    /// Rolls an agent up. A dry run only returns the periods and the number of words that would be read.
    pub async fn rollup(&self, agent: &Agent, request: RollupRequest, now: Timestamp) -> Result<RollupAnswer> {
        if request.dry_run {
            let plan = self.summarizer.plan(agent, request.refresh, now).await?;
            return Ok(planned(agent, &plan));
        }
        let read = self.read_for_facts(agent, &|_| ()).await?;
        let passed = self.write_summaries(agent, request.refresh, now, &|_| ()).await?;
        self.make_searchable(agent, &|_| ()).await?;
        Ok(done(agent, &passed, &read))
    }

    /// Writes the summaries that are due; with `refresh` also the outdated ones. Takes the lock of the agent's history only to
    /// save, because a model may take minutes.
    pub async fn write_summaries(
        &self,
        agent: &Agent,
        refresh: bool,
        now: Timestamp,
        progress: &(dyn Fn(u64) + Sync),
    ) -> Result<Passed> {
        let roll_up = self.locks.lock::<RollUp>(agent).await;
        let history = roll_up.for_saving::<History>();
        if refresh {
            self.summarizer.refresh_unlocked(agent, now, progress, &history).await
        } else {
            self.summarizer.pass_unlocked(agent, now, progress, &|| false, &history).await
        }
    }
}

fn planned(agent: &Agent, plan: &Plan) -> RollupAnswer {
    RollupAnswer {
        dry_run: true,
        periods: plan.periods.iter().map(ToString::to_string).collect(),
        words: plan.words,
        ..done(agent, &Passed::default(), &ExtractionPassed::default())
    }
}

fn done(agent: &Agent, passed: &Passed, read: &ExtractionPassed) -> RollupAnswer {
    let failure = |(period, error): &(annals_core::Period, String)| FailureView {
        period: period.to_string(),
        attempts: 1,
        error: error.clone(),
        not_before: None,
    };
    RollupAnswer {
        agent: agent.name().to_owned(),
        dry_run: false,
        periods: Vec::new(),
        words: 0,
        written: by_grain(&passed.written),
        unchanged: passed.unchanged,
        removed: passed.removed,
        degraded: passed.degraded,
        failed: passed.failed.iter().map(failure).collect(),
        waiting: passed.waiting.iter().map(ToString::to_string).collect(),
        outage: passed.outage.clone().or_else(|| read.waiting.clone()),
        fact_operations: read.operations,
    }
}

fn by_grain(numbers: &[u64; 5]) -> BTreeMap<String, u64> {
    Grain::SUMMARIES.iter().zip(numbers).map(|(grain, number)| (grain.to_string(), *number)).collect()
}
