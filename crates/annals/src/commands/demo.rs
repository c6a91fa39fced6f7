//! `annals demo`: imports fourteen months of messages between one person and an assistant, rolls them up, draws the strata and
//! asks questions. Runs the same operations as the commands, over a data folder of its own or the one that `--data` names. A
//! second run finds nothing left to do.

mod drawing;

use std::io::Write;
use std::process::ExitCode;

use annals_core::{Agent, Error, Grain, Interval, Result, Timestamp};
use annals_service::ImportRequest;
use annals_service::wire::{ImportAnswer, MemoryView, RollupAnswer, RollupRequest, SearchRequest};
use serde_json::json;

use super::search;
use crate::cli::Global;
use crate::config::Config;
use crate::folder::{Folder, Opening, default_path};
use crate::jsonl::MessageFile;
use crate::lines::Lines;
use crate::progress::Bars;
use crate::scratch;
use crate::view::{BOLD, DIM, count, plural, print_json, say};

const MESSAGES: &str = include_str!("../../demo/messages.jsonl");
const AGENT: &str = "demo";
const ZONE: &str = "Europe/Lisbon";
/// The time of the demo unless `--now` sets it: the day after the last message of the sample. Fixed, so that the same periods
/// are open in every run.
const NOW: &str = "2026-03-11T09:00:00Z";

/// The questions of the demo, each with the grain and the period to search.
const QUESTIONS: [(&str, Grain, &str); 3] = [
    ("Am I allergic to walnut, pecan or almonds?", Grain::Daily, "2025-02"),
    ("Why was the sailing week in the Azores cancelled?", Grain::Weekly, "2025-Q2"),
    ("When was the cat Bica adopted?", Grain::Monthly, "2025"),
];

pub(crate) async fn run(global: &Global) -> Result<ExitCode> {
    let folder = open(global).await?;
    let bars = Bars::new(global.json);
    let imported = bring_in(&folder, &bars).await?;
    let agent = Agent::new(AGENT)?;
    let rolled_up =
        folder.service().rollup_reporting(&agent, RollupRequest::default(), folder.now(), &bars).await?.answer;
    let memories = folder.service().in_order(&agent, &Grain::ALL, Interval::ALWAYS, usize::MAX).await?;
    if global.json {
        return answer_json(&folder, &agent, &imported, &rolled_up).await;
    }
    print_done(&imported, rolled_up.written.values().sum());
    let zones = folder.service().zones(&agent).await?;
    let open = folder.service().open_periods(&agent, &zones, folder.now()).await?;
    drawing::draw(&memories, &open, zones.day_of(folder.now()));
    for (text, grain, period) in QUESTIONS {
        say!("\n{BOLD}? {text}{BOLD:#}  {DIM}--grains {grain} --period {period}{DIM:#}\n");
        let results = ask(&folder, &agent, text, grain, period).await?;
        results.iter().for_each(|found| search::print_found(found, Some(text), &zones));
    }
    let data = folder.path().display();
    say!("{DIM}Try your own question: annals search \"…\" --agent {AGENT} --data {data}{DIM:#}");
    Ok(ExitCode::SUCCESS)
}

/// Opens the folder named by `--data`, or else a separate one beside the user's, so that the sample stays out of the user's
/// memory.
async fn open(global: &Global) -> Result<Folder> {
    let path = match &global.data {
        Some(path) => path.clone(),
        None => default_path()?.with_file_name("annals-demo"),
    };
    let now = global.now.map_or_else(|| NOW.parse::<Timestamp>(), Ok);
    let now = now.map_err(|cause| Error::invalid("--now", cause.to_string()))?;
    let config = Config::load(global, &path)?;
    let opening = Opening::by_hand(config.models, config.embedder, now);
    // The demo's own folder has its own catalog and tables, whatever is configured for the user's.
    let opening = match global.data {
        Some(_) => Opening { catalog: config.catalog, objects: config.objects, ..opening },
        None => opening,
    };
    Folder::open(&path, opening, true).await
}

async fn bring_in(folder: &Folder, bars: &Bars) -> Result<ImportAnswer> {
    let failed = |cause| Error::storage("preparing the sample", cause);
    let mut file = scratch::nameless_file(folder.path()).map_err(failed)?;
    file.write_all(MESSAGES.as_bytes()).map_err(failed)?;
    let lines = Lines::of(file).map_err(failed)?;
    let messages = MessageFile::check(lines, None, false, folder.now(), &mut |_, _| ())?;
    let time_zone = Some(ZONE.into());
    let request = ImportRequest { files: vec![Box::new(messages)], time_zone, ..ImportRequest::default() };
    folder.service().import(request, folder.now(), bars).await
}

async fn ask(folder: &Folder, agent: &Agent, text: &str, grain: Grain, period: &str) -> Result<Vec<MemoryView>> {
    let (query, period) = (Some(text.to_owned()), Some(period.to_owned()));
    let request = SearchRequest { query, grains: vec![grain], period, limit: 1, ..SearchRequest::default() };
    Ok(folder.service().search(agent, request, folder.now()).await?.results)
}

fn print_done(imported: &ImportAnswer, written: u64) {
    if imported.accepted == 0 && written == 0 {
        say!(
            "Nothing new: {} were already imported, every closed period has its summary.",
            plural(imported.duplicate, "message")
        );
    } else {
        say!("Imported {}, wrote {}.", plural(imported.accepted, "message"), plural(written, "summary"));
    }
}

async fn answer_json(
    folder: &Folder,
    agent: &Agent,
    imported: &ImportAnswer,
    rolled_up: &RollupAnswer,
) -> Result<ExitCode> {
    let mut answers = Vec::new();
    for (text, grain, period) in QUESTIONS {
        let results = ask(folder, agent, text, grain, period).await?;
        answers.push(json!({ "question": text, "grain": grain, "period": period, "results": results }));
    }
    print_json(&json!({
        "imported": imported, "written": rolled_up.written, "answers": answers,
        "messages": count(folder.service().status(agent, folder.now()).await?.memories[Grain::Working.as_str()]),
    }));
    Ok(ExitCode::SUCCESS)
}
