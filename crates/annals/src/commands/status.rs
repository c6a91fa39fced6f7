//! `annals status`: prints what is stored, what is waiting and what failed.

use std::collections::BTreeMap;
use std::process::ExitCode;

use annals_core::{Grain, Result, Timestamp};
use annals_service::calls::{ListBatches, Status};
use annals_service::wire::{BatchView, FolderStatus, ModelView, ReembeddingView, StatusView, UsageView};

use crate::cli::OneOrAll;
use crate::commands::batch_rollup;
use crate::run_or_hand_over::Client;
use crate::view::{BOLD, DIM, WARN, count, plural, print_json, say};

pub(crate) async fn run(client: &Client, args: &OneOrAll, json: bool) -> Result<ExitCode> {
    let status = FolderStatus {
        data: client.data().canonicalize().unwrap_or_else(|_| client.data().to_owned()),
        agents: client.call(Status { agent: args.agent.clone() }).await?,
        batches: client.call(ListBatches {}).await?,
    };
    if json {
        print_json(&status);
        return Ok(ExitCode::SUCCESS);
    }
    status.agents.iter().for_each(print);
    status.batches.iter().for_each(print_batch);
    match status.agents.is_empty() {
        true => say!("No agents yet. `annals import FILE` creates the first."),
        false => say!("{DIM}{}{DIM:#}", status.data.display()),
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints how far a batch has come, and why it failed.
fn print_batch(batch: &BatchView) {
    say!("batch to {}", batch_rollup::progress(batch));
    if let Some(failure) = &batch.failure {
        say!("  {WARN}{}: {failure}{WARN:#}", batch.base_url);
    }
}

/// Prints the tokens of the last thirty days, by purpose.
fn print_usage(usage: &[UsageView]) {
    let mut sums: BTreeMap<&str, u64> = BTreeMap::new();
    for entry in usage {
        *sums.entry(&entry.purpose).or_default() += entry.tokens_in + entry.tokens_out;
    }
    if !sums.is_empty() {
        let parts = sums.iter().map(|(purpose, tokens)| format!("{purpose} {}", count(*tokens)));
        let cached: u64 = usage.iter().map(|entry| entry.cache_read).sum();
        let of_cache =
            if cached > 0 { format!(", {} of them from prompt caches", count(cached)) } else { String::new() };
        say!("  tokens in 30 days: {}{of_cache}", parts.collect::<Vec<_>>().join(" · "));
    }
}

/// Prints the progress of embedding the tables again with the configured model.
pub(crate) fn print_reembedding(state: &ReembeddingView) {
    let ReembeddingView { to, missing, done, total, seconds_left, .. } = state;
    let left = seconds_left.map(|seconds| format!(", about {seconds} s left")).unwrap_or_default();
    say!("  embedded again with {to}: {} of {}{left}", count(*done), count(*total));
    for model in missing.iter().filter(|model| !model.is_empty()) {
        say!("  {WARN}{model} cannot be opened: until then, words alone find what it embedded{WARN:#}");
    }
    if seconds_left.is_none() {
        say!("  The service does this in the background; `annals rebuild --embedder` does it now.");
    }
}

/// Prints how fast a model has worked since the service started.
fn print_model(model: &ModelView) {
    let rate = |rate: Option<f64>| rate.map_or_else(|| "?".to_owned(), |rate| format!("{rate:.1}"));
    let (read, written) = (rate(model.read_per_second), rate(model.written_per_second));
    let requests = plural(model.requests, "request");
    say!(
        "  {}: {requests}, reads {read} and writes {written} tokens/s, window {}, {} of {} tokens cached",
        model.model,
        count(model.window),
        count(model.cached),
        count(model.tokens_in)
    );
}

fn print(status: &StatusView) {
    let zone = &status.time_zone;
    let local = |moment: &Option<String>| moment.as_deref().map_or_else(|| "–".to_owned(), |at| local(at, zone));
    let (first, last) = (local(&status.first), local(&status.last));
    let range = if status.first.is_some() { format!("{first} to {last}") } else { "no messages stored".to_owned() };
    say!("{BOLD}{}{BOLD:#}  {DIM}{zone} · {range}{DIM:#}", status.agent);
    let number = |grain: &Grain| status.memories.get(grain.as_str()).copied().unwrap_or(0);
    let counts: Vec<String> = Grain::ALL.iter().map(|grain| format!("{} {grain}", count(number(grain)))).collect();
    say!("  {}", counts.join(" · "));
    if !status.due.is_empty() {
        say!("  {WARN}{} to be rolled up: `annals rollup`{WARN:#}", plural(status.due.len() as u64, "period"));
    }
    if !status.in_batch.is_empty() {
        let periods = plural(status.in_batch.len() as u64, "period");
        say!("  {periods} waiting for a batch: a later `annals rollup` takes its answers");
    }
    if !status.open.is_empty() {
        say!("  open: {}", status.open.join(" "));
    }
    for failure in &status.failed {
        let (period, attempts, error) = (&failure.period, failure.attempts, &failure.error);
        say!("  {WARN}{period} failed {attempts} times: {error}{WARN:#}");
    }
    if !status.degraded.is_empty() {
        let summaries = plural(status.degraded.len() as u64, "summary");
        say!("  {WARN}{summaries} written by the built-in engine in place of a model{WARN:#}");
    }
    if !status.ungrounded.is_empty() {
        let faults = status.ungrounded.iter().map(|view| u64::from(view.faults)).sum();
        let summaries = plural(status.ungrounded.len() as u64, "summary");
        say!("  {WARN}{summaries} with {} that the sources do not support{WARN:#}", plural(faults, "statement"));
    }
    if let Some(error) = &status.index_error {
        say!("  {WARN}making messages searchable failed: {error}{WARN:#}");
    }
    if let Some(error) = &status.extraction_error {
        say!("  {WARN}extracting facts failed: {error}{WARN:#}");
    }
    print_usage(&status.usage);
    status.models.iter().filter(|model| model.requests + model.running > 0).for_each(print_model);
    if let Some(requests) = status.requests_left.filter(|requests| *requests > 0) {
        let time =
            status.seconds_left.map(|seconds| format!(", about {} min", seconds.div_ceil(60))).unwrap_or_default();
        say!("  left for models: about {}{time}", plural(requests, "request"));
    }
    if let Some(state) = &status.reembedding {
        print_reembedding(state);
    }
    for (number, words) in [
        (status.not_yet_searchable, "not searchable yet"),
        (status.not_yet_read_for_facts, "not yet read for facts: `annals rollup`"),
        (status.dead as u64, "given up: `annals dead list`"),
    ] {
        if number > 0 {
            say!("  {WARN}{} {words}{WARN:#}", count(number));
        }
    }
}

/// Formats a moment in the agent's time zone; returns any other text unchanged.
fn local(moment: &str, zone: &str) -> String {
    let at = moment.parse::<Timestamp>().ok().and_then(|at| at.in_tz(zone).ok());
    at.map_or_else(|| moment.to_owned(), |at| at.strftime("%Y-%m-%d %H:%M").to_string())
}
