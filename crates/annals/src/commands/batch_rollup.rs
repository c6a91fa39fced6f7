//! `annals rollup --batch`: sends questions to the model in batches, and waits until no batch is open and nothing more can be
//! sent. With `--no-wait` it ends after one step. `annals rollup --abandon-batches` ends them.
//!
//! Opens the folder only during each step, so that other commands can use it while the provider works. All state is in the
//! folder: after an interruption the next `annals rollup` continues.

use std::process::ExitCode;
use std::time::Duration;

use annals_core::{Grain, Result};
use annals_server::exit_codes_and_statuses::INTERRUPTED;
use annals_service::calls::{AbandonBatches, BatchRollup};
use annals_service::wire::{AgentFailure, BatchStep, BatchView};

use crate::cli::{Global, Rollup};
use crate::run_or_hand_over::Client;
use crate::view::{DIM, WARN, count, plural, print_json, say};

/// The shortest and the longest time between two requests for the state of the batches. The time doubles as long as nothing has
/// changed.
const FIRST_WAIT: Duration = Duration::from_secs(1);
const MAX_WAIT: Duration = Duration::from_secs(60);

pub(crate) async fn run(global: &Global, args: &Rollup, json: bool) -> Result<ExitCode> {
    let (mut wait, mut has_failed, mut has_worked, mut shown) = (FIRST_WAIT, false, false, String::new());
    loop {
        let client = Client::open(global).await?;
        let step = client.call(BatchRollup { agent: args.agent.clone(), budget: args.budget }).await?;
        drop(client);
        if json {
            print_json(&step);
        } else {
            print(&step, &mut shown);
        }
        has_failed |= !step.failed.is_empty();
        let has_moved = step.sent + step.settled > 0;
        has_worked |= has_moved || step.written.values().any(|number| *number > 0);
        let is_done = step.open.is_empty() && !has_moved;
        if is_done || args.no_wait {
            print_end(&step, has_worked, json);
            let is_left = is_done && step.in_batch + step.waiting > 0;
            return Ok(if has_failed || is_left { ExitCode::FAILURE } else { ExitCode::SUCCESS });
        }
        wait = if has_moved { FIRST_WAIT } else { MAX_WAIT.min(wait * 2) };
        tokio::select! {
            () = tokio::time::sleep(wait) => {}
            _ = tokio::signal::ctrl_c() => {
                if !json {
                    say!("The batch continues at the provider; the next `annals rollup` fetches its answers.");
                }
                return Ok(ExitCode::from(INTERRUPTED));
            }
        }
    }
}

/// Ends the batches that providers have not finished, and prints them.
pub(crate) async fn abandon(client: &Client, json: bool) -> Result<ExitCode> {
    let ended = client.call(AbandonBatches {}).await?;
    if json {
        print_json(&ended);
        return Ok(ExitCode::SUCCESS);
    }
    match ended.is_empty() {
        true => say!("No batch is open."),
        false => say!("Ended. A provider may bill what it has answered. The next `annals rollup` asks again."),
    }
    ended.iter().for_each(|batch| say!("  {DIM}{}{DIM:#}", progress(batch)));
    Ok(ExitCode::SUCCESS)
}

/// Prints the result of a step, and the progress of the batches if it has changed.
fn print(step: &BatchStep, shown: &mut String) {
    let number = |grain: &Grain| step.written.get(grain.as_str()).copied().filter(|number| *number > 0);
    let parts = Grain::SUMMARIES.iter().filter_map(|grain| Some(format!("{} {grain}", count(number(grain)?))));
    let parts: Vec<String> = parts.collect();
    if !parts.is_empty() {
        say!("wrote {}", parts.join(", "));
    }
    if step.sent > 0 {
        say!("sent {}", plural(step.sent, "request"));
    }
    for failure in &step.failures {
        say!("  {WARN}{failure}{WARN:#}");
    }
    for AgentFailure { agent, failure, .. } in &step.failed {
        say!("  {WARN}{agent}: {} failed: {}{WARN:#}", failure.period, failure.error);
    }
    let now: Vec<String> = step.open.iter().map(progress).collect();
    if !now.is_empty() && *shown != now.join("\n") {
        *shown = now.join("\n");
        now.iter().for_each(|line| say!("  {DIM}{line}{DIM:#}"));
    }
}

pub(super) fn progress(batch: &BatchView) -> String {
    let id = batch.id.as_deref().unwrap_or(if batch.state == "ended" { "not created" } else { "being created" });
    format!("{}: {} of {} requests done ({id})", batch.model, count(batch.done), count(batch.requests))
}

/// Prints what is left when the command ends.
fn print_end(step: &BatchStep, has_worked: bool, json: bool) {
    if json {
        return;
    }
    if !step.open.is_empty() {
        say!("The next `annals rollup` takes the answers.");
    }
    if step.over_budget > 0 {
        let requests = plural(step.over_budget, "request");
        say!(
            "{WARN}{requests} left for tomorrow: the budget of the day is used up; --budget TOKENS sets another{WARN:#}"
        );
    } else if step.open.is_empty() && step.in_batch > 0 {
        say!("{WARN}{} not sent{WARN:#}", plural(step.in_batch, "period"));
    }
    if !has_worked && step.open.is_empty() && step.in_batch + step.waiting + step.over_budget == 0 {
        say!("Nothing was sent: no period is due. `annals status` shows the periods that are still open.");
    }
    if let Some(outage) = step.outage.as_ref().filter(|_| step.waiting > 0) {
        say!("{WARN}{} waiting: {outage}{WARN:#}", plural(step.waiting, "period"));
    }
}
