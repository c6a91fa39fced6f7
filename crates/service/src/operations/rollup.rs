//! Roll-up of one agent: extracts facts from new messages, writes the due summaries, and makes them searchable. Also takes the
//! results of batches, and sends new batches.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use annals_core::{Agent, Grain, Period, Result, Timestamp};
use annals_summarizer::{PassPlan, Passed, Summarizer};
use serde::{Deserialize, Serialize};

use super::model_progress::ModelWork;
use crate::locks::{History, RollUp};
use crate::wire::{ExtractionView, FailureView, NotYetDueView, RollupAnswer, RollupRequest};
use crate::{NoProgress, ProgressSink, Service};

/// The result of a roll-up of one agent.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RolledUpAgent {
    pub answer: RollupAnswer,
    /// The result of extracting facts before the summaries were written. Empty for a dry run.
    pub extraction: ExtractionView,
}

impl Service {
    /// Rolls an agent up: extracts facts from new messages, writes the due summaries of all periods that are over, and makes
    /// them searchable. Does not wait for late messages. Leaves out periods that wait for another attempt after a failure. A
    /// dry run writes nothing and returns what would be done, with an estimate of its cost.
    pub async fn rollup(&self, agent: &Agent, request: RollupRequest, now: Timestamp) -> Result<RollupAnswer> {
        Ok(self.rollup_reporting(agent, request, now, &NoProgress).await?.answer)
    }

    /// Does the same as [`Service::rollup`], reports progress, and ends early if `progress` says so.
    pub async fn rollup_reporting(
        &self,
        agent: &Agent,
        request: RollupRequest,
        now: Timestamp,
        progress: &dyn ProgressSink,
    ) -> Result<RolledUpAgent> {
        let summarizer = self.summarizer().without_quiet_time();
        if request.dry_run {
            let plan = summarizer.plan(agent, request.refresh, now).await?;
            let not_yet_due = not_yet_due(&summarizer, agent, now).await?;
            let estimates = self.estimates(agent, request.refresh, now).await?;
            let currency = self.prices().await?.currency;
            let answer = RollupAnswer { not_yet_due, estimates, currency, ..planned(agent, &plan) };
            return Ok(RolledUpAgent { answer, extraction: ExtractionView::default() });
        }
        self.take_batches(now).await;
        let extraction = self.extract_facts(agent, progress).await?;
        let settings = self.parts.store.settings(agent).await?;
        let plan = match progress.is_shown() {
            true => summarizer.plan(agent, request.refresh, now).await?,
            false => PassPlan::default(),
        };
        let stage = progress.begin("summarizing", plan.periods.len() as u64);
        let done = AtomicUsize::new(0);
        let advance = |periods: u64| {
            done.fetch_add(usize::try_from(periods).unwrap_or_default(), Ordering::Relaxed);
            stage.advance(periods);
        };
        let left = || ModelWork::Summaries(&plan, plan.periods.len().saturating_sub(done.load(Ordering::Relaxed)));
        let should_stop = || progress.should_stop();
        let writing = self.write_summaries_by(&summarizer, agent, request.refresh, now, &advance, &should_stop);
        let passed = self.noting_models(&settings, &left, &*stage, writing).await?;
        drop(stage);
        self.send_batches(now).await;
        self.make_searchable_shown(agent, progress).await?;
        let failed = self.failures(agent, &passed.failed).await?;
        let postponed = self.postponed(agent, &passed, now).await?;
        let not_yet_due = not_yet_due(&summarizer, agent, now).await?;
        let answer = RollupAnswer { failed, postponed, not_yet_due, ..summed_up(agent, &passed, &extraction) };
        Ok(RolledUpAgent { answer, extraction })
    }

    /// Returns the periods that this pass did not try, because their next attempt after a failure or a wait is later than
    /// `now`.
    async fn postponed(&self, agent: &Agent, passed: &Passed, now: Timestamp) -> Result<Vec<FailureView>> {
        let ledger = self.parts.store.ledger(agent).await?;
        let was_tried = |period: Period| {
            passed.waiting.contains(&period) || passed.failed.iter().any(|(failed, _)| *failed == period)
        };
        let later = ledger.iter().filter(|row| row.is_dirty() && row.not_before.is_some_and(|at| at > now));
        Ok(later.filter(|row| !was_tried(row.period)).filter_map(FailureView::of).collect())
    }

    /// Describes failed periods with the number of attempts and the time of the next one, as the ledger records them. A period
    /// without a record there counts as tried once.
    pub(super) async fn failures(&self, agent: &Agent, failed: &[(Period, String)]) -> Result<Vec<FailureView>> {
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

    /// Writes the summaries that are due; with `refresh` also those of another prompt, model or engine. Takes the lock of the
    /// agent's history only to save, because a model may take minutes.
    pub async fn write_summaries(
        &self,
        agent: &Agent,
        refresh: bool,
        now: Timestamp,
        progress: &(dyn Fn(u64) + Sync),
    ) -> Result<Passed> {
        self.write_summaries_by(&self.summarizer(), agent, refresh, now, progress, &|| false).await
    }

    /// Does the same as [`Service::write_summaries`] with the given summarizer. Once `should_stop` returns true, begins no
    /// further period after the first.
    pub(super) async fn write_summaries_by(
        &self,
        summarizer: &Summarizer,
        agent: &Agent,
        refresh: bool,
        now: Timestamp,
        progress: &(dyn Fn(u64) + Sync),
        should_stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Passed> {
        let roll_up = self.locks.lock::<RollUp>(agent).await;
        let history = roll_up.for_saving::<History>();
        if refresh {
            summarizer.refresh_unlocked(agent, now, progress, should_stop, &history).await
        } else {
            summarizer.pass_unlocked(agent, now, progress, should_stop, &history).await
        }
    }
}

/// Returns the periods that are over but wait for late messages, with the time when each becomes due.
async fn not_yet_due(summarizer: &Summarizer, agent: &Agent, now: Timestamp) -> Result<Vec<NotYetDueView>> {
    Ok(summarizer.not_yet_due(agent, now).await?.into_iter().map(NotYetDueView::from).collect())
}

fn planned(agent: &Agent, plan: &PassPlan) -> RollupAnswer {
    RollupAnswer {
        dry_run: true,
        periods: plan.periods.iter().map(ToString::to_string).collect(),
        words: plan.words,
        ..summed_up(agent, &Passed::default(), &ExtractionView::default())
    }
}

fn summed_up(agent: &Agent, passed: &Passed, read: &ExtractionView) -> RollupAnswer {
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
        left: passed.left,
        postponed: Vec::new(),
        waiting: passed.waiting.iter().map(ToString::to_string).collect(),
        outage: passed.outage.clone().or_else(|| read.waiting.clone()),
        in_batch: passed.in_batch.len() as u64,
        estimates: Vec::new(),
        currency: String::new(),
        not_yet_due: Vec::new(),
        fact_operations: read.operations,
    }
}

pub(super) fn by_grain(numbers: &[u64; 5]) -> BTreeMap<String, u64> {
    Grain::SUMMARIES.iter().zip(numbers).map(|(grain, number)| (grain.to_string(), *number)).collect()
}
