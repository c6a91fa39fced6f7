//! Prices of models. People enter them; Annals does not look them up.

use serde::{Deserialize, Serialize};

use crate::CacheTokens;

/// The price of a model. Amounts are in millionths of the currency, so that sums are exact.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Price {
    /// Name of the model, as in the usage that is recorded.
    pub model: String,
    /// The currency, as people write it: `USD`, `€`.
    pub currency: String,
    /// Millionths of the currency for a million tokens of requests.
    pub input: u64,
    /// Millionths of the currency for a million tokens that the provider read from its prompt cache. `None` if they cost as
    /// much as other tokens of requests.
    pub cached_input: Option<u64>,
    /// Millionths of the currency for a million tokens that the provider wrote to its prompt cache. `None` if they cost as
    /// much as other tokens of requests.
    pub cache_write: Option<u64>,
    /// Millionths of the currency for a million tokens of answers.
    pub output: u64,
}

impl Price {
    /// Millionths in one unit of a currency.
    pub const MICROS: f64 = 1_000_000.0;

    /// Returns the cost of these tokens, in a batch or not, in millionths of the currency, rounded up. `cache` is a part of
    /// `tokens_in`. Tokens of a batch cost half the price, as every provider of batches charges.
    pub fn of_call(&self, tokens_in: u64, cache: CacheTokens, tokens_out: u64, batch: bool) -> u64 {
        let read = cache.read.min(tokens_in);
        let written = cache.written.min(tokens_in - read);
        let parts = [
            (self.input, tokens_in - read - written),
            (self.cached_input.unwrap_or(self.input), read),
            (self.cache_write.unwrap_or(self.input), written),
            (self.output, tokens_out),
        ];
        let cost = parts
            .into_iter()
            .fold(0_u128, |sum, (price, tokens)| sum.saturating_add(u128::from(price) * u128::from(tokens)));
        let whole = u64::try_from(cost.div_ceil(1_000_000)).unwrap_or(u64::MAX);
        if batch { whole.div_ceil(2) } else { whole }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn price() -> Price {
        Price {
            model: "m".into(),
            currency: "USD".into(),
            input: 150_000,
            cached_input: None,
            cache_write: None,
            output: 600_000,
        }
    }

    #[test]
    fn cost_is_by_a_million_tokens_and_rounded_up() {
        let (price, none) = (price(), CacheTokens::default());
        for (tokens, expect) in [((0, 0), 0), ((1_000_000, 0), 150_000), ((2_000, 1_000), 900), ((1, 0), 1)] {
            assert_eq!(price.of_call(tokens.0, none, tokens.1, false), expect, "{tokens:?}");
            assert_eq!(price.of_call(tokens.0, none, tokens.1, true), expect.div_ceil(2), "{tokens:?}");
        }
        let dear = Price { input: u64::MAX, ..price };
        assert_eq!(dear.of_call(u64::MAX, none, 0, false), u64::MAX);
    }

    #[test]
    fn tokens_of_the_cache_have_prices_of_their_own() {
        fn check(cached_input: Option<u64>, cache_write: Option<u64>, cache: (u64, u64), expect: u64) {
            let price = Price { cached_input, cache_write, ..price() };
            let cache = CacheTokens { read: cache.0, written: cache.1 };
            assert_eq!(price.of_call(1_000_000, cache, 0, false), expect, "{price:?} {cache:?}");
        }
        check(None, None, (400_000, 100_000), 150_000);
        check(Some(15_000), None, (400_000, 100_000), 90_000 + 6_000);
        check(Some(15_000), Some(187_500), (400_000, 100_000), 75_000 + 6_000 + 18_750);
        check(Some(0), Some(0), (1_000_000, 0), 0);
        // A server that counts more cached tokens than tokens.
        check(Some(15_000), Some(0), (2_000_000, 9), 15_000);
    }
}
