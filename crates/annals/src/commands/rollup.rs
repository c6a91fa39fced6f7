//! `annals rollup`: writes the summaries that are due, from days to years, and makes them searchable.

use std::collections::BTreeMap;
use std::process::ExitCode;

use annals_core::{Grain, Result, Timestamp};
use annals_service::RolledUpAgent;
use annals_service::calls;
use annals_service::wire::{ExtractionView, NotYetDueView, RollupAnswer, RollupRequest};

use crate::cli::Rollup;
use crate::client::Client;
use crate::view::{DIM, WARN, count, plural, print_json, say};

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
    client.each(calls::Rollup { agent: args.agent.clone(), request }, take).await?;
    if json {
        print_json(&answers);
    }
    let failed = answers.iter().any(|answer| !answer.failed.is_empty());
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn print(answer: &RollupAnswer, extraction: &ExtractionView) {
    let agent = &answer.agent;
    if answer.dry_run {
        let words = plural(answer.words, "word");
        say!("{agent}: {} would be read, {words}", plural(answer.periods.len() as u64, "period"));
        say!("  {DIM}{}{DIM:#}", answer.periods.join(" "));
        return print_not_yet_due(&answer.not_yet_due);
    }
    print_extraction(agent, extraction);
    say!("{agent}: {}", in_words(&answer.written));
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

/// Prints which periods are over but wait for late messages, and until when.
fn print_not_yet_due(periods: &[NotYetDueView]) {
    let until = |due_at: &str| due_at.parse::<Timestamp>().map_or_else(|_| due_at.to_owned(), |at| format!("{at:.0}"));
    for NotYetDueView { period, due_at } in periods {
        say!("  {DIM}{period} is over and waits for late messages until {}{DIM:#}", until(due_at));
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

fn in_words(written: &BTreeMap<String, u64>) -> String {
    let number = |grain: &Grain| written.get(grain.as_str()).copied().filter(|number| *number > 0);
    let parts = Grain::SUMMARIES.iter().filter_map(|grain| Some(format!("{} {grain}", count(number(grain)?))));
    let parts: Vec<String> = parts.collect();
    if parts.is_empty() { "nothing was due".into() } else { format!("wrote {}", parts.join(", ")) }
}
