//! What models cost, by the prices that people entered.

use std::collections::{BTreeMap, BTreeSet};

use annals_core::ports::budget_day;
use annals_core::{Agent, Date, Error, Price, Result, Timestamp, Usage};
use jiff::ToSpan;
use jiff::tz::TimeZone;

use crate::wire::{BudgetView, CostView, CostsAnswer, CostsRequest};
use crate::{Caller, Service};

/// Maximum number of agents for which the built-in engine's summaries are counted. With more agents, they are not counted.
/// Counting reads the ledger of each agent.
const MAX_COUNTED: usize = 20;

impl Service {
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

#[cfg(test)]
mod tests {
    use annals_core::ports::{Key, Replies, Scope, Target};
    use annals_core::{CacheTokens, Digest, Purpose, Reply};
    use annals_testkit::{agent, at};

    use super::*;
    use crate::fixture::{NOW, service_with_memories};
    use crate::wire::{PriceView, PricesView};

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
}
