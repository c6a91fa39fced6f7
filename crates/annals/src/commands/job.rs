//! `annals job`: lists and runs the scheduled jobs of a running service.

use std::process::ExitCode;

use annals_core::{Error, ObjectKind, Result};
use annals_service::calls::{ListJobs, RunJob};
use annals_service::wire::{JobView, OutcomeView};

use super::data;
use crate::cli::{Global, Job};
use crate::run_or_hand_over::Client;
use crate::view::{BOLD, DIM, WARN, print_json, say};

/// Lists the jobs of a running service, or runs one. Fails if no service is running on the data folder.
pub(crate) async fn run(global: &Global, args: &Job) -> Result<ExitCode> {
    let Some(service) = Client::running(global).await? else {
        return Err(Error::NotFound { what: ObjectKind::RunningService, name: data(global)?.display().to_string() });
    };
    match args {
        Job::List => list(&service, global.json).await,
        Job::Run { name } => run_now(&service, name, global.json).await,
    }
}

async fn list(service: &Client, json: bool) -> Result<ExitCode> {
    let jobs = service.call(ListJobs {}).await?;
    if json {
        print_json(&jobs);
        return Ok(ExitCode::SUCCESS);
    }
    for JobView { name, wake, next_wake, outcome, last_end, running, .. } in &jobs {
        let next = next_wake.map_or_else(|| "off".to_owned(), |next| format!("next {next:.0}"));
        say!("{BOLD}{name:<13}{BOLD:#} {next}  {DIM}wakes at {wake:?} UTC{DIM:#}");
        match (outcome, last_end) {
            (Some(OutcomeView::Done { done, .. }), Some(end)) => say!("  {end:.0}  {}", done_text(done)),
            (Some(OutcomeView::Failed { error }), Some(end)) => say!("  {end:.0}  {WARN}failed: {error}{WARN:#}"),
            _ if *running => say!("  {DIM}running{DIM:#}"),
            _ => say!("  {DIM}has not run since the service started{DIM:#}"),
        }
    }
    Ok(ExitCode::SUCCESS)
}

async fn run_now(service: &Client, name: &str, json: bool) -> Result<ExitCode> {
    let run = service.call(RunJob { name: name.to_owned() }).await?;
    if json {
        print_json(&run);
    } else {
        match &run.outcome {
            OutcomeView::Done { done, .. } => say!("{name}: {}", done_text(done)),
            OutcomeView::Failed { error } => say!("{name}: {WARN}failed: {error}{WARN:#}"),
        }
    }
    let well = matches!(run.outcome, OutcomeView::Done { failures: 0, .. });
    Ok(if well { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn done_text(done: &str) -> &str {
    if done.is_empty() { "nothing was due" } else { done }
}
