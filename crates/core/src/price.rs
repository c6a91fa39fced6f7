//! Prices of models. People enter them; Annals does not look them up.

use serde::{Deserialize, Serialize};

/// The price of a model. Amounts are in millionths of the currency, so that sums are exact.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Price {
    /// Name of the model, as the endpoint reports it.
    pub model: String,
    /// The currency, as people write it: `USD`, `€`.
    pub currency: String,
    /// Millionths of the currency for a million tokens of requests.
    pub input: u64,
    /// Millionths of the currency for a million tokens of answers.
    pub output: u64,
}

impl Price {
    /// Millionths in one unit of a currency.
    pub const MICROS: f64 = 1_000_000.0;

    /// Returns the cost of these tokens in millionths of the currency, rounded up.
    pub fn of(&self, tokens_in: u64, tokens_out: u64) -> u64 {
        let cost = u128::from(self.input) * u128::from(tokens_in) + u128::from(self.output) * u128::from(tokens_out);
        u64::try_from(cost.div_ceil(1_000_000)).unwrap_or(u64::MAX)
    }

    /// Returns the cost of these tokens, in a batch or not. Every provider of batches charges half the price for them.
    pub fn of_call(&self, tokens_in: u64, tokens_out: u64, batch: bool) -> u64 {
        let whole = self.of(tokens_in, tokens_out);
        if batch { whole.div_ceil(2) } else { whole }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cost_is_by_a_million_tokens_and_rounded_up() {
        let price = Price { model: "m".into(), currency: "USD".into(), input: 150_000, output: 600_000 };
        for (tokens, expect) in [((0, 0), 0), ((1_000_000, 0), 150_000), ((2_000, 1_000), 900), ((1, 0), 1)] {
            assert_eq!(price.of_call(tokens.0, tokens.1, false), expect, "{tokens:?}");
            assert_eq!(price.of_call(tokens.0, tokens.1, true), expect.div_ceil(2), "{tokens:?}");
        }
        let dear = Price { input: u64::MAX, ..price };
        assert_eq!(dear.of(u64::MAX, 0), u64::MAX);
    }
}
