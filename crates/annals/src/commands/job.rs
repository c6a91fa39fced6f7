//! `annals job`: lists and runs the scheduled jobs of a running service.

use std::process::ExitCode;

use annals_core::{Error, Result};
use annals_service::jobs::{AlarmClock, JobStatus, Outcome};
use serde_json::{Value, json};

use super::data;
use crate::cli::{Global, Job};
use crate::console::remote;
use crate::view::{BOLD, DIM, WARN, print_json, say};

/// Works only in the service, to which the command is handed over; fails if no service is running.
pub async fn run(global: &Global, args: &Job) -> Result<ExitCode> {
    let Some(alarm_clock) = remote(|remote| remote.alarm_clock.clone()) else {
        return Err(Error::NotFound {
            what: "running service on data folder",
            name: data(global)?.display().to_string(),
        });
    };
    match args {
        Job::List => list(&alarm_clock, global.json).await,
        Job::Run { name } => return run_now(&alarm_clock, name, global.json).await,
    }
    Ok(ExitCode::SUCCESS)
}

async fn list(alarm_clock: &AlarmClock, json: bool) {
    let status = alarm_clock.status().await;
    if json {
        return print_json(&status.iter().map(view).collect::<Vec<_>>());
    }
    for JobStatus { name, timing, runs, next_wake } in &status {
        let next = next_wake.map_or_else(|| "off".to_owned(), |next| format!("next {next:.0}"));
        say!("{BOLD}{name:<13}{BOLD:#} {next}  {DIM}wakes at {:?} UTC{DIM:#}", timing.wake);
        match (&runs.outcome, runs.last_end) {
            (Some(Outcome::Done(report)), Some(end)) => say!("  {end:.0}  {}", spoken(&report.done)),
            (Some(Outcome::Failed(error)), Some(end)) => say!("  {end:.0}  {WARN}failed: {error}{WARN:#}"),
            _ if runs.is_running() => say!("  {DIM}running{DIM:#}"),
            _ => say!("  {DIM}has not run since the service started{DIM:#}"),
        }
    }
}

async fn run_now(alarm_clock: &AlarmClock, name: &str, json: bool) -> Result<ExitCode> {
    let outcome = alarm_clock.run_now(name).await?;
    let well = matches!(&outcome, Outcome::Done(report) if report.failures == 0);
    if json {
        print_json(&json!({ "job": name, "outcome": outcome_view(&outcome) }));
    } else {
        match &outcome {
            Outcome::Done(report) => say!("{name}: {}", spoken(&report.done)),
            Outcome::Failed(error) => say!("{name}: {WARN}failed: {error}{WARN:#}"),
        }
    }
    Ok(if well { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn spoken(done: &str) -> &str {
    if done.is_empty() { "nothing was due" } else { done }
}

fn view(status: &JobStatus) -> Value {
    let JobStatus { name, timing, runs, next_wake } = status;
    json!({
        "name": name, "enabled": timing.enabled, "wake": timing.wake, "minutes": timing.minutes,
        "next_wake": next_wake.map(|at| at.to_string()), "running": runs.is_running(), "runs": runs.ended,
        "last_start": runs.last_start.map(|at| at.to_string()), "last_end": runs.last_end.map(|at| at.to_string()),
        "outcome": runs.outcome.as_ref().map(outcome_view),
    })
}

fn outcome_view(outcome: &Outcome) -> Value {
    match outcome {
        Outcome::Done(report) => json!({ "done": report.done, "failures": report.failures }),
        Outcome::Failed(error) => json!({ "error": error }),
    }
}
