//! `annals costs`: shows the tokens that models used, and what they cost, by purpose, model, agent and day.

use std::collections::BTreeMap;
use std::process::ExitCode;

use annals_core::Result;
use annals_service::calls::ReadCosts;
use annals_service::cost_sums::{CostSum, agent_in_words, purpose_in_words, sums_by};
use annals_service::numbers::money;
use annals_service::wire::{CostView, CostsAnswer, CostsRequest};

use crate::cli::Costs;
use crate::run_or_hand_over::Client;
use crate::view::{BOLD, DIM, WARN, count, plural, print_json, say};

pub(crate) async fn run(client: &Client, args: &Costs, json: bool) -> Result<ExitCode> {
    let request = CostsRequest { agent: args.agent.clone(), from: args.range.from, to: args.range.to };
    let answer = client.call(ReadCosts { request }).await?;
    if json {
        print_json(&answer);
    } else {
        print(&answer);
    }
    Ok(ExitCode::SUCCESS)
}

fn print(answer: &CostsAnswer) {
    let days = format!("{} to {} (UTC)", answer.from, answer.to);
    if answer.costs.is_empty() {
        say!("{days}: no tokens; no model was called.");
        return;
    }
    table("purpose", answer, |cost| purpose_in_words(&cost.purpose).to_owned());
    table("model", answer, |cost| cost.model.clone());
    let by_agent = |cost: &CostView| agent_in_words(&cost.agent).to_owned();
    if answer.costs.iter().any(|cost| cost.agent != answer.costs[0].agent) {
        table("agent", answer, by_agent);
    }
    table("UTC day", answer, |cost| cost.day.to_string());
    let sum = CostSum::of(&answer.costs);
    let priced = plural(sum.tokens() - sum.unpriced, "token");
    if sum.unpriced < sum.tokens() || answer.unpriced.is_empty() {
        say!("{days}: {BOLD}{}{BOLD:#} for {priced}.", money(answer.cost, &answer.currency));
    }
    if !answer.unpriced.is_empty() {
        let (tokens, models) = (plural(sum.unpriced, "token"), answer.unpriced.join(", "));
        say!("{WARN}{tokens} without a price: {models}. `annals price set` enters the price of a model.{WARN:#}");
    }
    if sum.in_batches > 0 {
        say!("{DIM}{} came in batches, at half the price.{DIM:#}", plural(sum.in_batches, "token"));
    }
}

/// Prints a table of the costs, added up by a key: the rows with most tokens first, days in their order.
fn table(head: &str, answer: &CostsAnswer, key: fn(&CostView) -> String) {
    let sums: BTreeMap<String, CostSum> = sums_by(&answer.costs, key);
    let mut sums: Vec<(String, CostSum)> = sums.into_iter().collect();
    if head != "UTC day" {
        sums.sort_by_key(|(_, sum)| std::cmp::Reverse(sum.tokens()));
    }
    let cells = |(name, sum): (String, CostSum)| {
        [name, count(sum.calls), count(sum.tokens_in), count(sum.tokens_out), sum.cost_in(&answer.currency)]
    };
    let heads = [head, "calls", "tokens in", "tokens out", "cost"].map(str::to_owned);
    let rows: Vec<[String; 5]> = std::iter::once(heads).chain(sums.into_iter().map(cells)).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default();
    let widths: [usize; 5] = std::array::from_fn(width);
    for (number, row) in rows.iter().enumerate() {
        let mut line = format!("{:<1$}", row[0], widths[0]);
        for (cell, width) in row.iter().zip(widths).skip(1) {
            line += &format!("  {cell:>width$}");
        }
        if number == 0 { say!("{DIM}{line}{DIM:#}") } else { say!("{line}") }
    }
    say!();
}
