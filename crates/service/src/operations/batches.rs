//! Roll-up by batches of requests to models, which cost less and are answered within a day. A step takes answers, writes
//! summaries and sends further requests.

use std::sync::Arc;

use annals_core::ports::{BatchReport, Batching, RequestState};
use annals_core::{Agent, Error, Result, SignedDuration, Timestamp};
use annals_summarizer::Passed;

use super::rollup::by_grain;
use crate::Service;
use crate::wire::{AgentFailure, BatchStep, BatchView};

/// Time from recording a batch during which it is listed if it failed. For the same time no batch is sent to a server that
/// permanently refused one.
const FAILED_FOR: SignedDuration = SignedDuration::from_hours(24);

impl Service {
    /// Takes the results of batches that have ended, writes summaries from them, and sends the requests of the periods that are
    /// due then. `budget` is the number of tokens that each agent may use today, in place of the agent's own limit and the
    /// operator's. Fails if no model is configured.
    pub(crate) async fn batch_step(&self, agents: &[Agent], budget: Option<u64>, now: Timestamp) -> Result<BatchStep> {
        let batching = self.batching()?;
        let mut step = BatchStep::default();
        note(&mut step, batching.take(now).await?);
        let summarizer = self.parts.summarizer.without_quiet_time().with_engine(batching.collecting(budget));
        let mut written = [0; 5];
        for agent in agents {
            let passed = self.write_summaries_by(&summarizer, agent, false, now, &|_| (), &|| false).await?;
            self.make_searchable(agent, &|_| ()).await?;
            let failures = self.failures(agent, &passed.failed).await?.into_iter();
            step.failed.extend(failures.map(|failure| AgentFailure {
                workspace: agent.workspace().to_owned(),
                agent: agent.name().to_owned(),
                failure,
            }));
            add(&mut step, &mut written, passed);
        }
        step.written = by_grain(&written);
        note(&mut step, batching.send(now).await?);
        Ok(step)
    }

    /// Returns the batches that were recorded within the last day and failed, and those that have not ended, of all agents.
    pub async fn batches(&self, now: Timestamp) -> Result<Vec<BatchView>> {
        let since = now.saturating_sub(FAILED_FOR).unwrap_or(Timestamp::MIN);
        let failed = self.parts.store.failed_batches(since).await?;
        let open = self.parts.store.open_batches().await?;
        Ok(failed.into_iter().chain(open).map(BatchView::from).collect())
    }

    /// Ends all open batches, here and at their providers, so that their periods are due again. Returns these batches.
    pub async fn abandon_batches(&self) -> Result<Vec<BatchView>> {
        let open = self.parts.store.open_batches().await?;
        if let Some(batching) = &self.parts.batching {
            batching.abandon().await?;
        }
        // Without a model no provider can be called, so batches that are still open are only marked as lost.
        for batch in self.parts.store.open_batches().await? {
            self.parts.store.end_batch(&batch.id, RequestState::Lost).await?;
        }
        Ok(open.into_iter().map(BatchView::from).collect())
    }

    /// Saves the answers of batches that have ended. Logs errors; answers that are not saved now are saved by the next call.
    pub(crate) async fn take_batches(&self, now: Timestamp) {
        if let Some(batching) = &self.parts.batching {
            log_batches(batching.take(now).await);
        }
    }

    /// Sends the requests that roll-ups have collected, in batches. Logs errors.
    pub(crate) async fn send_batches(&self, now: Timestamp) {
        if let Some(batching) = &self.parts.batching {
            log_batches(batching.send(now).await);
        }
    }

    fn batching(&self) -> Result<&Arc<dyn Batching>> {
        let missing = || Error::invalid("models", "names no model, so there is nothing to ask in a batch");
        self.parts.batching.as_ref().ok_or_else(missing)
    }
}

fn add(step: &mut BatchStep, written: &mut [u64; 5], passed: Passed) {
    for (sum, number) in written.iter_mut().zip(passed.written) {
        *sum += number;
    }
    step.in_batch += passed.in_batch.len() as u64;
    step.waiting += passed.waiting.len() as u64;
    step.outage = step.outage.take().or(passed.outage);
}

fn note(step: &mut BatchStep, report: BatchReport) {
    step.sent += report.sent;
    step.settled += report.settled;
    step.over_budget += report.over_budget;
    step.failures.extend(report.failures);
    step.open = report.open.into_iter().map(BatchView::from).collect();
}

/// Logs an error, or the failures in a report. Batches are not the main task of the callers, so they continue.
pub(crate) fn log_batches(report: Result<BatchReport>) {
    match report {
        Ok(report) => report.failures.iter().for_each(|failure| tracing::warn!(failure, "a batch was not completed")),
        Err(error) => tracing::error!(%error, "batches could not be looked at"),
    }
}
