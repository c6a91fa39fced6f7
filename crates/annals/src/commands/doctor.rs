//! `annals doctor`: tests everything that Annals needs and explains how to fix what does not work. Writes its test data to a
//! scratch folder in the data folder, and removes it. Creates the data folder if it is missing.

mod database;
mod embedder;
mod grounding;
mod machine;
mod models;
mod objects;
mod rights;
mod round_trip;
mod stores;

use std::path::Path;
use std::process::ExitCode;

use annals_core::Result;
use annals_service::wire::{DoctorAnswer, Finding, FindingState};

use crate::cli::{self, Global};
use crate::config::Config;
use crate::scratch::Scratch;
use crate::view::{BOLD, DIM, WARN, print_json, say};

fn print(finding: &Finding) {
    let Finding { about, state, found, remedy } = finding;
    match state {
        FindingState::Ok => say!("ok        {BOLD}{about}{BOLD:#}: {found}"),
        FindingState::Doubtful => say!("{WARN}look      {about}{WARN:#}: {found}"),
        FindingState::Wrong => say!("{WARN}wrong     {about}{WARN:#}: {found}"),
    }
    if let Some(remedy) = remedy {
        say!("          {DIM}{remedy}{DIM:#}");
    }
}

pub(crate) async fn run(global: &Global, args: &cli::Doctor) -> Result<ExitCode> {
    let data = super::data(global)?;
    let mut findings = Vec::new();
    examine(global, args, &data, &mut |finding| {
        if !global.json {
            print(&finding);
        }
        findings.push(finding);
    })
    .await;
    let is_well = findings.iter().all(|finding| finding.state != FindingState::Wrong);
    if global.json {
        print_json(&DoctorAnswer { data, well: is_well, findings });
    } else if is_well {
        say!("{BOLD}All checks passed.{BOLD:#}");
    }
    Ok(if is_well { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Runs one check after another. Skips checks that depend on one that failed, and with `--without-models` the calls of models.
async fn examine(global: &Global, args: &cli::Doctor, data: &Path, report: &mut dyn FnMut(Finding)) {
    let config = match Config::load(global, data) {
        Ok(config) => Some(config),
        Err(error) => {
            report(Finding::wrong(
                "configuration",
                error.to_string(),
                "correct it; `annals config check` lists every error",
            ));
            None
        }
    };
    if let Some(config) = &config {
        let from =
            config.file.as_ref().map_or("defaults and the environment".into(), |file| file.display().to_string());
        report(Finding::ok("configuration", format!("valid, from {from}")));
    }
    machine::clock(global, data).into_iter().for_each(&mut *report);
    if let Err(error) = std::fs::create_dir_all(data) {
        let remedy = "create it as this user, or choose another folder with --data";
        return report(Finding::wrong("data folder", format!("{}: {error}", data.display()), remedy));
    }
    rights::look(data, config.as_ref()).into_iter().for_each(&mut *report);
    machine::disk(data, config.as_ref()).into_iter().for_each(&mut *report);
    config.iter().flat_map(database::look).for_each(&mut *report);
    if let Some(config) = &config {
        objects::look(data, config).await.into_iter().for_each(&mut *report);
    }
    let in_use = stores::look(global, data, report).await;
    if let Some(config) = &config {
        report(machine::port(config.server.listen, in_use));
    }
    if let Some(config) = &config {
        report(embedder::look(data, &config.embedder).await);
        let entailment_model = config.models.grounding.as_ref();
        grounding::look(data, entailment_model, &config.embedder).await.into_iter().for_each(&mut *report);
    }
    let scratch = match Scratch::within(data, "doctor") {
        Ok(scratch) => scratch,
        Err(error) => return report(Finding::wrong("data folder", error.to_string(), rights::MEND)),
    };
    let Some(round_trip) = round_trip::go(global, scratch.path(), report).await else { return };
    match &config {
        Some(config) if !args.without_models => models::call(&config.models, &round_trip, global.json, report).await,
        _ => {}
    }
}
