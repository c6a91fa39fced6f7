//! `annals verify`: checks that every day is covered, that every table matches the catalog, and that the catalog is sound.

use std::process::ExitCode;

use annals_core::Result;
use annals_service::calls::Verify;
use annals_service::wire::{AgentVerification, MissingDay};

use crate::cli::OneOrAll;
use crate::commands::rollup::print_not_yet_due;
use crate::commands::status::print_reembedding;
use crate::run_or_hand_over::Client;
use crate::view::{DIM, WARN, plural, print_json, say};

/// Maximum number of days that are listed for an agent, each with the summaries that lack it. Further ones are counted.
const MAX_DAYS: usize = 20;

pub(crate) async fn run(client: &Client, args: &OneOrAll, json: bool) -> Result<ExitCode> {
    let answer = client.call(Verify { agent: args.agent.clone() }).await?;
    if json {
        print_json(&answer);
    } else {
        answer.catalog.iter().for_each(|fault| say!("{WARN}catalog: {fault}{WARN:#}"));
        answer.agents.iter().for_each(print);
        if answer.sound {
            say!("Sound: nothing is missing, nothing is damaged.");
        }
    }
    Ok(if answer.sound { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn print(found: &AgentVerification) {
    let agent = &found.agent;
    if found.facts_differ {
        say!("{WARN}{agent}: the table of facts does not match the log of facts; `annals rebuild` rebuilds it{WARN:#}");
    }
    say!("{agent}: {} checked", plural(found.memories, "memory"));
    print_missing(&found.missing_days);
    print_not_yet_due(&found.not_yet_due);
    for table in &found.tables {
        say!("  {WARN}{}: {} {}{WARN:#}", table.grain, table.problem, table.what);
    }
    if let Some(state) = &found.reembedding {
        for (grain, model) in &found.models {
            say!("  {grain}: vectors of {}", if model.is_empty() { "no model" } else { model });
        }
        print_reembedding(state);
    }
    if !found.tables.is_empty() {
        say!("  `annals rebuild` rebuilds the tables from the catalog.");
    }
}

fn print_missing(missing: &[MissingDay]) {
    let days: Vec<&[MissingDay]> = missing.chunk_by(|one, other| one.day == other.day).collect();
    for of_day in days.iter().take(MAX_DAYS) {
        let periods = of_day.iter().map(|missing| missing.period.as_str()).collect::<Vec<_>>().join(", ");
        say!("  {WARN}{} is not in the summary of {periods}{WARN:#}", of_day[0].day);
    }
    if days.len() > MAX_DAYS {
        say!("  {DIM}and {} more, which --json lists{DIM:#}", plural((days.len() - MAX_DAYS) as u64, "day"));
    }
    if !days.is_empty() {
        say!("  `annals rollup` writes what is missing.");
    }
}
