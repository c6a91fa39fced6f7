//! Roll-up by batches, step by step, and the estimate of its cost.

use std::collections::BTreeMap;
use std::sync::Arc;

use annals_core::ports::{BatchReport, Batching, Estimate, RequestState, budget_day};
use annals_core::{Agent, Error, Grain, Price, Purpose, Result, SignedDuration, Timestamp};
use annals_summarizer::{Passed, Waiting};

use super::rollup::by_grain;
use crate::Service;
use crate::wire::{AgentFailure, BatchStep, BatchView, EstimateView};

/// Ratio of a request's real tokens to the upper estimate, as measured on diaries and chats.
const TRUE_SHARE: f64 = 0.75;

/// Minimum number of recorded calls for which their mean is used instead of a rule.
const ENOUGH_CALLS: u64 = 20;

/// Maximum age of these calls.
const MEASURED: SignedDuration = SignedDuration::from_hours(60 * 24);

/// Tokens of the instructions of a request.
const INSTRUCTIONS: u64 = 800;

/// How long a failed batch is listed, counted from when it was recorded: as long as no batch is sent to a server that
/// permanently refused one.
const FAILED_FOR: SignedDuration = SignedDuration::from_hours(24);

impl Service {
    /// Takes the results of batches that have ended, writes the summaries that they make possible, and sends the requests
    /// that are due then. `budget` is the number of tokens that each agent may use today, in place of its own limit and the
    /// operator's.
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

    /// Takes the results of batches that have ended. Errors are logged; results that are not taken now are taken later.
    pub(crate) async fn take_batches(&self, now: Timestamp) {
        if let Some(batching) = &self.parts.batching {
            log_batches(batching.take(now).await);
        }
    }

    /// Sends the collected requests in batches. Errors are logged.
    pub(crate) async fn send_batches(&self, now: Timestamp) {
        if let Some(batching) = &self.parts.batching {
            log_batches(batching.send(now).await);
        }
    }

    /// Estimates the cost of summarizing the due periods of an agent, by purpose. Empty without models.
    pub(crate) async fn estimates(&self, agent: &Agent, refresh: bool, now: Timestamp) -> Result<Vec<EstimateView>> {
        let Some(batching) = &self.parts.batching else { return Ok(Vec::new()) };
        let (engine, counted) = batching.counting();
        let waiting =
            self.parts.summarizer.without_quiet_time().with_engine(engine).ask_for_due(agent, refresh, now).await?;
        let mut estimates = counted();
        let model = self.model_of_coarse(agent, &estimates).await?;
        for Waiting { grain, periods, sources } in waiting {
            let Some(model) = model.clone() else { break };
            let (purpose, finer) = (Purpose::of(grain), grain.finer().unwrap_or(Grain::Daily));
            let tokens_in = periods * INSTRUCTIONS + sources * answer_of(Purpose::of(finer));
            let upper = (tokens_in as f64 / TRUE_SHARE) as u64;
            match estimates.iter_mut().find(|estimate| estimate.purpose == purpose) {
                Some(estimate) => {
                    (estimate.calls, estimate.tokens_in) = (estimate.calls + periods, estimate.tokens_in + upper);
                }
                None => estimates.push(Estimate { purpose, model, calls: periods, tokens_in: upper }),
            }
        }
        let measured = self.measured(agent, now).await?;
        let prices = self.parts.store.prices().await?;
        let view = |estimate: Estimate| {
            let (tokens_in, tokens_out) = tokens(&estimate, &measured);
            let price = prices.iter().find(|price| price.model == estimate.model);
            let cost = |batch| price.map(|price| price.of_call(tokens_in, tokens_out, batch) as f64 / Price::MICROS);
            EstimateView {
                purpose: estimate.purpose.as_str().to_owned(),
                calls: estimate.calls,
                tokens_in,
                tokens_out,
                cost: cost(false),
                cost_in_batch: cost(true),
                model: estimate.model,
            }
        };
        Ok(estimates.into_iter().map(view).collect())
    }

    /// Returns the model to assume for grains with requests that cannot be counted yet: the model of the first estimate, or
    /// the first configured model if there is no estimate.
    async fn model_of_coarse(&self, agent: &Agent, estimates: &[Estimate]) -> Result<Option<String>> {
        let settings = self.parts.store.settings(agent).await?;
        let first = estimates.first().map(|estimate| estimate.model.clone());
        Ok(first.or_else(|| self.model_states(&settings).first().map(|state| state.model.clone())))
    }

    /// Returns the mean tokens of requests and answers, by purpose and model. Leaves out models with fewer than
    /// [`ENOUGH_CALLS`] calls for the purpose.
    async fn measured(&self, agent: &Agent, now: Timestamp) -> Result<Measured> {
        let since = now.saturating_sub(MEASURED).unwrap_or(Timestamp::MIN);
        let mut sums: BTreeMap<(Purpose, String), (u64, u64, u64)> = BTreeMap::new();
        for usage in self.parts.store.usage(agent, since).await?.into_iter().filter(|one| one.day <= budget_day(now)) {
            let sum = sums.entry((usage.purpose, usage.model)).or_default();
            *sum = (sum.0 + usage.calls, sum.1 + usage.tokens_in, sum.2 + usage.tokens_out);
        }
        sums.retain(|_, (calls, _, _)| *calls >= ENOUGH_CALLS);
        let mean = |(calls, tokens_in, tokens_out): (u64, u64, u64)| {
            (tokens_in as f64 / calls as f64, tokens_out as f64 / calls as f64)
        };
        Ok(sums.into_iter().map(|(key, sum)| (key, mean(sum))).collect())
    }

    fn batching(&self) -> Result<&Arc<dyn Batching>> {
        let missing = || Error::invalid("models", "names no model, so there is nothing to ask in a batch");
        self.parts.batching.as_ref().ok_or_else(missing)
    }
}

/// Mean tokens of a request and of its answer, by purpose and model.
type Measured = BTreeMap<(Purpose, String), (f64, f64)>;

/// Returns the expected tokens of all requests and of all answers. For days the tokens of the requests are counted, because
/// days differ; for coarser periods the measured mean is used if there is one, because their requests are alike.
fn tokens(estimate: &Estimate, measured: &Measured) -> (u64, u64) {
    let (calls, upper) = (estimate.calls as f64, estimate.tokens_in as f64);
    let by_rule = (upper * TRUE_SHARE, calls * answer_of(estimate.purpose) as f64);
    let (tokens_in, tokens_out) = match measured.get(&(estimate.purpose, estimate.model.clone())) {
        Some((_, answer)) if estimate.purpose == Purpose::Daily => (by_rule.0, calls * answer),
        Some((question, answer)) => (calls * question, calls * answer),
        None => by_rule,
    };
    (tokens_in.round() as u64, tokens_out.round() as u64)
}

/// Returns the expected tokens of an answer; for a summary, two thirds of the longest, with its citations.
fn answer_of(purpose: Purpose) -> u64 {
    match purpose {
        Purpose::Extraction | Purpose::Rerank => 300,
        Purpose::Daily => 200,
        Purpose::Weekly => 450,
        Purpose::Monthly => 600,
        Purpose::Quarterly => 750,
        Purpose::Yearly => 900,
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

/// Logs failures of batches. Callers continue after them.
pub(crate) fn log_batches(report: Result<BatchReport>) {
    match report {
        Ok(report) => report.failures.iter().for_each(|failure| tracing::warn!(failure, "a batch was not completed")),
        Err(error) => tracing::error!(%error, "batches could not be looked at"),
    }
}
