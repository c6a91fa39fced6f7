//! Roll-up of one agent: reads new messages for facts, writes the due summaries, and makes them searchable.

use std::collections::BTreeMap;

use annals_core::{Agent, Grain, Period, Result, Timestamp};
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
        let failed = self.failures(agent, &passed.failed).await?;
        Ok(RollupAnswer { failed, ..done(agent, &passed, &read) })
    }

    /// Describes failures with the attempts so far and the time of the next one, as the ledger has them.
    async fn failures(&self, agent: &Agent, failed: &[(Period, String)]) -> Result<Vec<FailureView>> {
        if failed.is_empty() {
            return Ok(Vec::new());
        }
        let ledger = self.store.ledger(agent).await?;
        let of_ledger = |period: &Period| ledger.iter().find(|row| row.period == *period).and_then(FailureView::of);
        let bare = |period: &Period, error: &String| FailureView {
            period: period.to_string(),
            attempts: 1,
            error: error.clone(),
            not_before: None,
        };
        Ok(failed.iter().map(|(period, error)| of_ledger(period).unwrap_or_else(|| bare(period, error))).collect())
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
    RollupAnswer {
        agent: agent.name().to_owned(),
        dry_run: false,
        periods: Vec::new(),
        words: 0,
        written: by_grain(&passed.written),
        unchanged: passed.unchanged,
        removed: passed.removed,
        degraded: passed.degraded,
        failed: Vec::new(),
        waiting: passed.waiting.iter().map(ToString::to_string).collect(),
        outage: passed.outage.clone().or_else(|| read.waiting.clone()),
        fact_operations: read.operations,
    }
}

fn by_grain(numbers: &[u64; 5]) -> BTreeMap<String, u64> {
    Grain::SUMMARIES.iter().zip(numbers).map(|(grain, number)| (grain.to_string(), *number)).collect()
}
