//! Costs of models, and the prices that people entered.

use std::collections::{BTreeMap, BTreeSet};

use annals_core::ports::budget_day;
use annals_core::{Agent, Date, Error, Fault, Price, Result, Timestamp, Usage};
use jiff::ToSpan;
use jiff::tz::TimeZone;

use crate::wire::{BudgetView, CostView, CostsAnswer, CostsRequest, PriceView, PricesView};
use crate::{Caller, Service};

/// Maximum price of a million tokens, in units of the currency. A larger one is refused as an input error.
const MAX_PRICE: f64 = 1_000_000.0;
const MAX_MODEL_LENGTH: usize = 200;
const MAX_CURRENCY_LENGTH: usize = 8;
const MAX_PRICES: usize = 1000;
/// Maximum number of agents for which the built-in engine's summaries are counted. With more agents, they are not counted.
/// Counting reads the ledger of each agent.
const MAX_COUNTED: usize = 20;

impl Service {
    /// Returns the prices of models, and their currency; an empty currency if there are no prices.
    pub async fn prices(&self) -> Result<PricesView> {
        let prices = self.parts.store.prices().await?;
        let amount = |micros: u64| micros as f64 / Price::MICROS;
        Ok(PricesView {
            currency: prices.first().map(|price| price.currency.clone()).unwrap_or_default(),
            prices: prices
                .into_iter()
                .map(|price| PriceView {
                    model: price.model,
                    input: amount(price.input),
                    cached_input: price.cached_input.map(amount),
                    cache_write: price.cache_write.map(amount),
                    output: amount(price.output),
                })
                .collect(),
        })
    }

    /// Replaces all prices. If the list has faults, changes nothing and returns an error that names them all.
    pub async fn set_prices(&self, list: PricesView) -> Result<PricesView> {
        let faults = faults(&list);
        if !faults.is_empty() {
            return Err(Error::Faults(faults));
        }
        let (currency, micros) =
            (list.currency.trim().to_owned(), |amount: f64| (amount * Price::MICROS).round() as u64);
        let price = |price: PriceView| Price {
            model: price.model,
            currency: currency.clone(),
            input: micros(price.input),
            cached_input: price.cached_input.map(micros),
            cache_write: price.cache_write.map(micros),
            output: micros(price.output),
        };
        self.parts.store.save_prices(list.prices.into_iter().map(price).collect()).await?;
        self.prices().await
    }

    /// Returns the costs of the agents that the caller may use. Includes the costs of erased agents, under an empty name, if
    /// the caller may use all agents of its workspace.
    pub async fn costs_of_all(&self, caller: &Caller, request: &CostsRequest, now: Timestamp) -> Result<CostsAnswer> {
        let mut agents = self.agents(caller.workspace(), None, usize::MAX, |agent| caller.opens(agent)).await?;
        agents.extend(Some(Agent::erased(caller.workspace())?).filter(|erased| caller.opens(erased)));
        self.costs(&agents, request, now).await
    }

    /// Returns the costs of these agents, by default of the last thirty UTC days. Fails if `from` is after `to`.
    pub async fn costs(&self, agents: &[Agent], request: &CostsRequest, now: Timestamp) -> Result<CostsAnswer> {
        let to = request.to.unwrap_or_else(|| budget_day(now));
        let from = request.from.unwrap_or_else(|| to.saturating_sub(29.days()));
        if from > to {
            return Err(Error::invalid("to", "is before from"));
        }
        let prices = self.parts.store.prices().await?;
        let by_model: BTreeMap<&str, &Price> = prices.iter().map(|price| (price.model.as_str(), price)).collect();
        let since = from.to_zoned(TimeZone::UTC).map_or(now, |day| day.timestamp());
        let mut answer = CostsAnswer {
            from,
            to,
            tokens_in: 0,
            tokens_out: 0,
            currency: prices.first().map(|price| price.currency.clone()).unwrap_or_default(),
            cost: 0.0,
            unpriced: Vec::new(),
            budget: self.budget(),
            built_in: self.built_in(agents).await?,
            costs: Vec::new(),
        };
        let (mut micros, mut unpriced) = (0_u64, BTreeSet::new());
        for agent in agents {
            for usage in self.parts.store.usage(agent, since).await?.iter().filter(|usage| usage.day <= to) {
                let cost = by_model
                    .get(usage.model.as_str())
                    .map(|price| price.of_call(usage.tokens_in, usage.cache, usage.tokens_out, usage.batch));
                micros = micros.saturating_add(cost.unwrap_or_default());
                answer.tokens_in += usage.tokens_in;
                answer.tokens_out += usage.tokens_out;
                answer.costs.push(view(agent, usage, cost));
                if cost.is_none() {
                    unpriced.insert(usage.model.clone());
                }
            }
        }
        answer.cost = micros as f64 / Price::MICROS;
        answer.unpriced = unpriced.into_iter().collect();
        Ok(answer)
    }

    /// Returns Monday and Sunday of the week before the one of `now`. Days are in UTC, as those of budgets.
    pub fn last_week(now: Timestamp) -> (Date, Date) {
        let today = budget_day(now);
        let monday = today.saturating_sub(i64::from(today.weekday().to_monday_zero_offset()).days());
        (monday.saturating_sub(7.days()), monday.saturating_sub(1.day()))
    }

    fn budget(&self) -> Option<BudgetView> {
        let sums = self.parts.budget?;
        Some(BudgetView { agent: sums.agent, workspace: sums.workspace, process: sums.process })
    }

    /// Counts the summaries that neither a model nor a person wrote; `None` for more than [`MAX_COUNTED`] agents.
    async fn built_in(&self, agents: &[Agent]) -> Result<Option<u64>> {
        if agents.len() > MAX_COUNTED {
            return Ok(None);
        }
        let mut count = 0;
        for agent in agents.iter().filter(|agent| !agent.name().is_empty()) {
            let ledger = self.parts.store.ledger(agent).await?;
            let outline = self.outline(agent).await?;
            let written = ledger.iter().filter(|row| outline.summaries.contains(&row.period) && !row.is_corrected());
            count += written.filter(|row| row.tokens == 0 || row.degraded).count() as u64;
        }
        Ok(Some(count))
    }
}

fn view(agent: &Agent, usage: &Usage, cost: Option<u64>) -> CostView {
    CostView {
        agent: agent.name().to_owned(),
        day: usage.day,
        purpose: usage.purpose.as_str().to_owned(),
        model: usage.model.clone(),
        batch: usage.batch,
        calls: usage.calls,
        tokens_in: usage.tokens_in,
        cache_read: usage.cache.read,
        cache_written: usage.cache.written,
        tokens_out: usage.tokens_out,
        cost: cost.map(|micros| micros as f64 / Price::MICROS),
    }
}

fn faults(list: &PricesView) -> Vec<Fault> {
    let mut faults = Vec::new();
    let currency = list.currency.trim();
    if !list.prices.is_empty() && (currency.is_empty() || currency.chars().count() > MAX_CURRENCY_LENGTH) {
        faults.push(Fault::new("currency", format!("must have 1 to {MAX_CURRENCY_LENGTH} letters")));
    }
    if list.prices.len() > MAX_PRICES {
        faults.push(Fault::new("prices", format!("has {} entries; at most {MAX_PRICES} are kept", list.prices.len())));
    }
    let mut seen = BTreeSet::new();
    for (number, price) in list.prices.iter().enumerate() {
        let mut fault =
            |field: &str, reason: String| faults.push(Fault::new(format!("prices[{number}].{field}"), reason));
        let model = price.model.as_str();
        if model.trim().is_empty() || model.len() > MAX_MODEL_LENGTH || model.chars().any(char::is_control) {
            fault("model", format!("must be a name of 1 to {MAX_MODEL_LENGTH} bytes"));
        }
        if !seen.insert(model) {
            fault("model", format!("is {model:?} a second time"));
        }
        let amounts = [
            ("input", Some(price.input)),
            ("cached_input", price.cached_input),
            ("cache_write", price.cache_write),
            ("output", Some(price.output)),
        ];
        for (field, amount) in amounts {
            if let Some(amount) = amount.filter(|amount| !(0.0..=MAX_PRICE).contains(amount)) {
                fault(field, format!("is {amount}; 0 to {MAX_PRICE} are allowed"));
            }
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use annals_core::ports::{Key, Replies, Scope, Target};
    use annals_core::{CacheTokens, Digest, Purpose, Reply};
    use annals_testkit::{agent, at};

    use super::*;
    use crate::fixture::{NOW, service_with_memories};

    fn list(currency: &str, prices: &[(&str, f64, f64)]) -> PricesView {
        let price = |(model, input, output): &(&str, f64, f64)| PriceView {
            model: (*model).to_owned(),
            input: *input,
            cached_input: None,
            cache_write: None,
            output: *output,
        };
        PricesView { currency: currency.into(), prices: prices.iter().map(price).collect() }
    }

    fn with_cached(amount: f64) -> PricesView {
        let mut list = list("€", &[("m", 1.0, 2.0)]);
        list.prices[0].cached_input = Some(amount);
        list
    }

    async fn pay(service: &Service, agent: &Agent, model: &str, day: &str) {
        let reply = Reply {
            key: Digest::of([model]),
            purpose: Purpose::Daily,
            model: model.into(),
            text: String::new(),
            tokens_in: 1_000_000,
            cache: CacheTokens { read: 500_000, written: 0 },
            tokens_out: 100_000,
            read_seq: 0,
            reservation: None,
            access_key: None,
        };
        Replies::charge(&*service.parts.store, agent, reply, at(day)).await.unwrap();
    }

    #[tokio::test]
    async fn costs_are_of_the_days_and_what_has_no_price_is_named() {
        let me = agent("ann");
        let service = service_with_memories(&me).await;
        for (model, day) in [("small", "2026-03-02T10:00:00Z"), ("small", "2026-03-08T23:00:00Z"), ("other", NOW)] {
            pay(&service, &me, model, day).await;
        }
        service.set_prices(list("USD", &[("small", 0.15, 0.6)])).await.unwrap();
        let (from, to) = Service::last_week(at(NOW));
        assert_eq!((from.to_string(), to.to_string()), ("2026-03-02".into(), "2026-03-08".into()));
        let request = CostsRequest { from: Some(from), to: Some(to), agent: None };
        let week = service.costs(std::slice::from_ref(&me), &request, at(NOW)).await.unwrap();
        assert_eq!((week.costs.len(), week.cost, week.currency.as_str()), (2, 0.42, "USD"));
        assert!(week.unpriced.is_empty() && week.built_in == Some(3), "{week:?}");
        let month = service.costs(&[me], &CostsRequest::default(), at(NOW)).await.unwrap();
        assert_eq!((month.costs.len(), month.cost, month.unpriced), (3, 0.42, vec!["other".to_owned()]));
        assert_eq!((month.tokens_in, month.tokens_out), (3_000_000, 300_000));
        let mut cheaper = list("USD", &[("small", 0.15, 0.6)]);
        cheaper.prices[0].cached_input = Some(0.01);
        service.set_prices(cheaper.clone()).await.unwrap();
        assert_eq!(service.prices().await.unwrap(), cheaper);
        let week = service.costs(&[agent("ann")], &request, at(NOW)).await.unwrap();
        assert_eq!((week.cost, week.costs[0].cache_read), (0.28, 500_000));
    }

    #[tokio::test]
    async fn what_erased_agents_cost_stays_without_their_names() {
        let (me, caller) = (agent("ann"), Caller::local());
        let service = service_with_memories(&me).await;
        pay(&service, &me, "small", NOW).await;
        let request = CostsRequest::default();
        let before = service.costs_of_all(&caller, &request, at(NOW)).await.unwrap();
        service.forget_target(&me, &Target::Agent, false, at(NOW)).await.unwrap();
        let after = service.costs_of_all(&caller, &request, at(NOW)).await.unwrap();
        let costs: Vec<_> = after.costs.iter().map(|cost| (cost.agent.as_str(), cost.tokens_in)).collect();
        assert_eq!(costs, [("", 1_000_000)]);
        assert_eq!((after.tokens_in, after.cost, after.built_in), (before.tokens_in, before.cost, Some(0)));
        let key = Key {
            id: "k".into(),
            name: "phone".into(),
            workspace: me.workspace().into(),
            scopes: Scope::ALL.into(),
            agents: vec!["ann".into()],
            created_at: at(NOW),
            expires_at: None,
            revoked_at: None,
            daily_tokens: None,
        };
        let bound = Caller::of(key);
        assert_eq!(service.costs_of_all(&bound, &request, at(NOW)).await.unwrap().costs, []);
    }

    #[tokio::test]
    async fn prices_with_faults_are_refused_and_nothing_changes() {
        let service = service_with_memories(&agent("ann")).await;
        let before = service.set_prices(list("€", &[("m", 1.0, 2.0)])).await.unwrap();
        for (wrong, expect) in [
            (list("", &[("m", 1.0, 1.0)]), "currency"),
            (list("€", &[("", 1.0, 1.0)]), "prices[0].model"),
            (list("€", &[("m", 1.0, 1.0), ("m", 2.0, 2.0)]), "a second time"),
            (list("€", &[("m", -1.0, 1.0)]), "prices[0].input"),
            (list("€", &[("m", 1.0, f64::NAN)]), "prices[0].output"),
            (with_cached(-1.0), "prices[0].cached_input"),
        ] {
            let error = service.set_prices(wrong).await.unwrap_err().to_string();
            assert!(error.contains(expect), "{error}");
        }
        assert_eq!(service.prices().await.unwrap(), before);
        service.set_prices(PricesView::default()).await.unwrap();
        assert_eq!(service.prices().await.unwrap(), PricesView::default());
    }
}
