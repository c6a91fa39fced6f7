//! The prices of models, as people entered them. All are in one currency and belong to the whole service.

use std::collections::BTreeSet;

use annals_core::{Error, Fault, ObjectKind, Price, Result};

use crate::Service;
use crate::wire::{PriceView, PricesView};

/// Maximum price of a million tokens, in units of the currency. A larger one is refused as an input error.
const MAX_PRICE: f64 = 1_000_000.0;
const MAX_MODEL_LENGTH: usize = 200;
const MAX_CURRENCY_LENGTH: usize = 8;
const MAX_PRICES: usize = 1000;

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
        let _changing = self.changing_prices.lock().await;
        self.replace_prices(list).await
    }

    /// Sets the price of one model and keeps the others. Without a currency, that of the other prices applies. Names the fields
    /// of the price alone in errors.
    pub async fn set_price(&self, price: PriceView, currency: Option<String>) -> Result<PricesView> {
        let _changing = self.changing_prices.lock().await;
        let mut list = self.prices().await?;
        let before = list.prices.iter().position(|one| one.model == price.model);
        let are_others = list.prices.len() > usize::from(before.is_some());
        let currency = currency.map_or_else(|| list.currency.clone(), |currency| currency.trim().to_owned());
        let mut faults = Vec::new();
        check_currency(&mut faults, &currency);
        check_price(&mut faults, "", &price);
        if are_others && faults.is_empty() && currency != list.currency {
            let reason = format!(
                "is {currency:?}, but the prices of other models are in {0}; give this price in {0}, or remove the others first",
                list.currency
            );
            faults.push(Fault::new("currency", reason));
        }
        if !faults.is_empty() {
            return Err(Error::Faults(faults));
        }
        match before {
            Some(place) => list.prices[place] = price,
            None => list.prices.push(price),
        }
        self.replace_prices(PricesView { currency, ..list }).await
    }

    /// Removes the price of one model and keeps the others. Fails if the model has no price.
    pub async fn remove_price(&self, model: &str) -> Result<PricesView> {
        let _changing = self.changing_prices.lock().await;
        let mut list = self.prices().await?;
        let before = list.prices.len();
        list.prices.retain(|price| price.model != model);
        if list.prices.len() == before {
            return Err(Error::NotFound { what: ObjectKind::Price, name: model.to_owned() });
        }
        self.replace_prices(list).await
    }

    /// The caller holds the lock of the prices.
    async fn replace_prices(&self, list: PricesView) -> Result<PricesView> {
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
}

fn faults(list: &PricesView) -> Vec<Fault> {
    let mut faults = Vec::new();
    if !list.prices.is_empty() {
        check_currency(&mut faults, list.currency.trim());
    }
    if list.prices.len() > MAX_PRICES {
        faults.push(Fault::new("prices", format!("has {} entries; at most {MAX_PRICES} are kept", list.prices.len())));
    }
    let mut seen = BTreeSet::new();
    for (number, price) in list.prices.iter().enumerate() {
        let place = format!("prices[{number}].");
        check_price(&mut faults, &place, price);
        if !seen.insert(price.model.as_str()) {
            faults.push(Fault::new(format!("{place}model"), format!("is {:?} a second time", price.model)));
        }
    }
    faults
}

fn check_currency(faults: &mut Vec<Fault>, currency: &str) {
    if currency.is_empty() || currency.chars().count() > MAX_CURRENCY_LENGTH {
        faults.push(Fault::new("currency", format!("must have 1 to {MAX_CURRENCY_LENGTH} letters")));
    }
}

/// Checks one price. `place` stands before the names of its fields.
fn check_price(faults: &mut Vec<Fault>, place: &str, price: &PriceView) {
    let mut fault = |field: &str, reason: String| faults.push(Fault::new(format!("{place}{field}"), reason));
    let model = price.model.as_str();
    if model.trim().is_empty() || model.len() > MAX_MODEL_LENGTH || model.chars().any(char::is_control) {
        fault("model", format!("must be a name of 1 to {MAX_MODEL_LENGTH} bytes"));
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

#[cfg(test)]
mod tests {
    use annals_testkit::agent;

    use super::*;
    use crate::fixture::service_with_memories;

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

    #[tokio::test]
    async fn one_price_is_set_and_removed_and_the_others_stay() {
        async fn check(service: &Service, currency: Option<&str>, price: PriceView, expect: &str) {
            let before = service.prices().await.unwrap();
            let error = service.set_price(price, currency.map(str::to_owned)).await.unwrap_err().to_string();
            assert!(error.contains(expect), "{error}");
            assert_eq!(service.prices().await.unwrap(), before);
        }
        let service = service_with_memories(&agent("ann")).await;
        let price = |model: &str, input: f64| list("", &[(model, input, 2.0)]).prices.remove(0);
        check(&service, None, price("a", 1.0), "currency must have 1 to 8 letters").await;
        let set = |price: PriceView, currency: Option<&str>| service.set_price(price, currency.map(str::to_owned));
        assert_eq!(set(price("b", 1.0), Some("EUR")).await.unwrap(), list("EUR", &[("b", 1.0, 2.0)]));
        assert_eq!(set(price("b", 3.0), Some(" USD ")).await.unwrap(), list("USD", &[("b", 3.0, 2.0)]), "the only one");
        let both = list("USD", &[("a", 0.5, 2.0), ("b", 3.0, 2.0)]);
        assert_eq!(set(price("a", 0.5), None).await.unwrap(), both);
        check(&service, Some("EUR"), price("a", 1.0), "currency is \"EUR\", but the prices of other models are in USD")
            .await;
        check(&service, None, price("c", -1.0), "input is -1").await;
        check(&service, None, price(" ", 1.0), "model must be").await;
        let unknown = service.remove_price("c").await.unwrap_err();
        assert!(matches!(unknown, Error::NotFound { what: ObjectKind::Price, .. }), "{unknown}");
        assert_eq!(service.remove_price("a").await.unwrap(), list("USD", &[("b", 3.0, 2.0)]));
        assert_eq!(service.remove_price("b").await.unwrap(), PricesView::default());
    }
}
