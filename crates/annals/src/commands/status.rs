//! `annals status`: prints what is stored, what is waiting and what failed.

use std::process::ExitCode;

use annals_core::{Grain, Result, Timestamp};
use serde_json::{Map, Value, json};

use crate::cli::OneOrAll;
use crate::folder::Folder;
use crate::view::{BOLD, DIM, WARN, count, plural, print_json, say};

pub async fn run(folder: &Folder, args: &OneOrAll, json: bool) -> Result<ExitCode> {
    let mut all = Vec::new();
    for agent in folder.agents(args.agent.as_deref()).await? {
        let status = json!(folder.service().status(&agent, folder.now()).await?);
        if !json {
            print(&status);
        }
        all.push(status);
    }
    if json {
        print_json(&json!({ "data": folder.path(), "agents": all }));
    } else if all.is_empty() {
        say!("No agents yet. `annals import FILE` creates the first.");
    } else {
        say!("{DIM}{}{DIM:#}", folder.path().display());
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints the tokens of the last thirty days, by purpose.
fn print_usage(usage: &[Value]) {
    let mut sums: Map<String, Value> = Map::new();
    for entry in usage {
        let tokens = entry["tokens_in"].as_u64().unwrap_or(0) + entry["tokens_out"].as_u64().unwrap_or(0);
        let sum = sums.entry(entry["purpose"].as_str().unwrap_or_default()).or_insert(json!(0));
        *sum = json!(sum.as_u64().unwrap_or(0) + tokens);
    }
    if !sums.is_empty() {
        let parts = sums.iter().map(|(purpose, tokens)| format!("{purpose} {}", count(tokens.as_u64().unwrap_or(0))));
        say!("  tokens in 30 days: {}", parts.collect::<Vec<_>>().join(" · "));
    }
}

fn print(status: &Value) {
    let text = |field: &str| status[field].as_str().unwrap_or("–").to_owned();
    let list = |field: &str| status[field].as_array().cloned().unwrap_or_default();
    let zone = text("time_zone");
    let local = |field: &str| local(&text(field), &zone);
    say!("{BOLD}{}{BOLD:#}  {DIM}{zone} · {} to {}{DIM:#}", text("agent"), local("first"), local("last"));
    let counts: Vec<String> = Grain::ALL
        .iter()
        .map(|grain| format!("{} {grain}", count(status["memories"][grain.as_str()].as_u64().unwrap_or(0))))
        .collect();
    say!("  {}", counts.join(" · "));
    let due = list("due").len() as u64;
    if due > 0 {
        say!("  {WARN}{} to be rolled up: `annals rollup`{WARN:#}", plural(due, "period"));
    }
    let open: Vec<String> = list("open").iter().filter_map(|label| label.as_str().map(str::to_owned)).collect();
    if !open.is_empty() {
        say!("  open: {}", open.join(" "));
    }
    for failure in list("failed") {
        say!("  {WARN}{} failed {} times: {}{WARN:#}", failure["period"], failure["attempts"], failure["error"]);
    }
    let degraded = list("degraded").len() as u64;
    if degraded > 0 {
        say!("  {WARN}{} written by the built-in engine in place of a model{WARN:#}", plural(degraded, "summary"));
    }
    if let Some(error) = status["extraction_error"].as_str() {
        say!("  {WARN}extracting facts failed: {error}{WARN:#}");
    }
    print_usage(&list("usage"));
    for (field, words) in [
        ("not_yet_searchable", "not searchable yet"),
        ("not_yet_read_for_facts", "not yet read for facts: `annals rollup`"),
        ("dead", "given up: `annals dead list`"),
    ] {
        let number = status[field].as_u64().unwrap_or(0);
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
