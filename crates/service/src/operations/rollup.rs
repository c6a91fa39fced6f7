//! Roll-up of one agent: reads new messages for facts, writes the due summaries, and makes them searchable.

use std::collections::BTreeMap;

use annals_core::{Agent, Grain, Period, Result, Timestamp};
use annals_summarizer::{Passed, Plan};
use serde::{Deserialize, Serialize};

use crate::locks::{History, RollUp};
use crate::wire::{ExtractionView, FailureView, NotYetDueView, RollupAnswer, RollupRequest};
use crate::{NoProgress, ProgressSink, Service};

/// The result of a roll-up.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RolledUpAgent {
    /// The answer of the operation.
    pub answer: RollupAnswer,
    /// The result of reading new messages for facts before it.
    pub extraction: ExtractionView,
}

impl Service {
    /// Rolls an agent up. A dry run only returns the periods and the number of words that would be read.
    pub async fn rollup(&self, agent: &Agent, request: RollupRequest, now: Timestamp) -> Result<RollupAnswer> {
        Ok(self.rollup_reporting(agent, request, now, &NoProgress).await?.answer)
    }

    /// Does the same as [`Service::rollup`] and reports progress.
    pub async fn rollup_reporting(
        &self,
        agent: &Agent,
        request: RollupRequest,
        now: Timestamp,
        progress: &dyn ProgressSink,
    ) -> Result<RolledUpAgent> {
        if request.dry_run {
            let plan = self.parts.summarizer.plan(agent, request.refresh, now).await?;
            let not_yet_due = self.not_yet_due(agent, now).await?;
            let answer = RollupAnswer { not_yet_due, ..planned(agent, &plan) };
            return Ok(RolledUpAgent { answer, extraction: ExtractionView::default() });
        }
        let extraction = self.extract_facts(agent, progress).await?;
        let due = if progress.is_shown() {
            self.parts.summarizer.plan(agent, request.refresh, now).await?.periods.len() as u64
        } else {
            0
        };
        let stage = progress.begin("summarizing", due);
        let passed = self.write_summaries(agent, request.refresh, now, &|periods| stage.advance(periods)).await?;
        drop(stage);
        let stage = progress.begin("embedding", self.parts.writer.backlog(agent).await?);
        self.make_searchable(agent, &|changes| stage.advance(changes)).await?;
        let failed = self.failures(agent, &passed.failed).await?;
        let not_yet_due = self.not_yet_due(agent, now).await?;
        let answer = RollupAnswer { failed, not_yet_due, ..done(agent, &passed, &extraction) };
        Ok(RolledUpAgent { answer, extraction })
    }

    /// Returns the periods that are over but not due yet.
    async fn not_yet_due(&self, agent: &Agent, now: Timestamp) -> Result<Vec<NotYetDueView>> {
        let view = |(period, due_at): (Period, Timestamp)| NotYetDueView {
            period: period.to_string(),
            due_at: due_at.to_string(),
        };
        Ok(self.parts.summarizer.not_yet_due(agent, now).await?.into_iter().map(view).collect())
    }

    /// Describes failures with the attempts so far and the time of the next one, as the ledger has them.
    async fn failures(&self, agent: &Agent, failed: &[(Period, String)]) -> Result<Vec<FailureView>> {
        if failed.is_empty() {
            return Ok(Vec::new());
        }
        let ledger = self.parts.store.ledger(agent).await?;
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
            self.parts.summarizer.refresh_unlocked(agent, now, progress, &history).await
        } else {
            self.parts.summarizer.pass_unlocked(agent, now, progress, &|| false, &history).await
        }
    }
}

fn planned(agent: &Agent, plan: &Plan) -> RollupAnswer {
    RollupAnswer {
        dry_run: true,
        periods: plan.periods.iter().map(ToString::to_string).collect(),
        words: plan.words,
        ..done(agent, &Passed::default(), &ExtractionView::default())
    }
}

fn done(agent: &Agent, passed: &Passed, read: &ExtractionView) -> RollupAnswer {
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
        not_yet_due: Vec::new(),
        fact_operations: read.operations,
    }
}

fn by_grain(numbers: &[u64; 5]) -> BTreeMap<String, u64> {
    Grain::SUMMARIES.iter().zip(numbers).map(|(grain, number)| (grain.to_string(), *number)).collect()
}
