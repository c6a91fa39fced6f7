//! Estimates what a roll-up would cost before it is paid: tokens, and money where a model has a price, by purpose.
//!
//! Requests with existing input are rendered and counted, but not sent. What does not exist yet is estimated by rule: requests
//! for periods with finer periods that are not summarized yet, known facts that a long extraction adds to later requests, and
//! all answers. If the agent has enough earlier requests, their means replace rules (see [`tokens`]).

use std::collections::BTreeMap;

use annals_core::ports::{Counting, Estimate, ModelState, budget_day};
use annals_core::{Agent, CacheTokens, Grain, Price, Purpose, Result, SignedDuration, Timestamp};
use annals_summarizer::Waiting;
use annals_writer::Unread;

use crate::Service;
use crate::wire::EstimateView;

/// Ratio of a request's real tokens to the upper estimate by which requests are counted: 0.61 for o200k_base on chats and a
/// diary, a fifth more for some other tokenizers.
const TRUE_SHARE: f64 = 0.64;

/// Minimum number of recorded calls for which their mean is used instead of a rule.
const ENOUGH_CALLS: u64 = 20;

/// Maximum age of the calls that the mean is computed from.
const MEASURED: SignedDuration = SignedDuration::from_hours(60 * 24);

/// Tokens of the instructions in a request for a day, and in one for a longer period, without background.
const INSTRUCTIONS_FOR_TURNS: f64 = 750.0;
const INSTRUCTIONS_FOR_SUMMARIES: f64 = 620.0;

/// Expected tokens of the answer for a period: these, and a share of the tokens of its sources. Fitted to recorded answers of a
/// capable model for 250 periods of LoCoMo, Pepys' diary and the demo, counted by o200k_base.
const SHORTEST_ANSWER: f64 = 50.0;
const SHARE_OF_TURNS: f64 = 0.18;
const SHARE_OF_SUMMARIES: f64 = 0.5;

/// Ratio of the tokens of a summary as lines of the next request to its tokens as JSON.
const LINES_OF_ANSWER: f64 = 0.75;

/// Assumed tokens of an extraction's answer for each turn that is read: a statement or an operation in JSON for every second
/// turn.
const ANSWER_PER_TURN: u64 = 30;

/// Upper estimate of the tokens of a known fact in a request.
const TOKENS_PER_FACT: u64 = 20;

impl Service {
    /// Estimates the cost of extracting facts from the waiting turns of an agent and of summarizing its due periods, by
    /// purpose. Empty without models.
    pub(crate) async fn estimates(&self, agent: &Agent, refresh: bool, now: Timestamp) -> Result<Vec<EstimateView>> {
        let Some(batching) = &self.parts.batching else { return Ok(Vec::new()) };
        let Counting { engine, extractor, counted } = batching.counting();
        let unread = self.parts.fact_writer.ask_for_unread(&*extractor, agent, now).await?;
        let waiting =
            self.parts.summarizer.without_quiet_time().with_engine(engine).ask_for_due(agent, refresh, now).await?;
        let mut estimates = counted();
        if let Some(extraction) = estimates.iter_mut().find(|estimate| estimate.purpose == Purpose::Extraction) {
            extraction.tokens_in += unread.to_come * TOKENS_PER_FACT;
        }
        let states = self.model_states(&self.parts.store.settings(agent).await?);
        let measured = self.measured(agent, now).await?;
        waiting.iter().for_each(|waiting| add_waiting(&mut estimates, &measured, waiting, &states));
        let prices = self.parts.store.prices().await?;
        let view = |estimate: Estimate| {
            let tokens = tokens(&estimate, &measured, unread);
            view(estimate, tokens, &prices)
        };
        Ok(estimates.into_iter().map(view).collect())
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
}

/// Mean tokens of a request and of its answer, by purpose and model.
type Measured = BTreeMap<(Purpose, String), (f64, f64)>;

/// Adds the requests of a grain that cannot be rendered yet, because finer periods have to be summarized first. Adds nothing if
/// no model writes summaries of this grain.
fn add_waiting(estimates: &mut Vec<Estimate>, measured: &Measured, waiting: &Waiting, states: &[ModelState]) {
    let Waiting { grain, periods, sources } = *waiting;
    let purpose = Purpose::of(grain);
    let Some(state) = states.iter().find(|state| state.purposes.contains(&purpose)) else { return };
    let of_source = finer_answer(estimates, measured, grain, states) * LINES_OF_ANSWER;
    let expected = periods as f64 * INSTRUCTIONS_FOR_SUMMARIES + sources as f64 * of_source;
    let tokens_in = (expected / TRUE_SHARE) as u64;
    match estimates.iter_mut().find(|estimate| estimate.purpose == purpose) {
        Some(estimate) => {
            (estimate.calls, estimate.tokens_in) = (estimate.calls + periods, estimate.tokens_in + tokens_in);
        }
        None => estimates.push(Estimate { purpose, model: state.model.clone(), calls: periods, tokens_in }),
    }
}

/// Returns the expected tokens of the summary of a period one grain finer: as estimated, otherwise as measured, otherwise half
/// of the longest.
fn finer_answer(estimates: &[Estimate], measured: &Measured, grain: Grain, states: &[ModelState]) -> f64 {
    let purpose = Purpose::of(grain.finer().unwrap_or(Grain::Daily));
    let estimated = estimates.iter().find(|estimate| estimate.purpose == purpose && estimate.calls > 0);
    if let Some(estimate) = estimated {
        return tokens(estimate, measured, Unread::default()).1 as f64 / estimate.calls as f64;
    }
    let model = states.iter().find(|state| state.purposes.contains(&purpose)).map(|state| state.model.clone());
    let mean = model.and_then(|model| measured.get(&(purpose, model)));
    mean.map_or(longest_answer(purpose) / 2.0, |(_, answer)| *answer)
}

/// Returns the expected tokens of all requests and of all answers. The lengths of requests for days and facts differ, so these
/// requests are always counted. Requests for coarser periods are alike, so the measured mean is used if there is one.
fn tokens(estimate: &Estimate, measured: &Measured, unread: Unread) -> (u64, u64) {
    let (calls, counted) = (estimate.calls as f64, estimate.tokens_in as f64 * TRUE_SHARE);
    let answers = match estimate.purpose {
        Purpose::Extraction => (unread.turns * ANSWER_PER_TURN) as f64,
        purpose => calls * answer_to(purpose, counted / calls),
    };
    let is_counted = matches!(estimate.purpose, Purpose::Extraction | Purpose::Daily);
    let (tokens_in, tokens_out) = match measured.get(&(estimate.purpose, estimate.model.clone())) {
        Some((_, answer)) if is_counted => (counted, calls * answer),
        Some((question, answer)) => (calls * question, calls * answer),
        None => (counted, answers),
    };
    (tokens_in.round() as u64, tokens_out.round() as u64)
}

/// Returns the expected tokens of the answer to a request of these tokens; 0 for purposes that write no summaries.
fn answer_to(purpose: Purpose, request: f64) -> f64 {
    let (share, instructions) = match purpose {
        Purpose::Daily => (SHARE_OF_TURNS, INSTRUCTIONS_FOR_TURNS),
        _ => (SHARE_OF_SUMMARIES, INSTRUCTIONS_FOR_SUMMARIES),
    };
    (SHORTEST_ANSWER + share * (request - instructions).max(0.0)).min(longest_answer(purpose))
}

/// Returns the most tokens that are expected of an answer: two thirds of the words that the prompt allows, at 2.8 tokens for a
/// word, its citation and its day.
fn longest_answer(purpose: Purpose) -> f64 {
    match purpose {
        Purpose::Extraction | Purpose::Rerank => 0.0,
        Purpose::Daily => 370.0,
        Purpose::Weekly => 560.0,
        Purpose::Monthly => 750.0,
        Purpose::Quarterly => 930.0,
        Purpose::Yearly => 1_120.0,
    }
}

fn view(estimate: Estimate, (tokens_in, tokens_out): (u64, u64), prices: &[Price]) -> EstimateView {
    let price = prices.iter().find(|price| price.model == estimate.model);
    let cost = |batch| {
        price.map(|price| price.of_call(tokens_in, CacheTokens::default(), tokens_out, batch) as f64 / Price::MICROS)
    };
    EstimateView {
        purpose: estimate.purpose.as_str().to_owned(),
        calls: estimate.calls,
        tokens_in,
        tokens_out,
        cost: cost(false),
        // Facts are not extracted in batches.
        cost_in_batch: cost(estimate.purpose != Purpose::Extraction),
        model: estimate.model,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_by_rule_until_enough_were_measured() {
        fn check(purpose: Purpose, measured: Option<(f64, f64)>, expect: (u64, u64)) {
            let estimate = Estimate { purpose, model: "m".into(), calls: 10, tokens_in: 4_000 };
            let measured = measured.map(|mean| ((purpose, "m".to_owned()), mean)).into_iter().collect();
            assert_eq!(tokens(&estimate, &measured, Unread { turns: 50, to_come: 0 }), expect, "{purpose:?}");
        }
        check(Purpose::Extraction, None, (2_560, 1_500));
        check(Purpose::Extraction, Some((900.0, 70.0)), (2_560, 700));
        check(Purpose::Daily, None, (2_560, 500));
        check(Purpose::Daily, Some((900.0, 70.0)), (2_560, 700));
        check(Purpose::Weekly, None, (2_560, 500));
        check(Purpose::Weekly, Some((900.0, 70.0)), (9_000, 700));
    }

    #[test]
    fn answers_grow_with_their_sources_up_to_a_limit() {
        fn check(purpose: Purpose, request: f64, expect: f64) {
            assert_eq!(answer_to(purpose, request).round(), expect, "{purpose:?} {request}");
        }
        check(Purpose::Daily, 500.0, 50.0);
        check(Purpose::Daily, 1_750.0, 230.0);
        check(Purpose::Daily, 9_000.0, 370.0);
        check(Purpose::Weekly, 1_020.0, 250.0);
        check(Purpose::Yearly, 9_000.0, 1_120.0);
        check(Purpose::Rerank, 9_000.0, 0.0);
    }

    #[test]
    fn facts_cost_the_same_beside_a_batch() {
        let (cached_input, cache_write) = (None, None);
        let (model, currency) = ("m".to_owned(), "USD".to_owned());
        let price = Price { model, currency, input: 1_000_000, cached_input, cache_write, output: 0 };
        let of = |purpose| {
            let estimate = Estimate { purpose, model: "m".into(), calls: 1, tokens_in: 0 };
            let view = view(estimate, (2_000_000, 0), std::slice::from_ref(&price));
            (view.cost, view.cost_in_batch)
        };
        assert_eq!(of(Purpose::Extraction), (Some(2.0), Some(2.0)));
        assert_eq!(of(Purpose::Daily), (Some(2.0), Some(1.0)));
    }

    #[test]
    fn grains_that_wait_have_the_price_of_their_own_model() {
        let state = |model: &str, purpose| ModelState {
            model: model.into(),
            base_url: String::new(),
            purposes: vec![purpose],
            window: 0,
            room: 0,
            reading: None,
            writing: None,
            requests: 0,
            running: 0,
            seconds: 0.0,
            tokens_in: 0,
            cached: 0,
            tokens_out: 0,
            current: 0,
        };
        let states = [state("small", Purpose::Extraction), state("large", Purpose::Yearly)];
        let mut estimates = Vec::new();
        for grain in [Grain::Monthly, Grain::Yearly] {
            add_waiting(&mut estimates, &Measured::new(), &Waiting { grain, periods: 1, sources: 4 }, &states);
        }
        let models: Vec<_> = estimates.iter().map(|one| (one.purpose, one.model.as_str())).collect();
        assert_eq!(models, [(Purpose::Yearly, "large")]);
    }
}
