//! Roll-up by batches, step by step, and the estimate of its cost.

use std::collections::BTreeMap;
use std::sync::Arc;

use annals_core::ports::{BatchReport, Batching, Estimate, RequestState, budget_day};
use annals_core::{Agent, Error, Grain, Purpose, Result, SignedDuration, Timestamp};
use annals_summarizer::{Passed, Waiting};

use super::rollup::by_grain;
use crate::Service;
use crate::wire::{BatchStep, BatchView, EstimateView};

/// Ratio of a question's real tokens to the upper estimate, as measured on diaries and chats.
const TRUE_SHARE: f64 = 0.75;

/// Number of booked calls from which their mean is used instead of a rule.
const ENOUGH_CALLS: u64 = 20;

/// How far back these calls may lie.
const MEASURED: SignedDuration = SignedDuration::from_hours(60 * 24);

/// Tokens of the instructions of a question.
const INSTRUCTIONS: u64 = 800;

/// How long a failed batch is shown: as long as a server that refused one for good gets no other.
const FAILED_FOR: SignedDuration = SignedDuration::from_hours(24);

/// Millionths in a whole of a currency.
const MICROS: f64 = 1_000_000.0;

impl Service {
    /// Takes the results of batches that have ended, writes what they allow, and sends what is due then. `budget` is the number
    /// of tokens that each agent may use today, in place of its own limit and the operator's.
    pub(crate) async fn batch_step(&self, agents: &[Agent], budget: Option<u64>, now: Timestamp) -> Result<BatchStep> {
        let batching = self.batching()?;
        let mut step = BatchStep::default();
        note(&mut step, batching.take(now).await?);
        let summarizer = self.parts.summarizer.without_quiet_time().with_engine(batching.collecting(budget));
        let mut written = [0; 5];
        for agent in agents {
            let passed = self.write_summaries_by(&summarizer, agent, false, now, &|_| (), &|| false).await?;
            self.make_searchable(agent, &|_| ()).await?;
            step.failed.extend(self.failures(agent, &passed.failed).await?);
            add(&mut step, &mut written, passed);
        }
        step.written = by_grain(&written);
        note(&mut step, batching.send(now).await?);
        Ok(step)
    }

    /// Returns the batches that failed within the last day and those that have not ended, of all agents.
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
        // Without a model there is nobody to tell a provider.
        for batch in self.parts.store.open_batches().await? {
            self.parts.store.end_batch(&batch.id, RequestState::Lost).await?;
        }
        Ok(open.into_iter().map(BatchView::from).collect())
    }

    /// Takes the results of batches that have ended. Errors are logged: what is not taken now is taken later.
    pub(crate) async fn take_batches(&self, now: Timestamp) {
        if let Some(batching) = &self.parts.batching {
            log_batches(batching.take(now).await);
        }
    }

    /// Sends what was collected for batches.
    pub(crate) async fn send_batches(&self, now: Timestamp) {
        if let Some(batching) = &self.parts.batching {
            log_batches(batching.send(now).await);
        }
    }

    /// Estimates what the due periods of an agent would cost, by purpose. Empty if no model writes.
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
                None => estimates.push(Estimate { purpose, model, calls: periods, tokens_in: upper, tokens_out: 0 }),
            }
        }
        let measured = self.measured(agent, now).await?;
        let prices = self.parts.store.prices().await?;
        let view = |estimate: Estimate| {
            let (tokens_in, tokens_out) = tokens(&estimate, &measured);
            let price = prices.iter().find(|price| price.model == estimate.model);
            let cost = |batch| price.map(|price| price.of_call(tokens_in, tokens_out, batch) as f64 / MICROS);
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

    /// Returns the model of grains whose questions cannot be counted yet: that of the finest one.
    async fn model_of_coarse(&self, agent: &Agent, estimates: &[Estimate]) -> Result<Option<String>> {
        let settings = self.parts.store.settings(agent).await?;
        let first = estimates.first().map(|estimate| estimate.model.clone());
        Ok(first.or_else(|| self.model_states(&settings).first().map(|state| state.model.clone())))
    }

    /// Returns the mean tokens of questions and answers, by purpose and model, where enough calls were booked.
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

/// Mean tokens of a question and of its answer.
type Measured = BTreeMap<(Purpose, String), (f64, f64)>;

/// Returns the expected tokens of questions and answers. Questions of days are counted, because days differ; those of coarser
/// periods are alike.
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

/// Returns the expected tokens of an answer: two thirds of the longest summary, with its citations.
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

/// Logs what went wrong with batches. Nothing else waits for it.
pub(crate) fn log_batches(report: Result<BatchReport>) {
    match report {
        Ok(report) => report.failures.iter().for_each(|failure| tracing::warn!(failure, "a batch was not completed")),
        Err(error) => tracing::error!(%error, "batches could not be looked at"),
    }
}
