//! `annals price`: lists, sets and removes the prices of models.

use std::process::ExitCode;

use annals_core::Result;
use annals_service::calls::{self, ListPrices, RemovePrice};
use annals_service::wire::{PriceView, PricesView};

use crate::cli::{Global, Price, SetPrice};
use crate::run_or_hand_over::Client;
use crate::view::{BOLD, DIM, print_json, say};

pub(crate) async fn run(global: &Global, args: &Price) -> Result<ExitCode> {
    let prices = match args {
        Price::List => Client::open(global).await?.call(ListPrices {}).await?,
        Price::Set(args) => set(&Client::open_or_create(global).await?, args).await?,
        Price::Remove { model } => {
            let client = Client::open(global).await?;
            client.call(RemovePrice { model: model.clone() }).await?
        }
    };
    if global.json {
        print_json(&prices);
        return Ok(ExitCode::SUCCESS);
    }
    match args {
        Price::List => list(&prices),
        Price::Set(args) => {
            prices
                .prices
                .iter()
                .filter(|price| price.model == args.model)
                .for_each(|price| line(price, &prices.currency));
        }
        Price::Remove { model } => say!("{model} has no price any more."),
    }
    Ok(ExitCode::SUCCESS)
}

async fn set(client: &Client, args: &SetPrice) -> Result<PricesView> {
    let price = PriceView {
        model: args.model.clone(),
        input: args.input,
        cached_input: args.cached_input,
        cache_write: args.cache_write,
        output: args.output,
    };
    client.call(calls::SetPrice { price, currency: args.currency.clone() }).await
}

fn list(prices: &PricesView) {
    prices.prices.iter().for_each(|price| line(price, &prices.currency));
    if prices.prices.is_empty() {
        say!(
            "No prices. `annals price set MODEL --currency C --input N --output N` enters one, as its provider lists it."
        );
    } else {
        say!("{DIM}Per million tokens; batches cost half.{DIM:#}");
    }
}

fn line(price: &PriceView, currency: &str) {
    let PriceView { model, input, output, .. } = price;
    let cached = price.cached_input.map(|amount| format!(", {amount} from the cache")).unwrap_or_default();
    let written = price.cache_write.map(|amount| format!(", {amount} into the cache")).unwrap_or_default();
    say!("{BOLD}{model}{BOLD:#}  {input} in{cached}{written}, {output} out  {currency}");
}
