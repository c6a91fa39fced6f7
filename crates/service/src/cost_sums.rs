//! Adds up rows of costs, for the tables on pages and of commands.

use std::collections::BTreeMap;

use crate::numbers::money;
use crate::wire::CostView;

/// Tokens and cost of several rows, added up.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CostSum {
    pub calls: u64,
    pub tokens_in: u64,
    pub tokens_out: u64,
    /// Tokens of requests and answers that were processed in batches, at half the price.
    pub in_batches: u64,
    /// Tokens of requests that providers read from their prompt caches.
    pub cache_read: u64,
    pub cost: f64,
    /// Tokens of requests and answers of models without a price.
    pub unpriced: u64,
}

impl CostSum {
    /// Adds up all rows.
    pub fn of<'a>(costs: impl IntoIterator<Item = &'a CostView>) -> CostSum {
        let mut sum = CostSum::default();
        costs.into_iter().for_each(|view| sum.add(view));
        sum
    }

    fn add(&mut self, view: &CostView) {
        let tokens = view.tokens_in + view.tokens_out;
        self.calls += view.calls;
        self.tokens_in += view.tokens_in;
        self.tokens_out += view.tokens_out;
        self.in_batches += if view.batch { tokens } else { 0 };
        self.cache_read += view.cache_read;
        self.cost += view.cost.unwrap_or_default();
        self.unpriced += if view.cost.is_none() { tokens } else { 0 };
    }

    /// Returns the tokens of requests and answers.
    pub fn tokens(&self) -> u64 {
        self.tokens_in + self.tokens_out
    }

    /// Returns the cost in words; says so if some or all of the tokens have no price.
    pub fn cost_in(&self, currency: &str) -> String {
        match (self.unpriced, self.cost) {
            (0, cost) => money(cost, currency),
            (_, 0.0) => "no price".to_owned(),
            (_, cost) => format!("over {}", money(cost, currency)),
        }
    }
}

/// Adds up the rows with the same key.
pub fn sums_by<'a, K: Ord>(costs: &'a [CostView], key: impl Fn(&'a CostView) -> K) -> BTreeMap<K, CostSum> {
    let mut sums: BTreeMap<K, CostSum> = BTreeMap::new();
    costs.iter().for_each(|view| sums.entry(key(view)).or_default().add(view));
    sums
}

/// Returns the name of an agent for people. Erased agents have an empty name, so they get one in parentheses.
pub fn agent_in_words(name: &str) -> &str {
    if name.is_empty() { "(erased agents)" } else { name }
}

/// Returns a purpose in words.
pub fn purpose_in_words(purpose: &str) -> &str {
    match purpose {
        "extraction" => "facts",
        "rerank" => "order of search results",
        "daily" => "summaries of days",
        "weekly" => "summaries of weeks",
        "monthly" => "summaries of months",
        "quarterly" => "summaries of quarters",
        "yearly" => "summaries of years",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    fn view(day: i8, model: &str, cost: Option<f64>) -> CostView {
        let (agent, purpose) = ("ann".to_owned(), "daily".to_owned());
        CostView {
            agent,
            day: date(2026, 3, day),
            purpose,
            model: model.into(),
            batch: false,
            calls: 1,
            tokens_in: 10,
            cache_read: 3,
            cache_written: 0,
            tokens_out: 2,
            cost,
        }
    }

    #[test]
    fn sums_are_by_key_and_name_what_has_no_price() {
        let costs = [CostView { batch: true, ..view(1, "a", Some(0.5)) }, view(2, "a", Some(0.25)), view(2, "b", None)];
        let by_model = sums_by(&costs, |view| view.model.clone());
        let a =
            CostSum { calls: 2, tokens_in: 20, tokens_out: 4, in_batches: 12, cache_read: 6, cost: 0.75, unpriced: 0 };
        assert_eq!((by_model["a"], by_model["b"].unpriced), (a, 12));
        let by_day = sums_by(&costs, |view| view.day);
        assert_eq!(by_day.len(), 2);
        let words = [by_model["a"], by_model["b"], CostSum::of(&costs)].map(|sum| sum.cost_in("USD"));
        assert_eq!(words, ["0.75 USD", "no price", "over 0.75 USD"]);
    }
}
