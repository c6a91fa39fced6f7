//! The page of what models cost, by day, purpose, model and agent, with the table of prices. People enter the prices.

use std::collections::BTreeSet;

use annals_core::ports::Scope;
use annals_core::{Agent, Date, Error, Timestamp};
use annals_service::Service;
use annals_service::cost_sums::CostSum;
use annals_service::numbers::money;
use annals_service::wire::{CostsAnswer, CostsRequest, PriceView, PricesView};
use axum::extract::State;
use jiff::ToSpan;
use maud::{Markup, html};

use super::{Shown, cost_tables, live};
use crate::fields::{Fields, Form, Query};
use crate::layout::{Page, redirect, token};
use crate::site::Site;
use crate::visit::Visitor;
use crate::{labels, link};

/// Maximum number of agents that are offered for choice. Only the first are, in the order of their keys.
const MAX_CHOICES: usize = 200;
/// Number of empty rows in the form of prices, for models that are not known yet.
const NEW_ROWS: usize = 2;
/// Maximum number of rows that are read from the form of prices.
const MAX_ROWS: usize = 200;

/// Serves `GET /costs`: the costs and prices.
pub(crate) async fn show(State(site): State<Site>, visitor: Visitor, Query(query): Query) -> Shown {
    visitor.needs(Scope::Search)?;
    let live = live::address(&site, &visitor, None).await?;
    let (service, caller, now) = (&site.service, &visitor.caller, site.service.now());
    let all = service.agents(caller.workspace(), None, usize::MAX, |agent| caller.opens(agent)).await?;
    let agents = match query.get("agent") {
        Some(name) => vec![service.known(service.agent(caller, name).await?).await?],
        None => all.clone(),
    };
    let request = CostsRequest { agent: None, from: query.parsed("from")?, to: query.parsed("to")? };
    let answer = match query.get("agent") {
        Some(_) => service.costs(&agents, &request, now).await?,
        None => service.costs_of_all(caller, &request, now).await?,
    };
    let prices = service.prices().await?;
    let own = ["from", "to", "agent"].into_iter().filter_map(|name| Some((name, query.get(name)?)));
    let own = link::with("/costs", own);
    let page = Page { title: "Costs".into(), visitor: Some(&visitor), live, ..Page::default() };
    Ok(page.show(html! {
        h1 { "Costs" }
        (choice(&query, &answer, &all, now))
        div #live hx-get=(own) hx-trigger="annalschange from:body" hx-select="#live" hx-swap="outerHTML" {
        (total(&answer, agents.len()))
        @if !answer.costs.is_empty() {
            (cost_tables::columns(&answer, budget(service, &agents, &answer).await?))
            (cost_tables::tables(&answer, agents.len() > 1 || answer.costs.iter().any(|cost| cost.agent.is_empty())))
        }
        }
        (price_table(&visitor, &prices, &answer))
    }))
}

/// Serves `POST /prices`: replaces all prices.
pub(crate) async fn set_prices(State(site): State<Site>, visitor: Visitor, Form(form): Form) -> Shown {
    visitor.needs_all()?;
    site.service.set_prices(entered(&form)?).await?;
    Ok(redirect("/costs#prices"))
}

/// Returns the daily budget in tokens for the chart: the budget of the agent if there is one agent, otherwise that of the
/// process. `None` if there is no such budget.
pub(super) async fn budget(service: &Service, agents: &[Agent], answer: &CostsAnswer) -> Result<Option<u64>, Error> {
    if let [agent] = agents {
        let own = service.settings(agent).await?.daily_tokens;
        return Ok(own.or(answer.budget.map(|budget| budget.agent)));
    }
    Ok(answer.budget.map(|budget| budget.process))
}

fn choice(query: &Fields, answer: &CostsAnswer, agents: &[Agent], now: Timestamp) -> Markup {
    let agent = query.get("agent");
    let (today, (monday, sunday)) = (answer_day(now), Service::last_week(now));
    let to = |from: Date, to: Date| {
        let (from, to) = (from.to_string(), to.to_string());
        let fields = [("from", from.as_str()), ("to", to.as_str())];
        link::with("/costs", fields.into_iter().chain(agent.map(|agent| ("agent", agent))))
    };
    let spans = [
        ("Last week", monday, sunday),
        ("This week", sunday.saturating_add(1.day()), today),
        ("Last 30 days", today.saturating_sub(29.days()), today),
        ("Last year", today.saturating_sub(364.days()), today),
    ];
    html! {
        nav.tools aria-label="Days" {
            @for (name, first, last) in spans {
                a.tool href=(to(first, last)) aria-current=[((first, last) == (answer.from, answer.to)).then_some("true")] { (name) }
            }
        }
        form.row method="get" action="/costs" {
            label { "From " input type="date" name="from" value=(answer.from); }
            label { "To " input type="date" name="to" value=(answer.to); }
            @if agents.len() > 1 {
                label { "Agent " select name="agent" {
                    option value="" { "all" }
                    @for one in agents.iter().take(MAX_CHOICES) { option value=(one.name()) selected[agent == Some(one.name())] { (one.name()) } }
                } }
            }
            button type="submit" { "Show" }
        }
    }
}

fn answer_day(now: Timestamp) -> Date {
    now.to_zoned(jiff::tz::TimeZone::UTC).date()
}

fn total(answer: &CostsAnswer, agents: usize) -> Markup {
    html! {
        p.lead {
            (labels::days(answer.from, answer.to)) " (UTC): "
            @if answer.costs.is_empty() { "no tokens; no model was called." }
            @else {
                @if answer.unpriced.is_empty() { strong { (money(answer.cost, &answer.currency)) } " for " }
                @else if answer.cost > 0.0 { strong { "over " (money(answer.cost, &answer.currency)) } " for " }
                (labels::plural(answer.tokens_in + answer.tokens_out, "token")) " of "
                (labels::plural(agents as u64, "agent")) "."
            }
        }
        @let in_batches = CostSum::of(&answer.costs).in_batches;
        @if in_batches > 0 {
            p.hint { (labels::plural(in_batches, "token")) " of these came in batches, at half the price." }
        }
        @if !answer.unpriced.is_empty() {
            p.notice { "Without a price: " @for (number, model) in answer.unpriced.iter().enumerate() { @if number > 0 { ", " } bdi { (model) } } ". Enter prices below." }
        }
        @if let Some(count) = answer.built_in {
            p.hint { "The built-in engine wrote " (labels::plural(count, "summary")) " of those stored, for 0 tokens." }
        }
        @if let Some(budget) = answer.budget {
            p.hint { "Budget per UTC day: " (labels::count(budget.agent)) " tokens for an agent without its own, "
                (labels::count(budget.workspace)) " for a workspace, " (labels::count(budget.process)) " for all." }
        }
    }
}

fn price_table(visitor: &Visitor, prices: &PricesView, answer: &CostsAnswer) -> Markup {
    let known: BTreeSet<&str> = prices.prices.iter().map(|price| price.model.as_str()).collect();
    let unknown = answer.unpriced.iter().filter(|model| !known.contains(model.as_str()));
    let mut rows: Vec<Vec<String>> = prices.prices.iter().map(price_row).collect();
    let empty = || vec![String::new(); COLUMNS.len()];
    rows.extend(unknown.map(|model| [vec![model.clone()], empty()[1..].to_vec()].concat()));
    rows.truncate(MAX_ROWS - NEW_ROWS);
    let is_operator = visitor.is_operator();
    if is_operator {
        rows.extend(std::iter::repeat_n(empty(), NEW_ROWS));
    }
    html! {
        section.changes #prices {
            h2 { "Prices" }
            p.hint { "Per million tokens of single calls, as your provider lists them; batches count half. All prices are in one currency. Annals looks up none. They are kept in the catalog, apply to the past too, and are the same as "
                code { "GET /v1/prices" } "." }
            @if is_operator {
                form method="post" action="/prices" {
                    (token(visitor))
                    label { "Currency " input name="currency" value=(prices.currency) size="8" maxlength="8" placeholder="USD"; }
                    (price_rows(&rows, true))
                    button type="submit" { "Save prices" }
                    " " span.hint { "A row without a model, or without prices, is left out. Without a price of its own, the cache costs as much as other tokens read." }
                }
            } @else if rows.is_empty() { p.empty { "No prices are entered." } }
            @else { (price_rows(&rows, false)) }
        }
    }
}

/// Fields of the form of prices, with the heads of their columns.
const COLUMNS: [(&str, &str); 5] = [
    ("model", "Model"),
    ("input", "A million tokens read"),
    ("cached_input", "read from the cache"),
    ("cache_write", "written to the cache"),
    ("output", "A million tokens written"),
];

/// Returns the texts of a price for the form, in the order of [`COLUMNS`].
fn price_row(price: &PriceView) -> Vec<String> {
    let optional = |amount: Option<f64>| amount.map(|amount| amount.to_string()).unwrap_or_default();
    let (cached_input, cache_write) = (optional(price.cached_input), optional(price.cache_write));
    vec![price.model.clone(), price.input.to_string(), cached_input, cache_write, price.output.to_string()]
}

fn price_rows(rows: &[Vec<String>], is_form: bool) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label="Prices" { table {
            thead { tr { @for (_, head) in COLUMNS { th scope="col" { (head) } } } }
            tbody { @for (number, row) in rows.iter().enumerate() { tr {
                @for ((name, head), value) in COLUMNS.iter().zip(row) {
                    td {
                        @if is_form {
                            input name=(format!("{name}_{number}")) value=(value) aria-label=(format!("{head}, row {}", number + 1))
                                inputmode=[(*name != "model").then_some("decimal")] size=(if *name == "model" { "24" } else { "9" });
                        } @else { bdi { (value) } }
                    }
                }
            } } }
        } }
    }
}

fn entered(form: &Fields) -> Result<PricesView, Error> {
    let mut prices = Vec::new();
    for number in 0..MAX_ROWS {
        let field = |name: &str| format!("{name}_{number}");
        let amount = |name: &str| form.parsed::<f64>(&field(name));
        let amounts = (amount("input")?, amount("output")?);
        let (cached_input, cache_write) = (amount("cached_input")?, amount("cache_write")?);
        let Some(model) = form.get(&field("model")) else { continue };
        let (input, output) = match amounts {
            (None, None) => continue,
            (input, output) => (input.unwrap_or_default(), output.unwrap_or_default()),
        };
        prices.push(PriceView { model: model.trim().to_owned(), input, cached_input, cache_write, output });
    }
    Ok(PricesView { currency: form.get("currency").unwrap_or_default().to_owned(), prices })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_without_model_or_price_are_left_out() {
        let form = Fields::parse(
            b"currency=USD&model_0=a&input_0=1.5&cached_input_0=0.1&output_0=2&model_1=b&input_1=&output_1=&model_2=&input_2=3&model_3=c&input_3=0",
        );
        let prices = entered(&form).unwrap();
        let found: Vec<_> = prices
            .prices
            .iter()
            .map(|price| (price.model.as_str(), price.input, price.cached_input, price.output))
            .collect();
        assert_eq!((prices.currency.as_str(), found), ("USD", vec![("a", 1.5, Some(0.1), 2.0), ("c", 0.0, None, 0.0)]));
        assert_eq!(price_row(&prices.prices[0]), ["a", "1.5", "0.1", "", "2"]);
        let wrong = entered(&Fields::parse(b"model_0=a&input_0=much")).unwrap_err().to_string();
        assert!(wrong.contains("input_0"), "{wrong}");
    }
}
