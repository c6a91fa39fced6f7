//! `annals rollup`: reads new messages for facts, writes the summaries that are due, from days to years, and makes them
//! searchable. With `--dry-run` it only estimates what would be read, and what that would cost.

use std::collections::{BTreeMap, BTreeSet};
use std::process::ExitCode;
use std::sync::atomic::Ordering;

use annals_core::{Grain, Result, Timestamp};
use annals_server::exit_codes_and_statuses::INTERRUPTED;
use annals_service::RolledUpAgent;
use annals_service::calls;
use annals_service::numbers::money;
use annals_service::wire::{EstimateView, ExtractionView, FailureView, NotYetDueView, RollupAnswer, RollupRequest};

use crate::cli::Rollup;
use crate::run_or_hand_over::Client;
use crate::view::{DIM, WARN, column, count, plural, print_json, say};

pub(crate) async fn run(client: &Client, args: &Rollup, json: bool) -> Result<ExitCode> {
    let request = RollupRequest { dry_run: args.dry_run, refresh: args.refresh };
    let mut answers = Vec::new();
    let take = |RolledUpAgent { answer, extraction }| {
        if !json {
            print(&answer, &extraction);
        }
        answers.push(answer);
        Ok(())
    };
    let stop = client.stop_on_interrupt();
    client.each(calls::Rollup { agent: args.agent.clone(), request }, take).await?;
    if json {
        print_json(&answers);
    } else if answers.iter().filter(|answer| !answer.estimates.is_empty()).count() > 1 {
        let currency = answers.first().map(|answer| answer.currency.as_str()).unwrap_or_default();
        print_money("all agents together cost", answers.iter().flat_map(|answer| &answer.estimates), currency);
    }
    if stop.load(Ordering::Relaxed) {
        return Ok(ExitCode::from(INTERRUPTED));
    }
    let failed = answers.iter().any(|answer| !answer.failed.is_empty());
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn print(answer: &RollupAnswer, extraction: &ExtractionView) {
    let agent = &answer.agent;
    if answer.dry_run {
        let words = plural(answer.words, "word");
        say!("{agent}: {} would be read, {words}", plural(answer.periods.len() as u64, "period"));
        say!("{DIM}{}{DIM:#}", column(&answer.periods.join(" "), 2));
        print_estimates(&answer.estimates, &answer.currency);
        return print_not_yet_due(&answer.not_yet_due);
    }
    print_extraction(agent, extraction);
    say!("{agent}: {}", in_words(answer));
    if answer.left > 0 {
        let periods = plural(answer.left, "period");
        say!("  {WARN}{periods} left: run `annals rollup` again to continue{WARN:#}");
    }
    if answer.in_batch > 0 {
        let periods = plural(answer.in_batch, "period");
        say!("  {WARN}{periods} waiting for a batch: a later `annals rollup` takes its answers{WARN:#}");
    }
    print_postponed(&answer.postponed);
    print_not_yet_due(&answer.not_yet_due);
    if answer.degraded > 0 {
        let summaries = plural(answer.degraded, "summary");
        say!(
            "  {WARN}{summaries} written by the built-in engine, because the model failed; it is retried later{WARN:#}"
        );
    }
    if let Some(reason) = answer.outage.as_ref().filter(|_| !answer.waiting.is_empty()) {
        let periods = plural(answer.waiting.len() as u64, "period");
        say!("  {WARN}{periods} waiting: {reason}{WARN:#}");
    }
    for failure in &answer.failed {
        say!("  {WARN}{} failed: {}{WARN:#}", failure.period, failure.error);
    }
}

/// Prints what models would cost: tokens, and money where they have a price.
fn print_estimates(estimates: &[EstimateView], currency: &str) {
    let mut by_model: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for EstimateView { purpose, model, calls, tokens_in, tokens_out, cost, .. } in estimates {
        let (calls, read, written) = (plural(*calls, "call"), count(*tokens_in), count(*tokens_out));
        let cost = cost.map(|cost| format!(", about {}", money(cost, currency))).unwrap_or_default();
        say!("  {DIM}{purpose}: {calls}, about {read} tokens in, {written} out{cost}{DIM:#}");
        let sum = by_model.entry(model).or_default();
        *sum = (sum.0 + tokens_in, sum.1 + tokens_out);
    }
    for (model, (tokens_in, tokens_out)) in by_model {
        say!("  {model} would read about {} tokens and write {}", count(tokens_in), count(tokens_out));
    }
    let unpriced = estimates.iter().filter(|estimate| estimate.cost.is_none()).map(|estimate| estimate.model.as_str());
    let unpriced: BTreeSet<&str> = unpriced.collect();
    print_money(if unpriced.is_empty() { "that costs" } else { "what has a price costs" }, estimates, currency);
    if !unpriced.is_empty() {
        let models = unpriced.into_iter().collect::<Vec<_>>().join(", ");
        say!("  {DIM}without a price: {models}; `annals price set` enters the price of a model{DIM:#}");
    }
}

/// Prints the sum of the costs after these words. Prints nothing if no model has a price.
fn print_money<'e>(words: &str, estimates: impl IntoIterator<Item = &'e EstimateView>, currency: &str) {
    let costs = estimates.into_iter().filter_map(|estimate| estimate.cost.zip(estimate.cost_in_batch));
    let sum = costs.reduce(|sum, cost| (sum.0 + cost.0, sum.1 + cost.1));
    if let Some((direct, batch)) = sum {
        say!("  {words} about {}, or {} with `--batch`", money(direct, currency), money(batch, currency));
    }
}

/// Prints which periods are over but wait for late messages, and until when.
pub(crate) fn print_not_yet_due(periods: &[NotYetDueView]) {
    for group in periods.chunk_by(|one, other| one.due_at == other.due_at) {
        let (first, last, until) = (&group[0].period, &group[group.len() - 1].period, short(&group[0].due_at));
        match group.len() {
            1 => say!("  {DIM}{first} is over and waits for late messages until {until}{DIM:#}"),
            number => say!(
                "  {DIM}{number} periods from {first} to {last} are over and wait for late messages until {until}{DIM:#}"
            ),
        }
    }
}

fn print_extraction(agent: &str, read: &ExtractionView) {
    if read.operations + read.statements > 0 {
        let (turns, operations) = (plural(read.turns, "message"), plural(read.operations, "fact operation"));
        let statements = plural(read.statements, "statement");
        say!("{agent}: read {turns} for facts: {operations}, {statements}");
    }
    if read.degraded > 0 {
        let turns = plural(read.degraded, "message");
        say!("  {WARN}{turns} read by the built-in rules instead of the model; `annals dead list` shows why{WARN:#}");
    }
    if let Some(reason) = &read.waiting {
        say!("  {WARN}extracting facts is postponed: {reason}{WARN:#}");
    }
}

/// Prints how many periods wait for their next attempt, why, and until when.
fn print_postponed(postponed: &[FailureView]) {
    let mut groups: BTreeMap<(&str, Option<&str>), u64> = BTreeMap::new();
    for FailureView { error, not_before, .. } in postponed {
        *groups.entry((error, not_before.as_deref())).or_default() += 1;
    }
    for ((error, not_before), number) in groups {
        let (periods, until) = (plural(number, "period"), not_before.map(short).unwrap_or_default());
        say!("  {WARN}{periods} not tried again until {until}: {error}{WARN:#}");
    }
}

/// Formats a moment without fractions of a second; returns any other text unchanged.
fn short(moment: &str) -> String {
    moment.parse::<Timestamp>().map_or_else(|_| moment.to_owned(), |at| format!("{at:.0}"))
}

fn in_words(answer: &RollupAnswer) -> String {
    let RollupAnswer { written, left, postponed, waiting, failed, in_batch, .. } = answer;
    let number = |grain: &Grain| written.get(grain.as_str()).copied().filter(|number| *number > 0);
    let parts = Grain::SUMMARIES.iter().filter_map(|grain| Some(format!("{} {grain}", count(number(grain)?))));
    let parts: Vec<String> = parts.collect();
    let is_behind =
        *left + *in_batch > 0 || [postponed.len(), waiting.len(), failed.len()].iter().any(|number| *number > 0);
    match parts.is_empty() {
        false => format!("wrote {}", parts.join(", ")),
        true if is_behind => "wrote nothing".into(),
        true => "nothing was due".into(),
    }
}
