//! `annals import`: a file of messages into memory. Everything is checked first, then committed in batches; what is there
//! already is skipped, so that an interrupted import is finished by running it again.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;
use std::process::ExitCode;

use annals_core::{Agent, Error, Fault, Grain, Message, Result, TurnKey, Zones};
use indicatif::ProgressBar;
use serde::Serialize;

use super::open_or_make;
use crate::cli::{Global, Import};
use crate::folder::Folder;
use crate::jsonl::{Parsed, parse};
use crate::progress;
use crate::view::{plural, print_json, say};

/// Messages per transaction: one fsync each. Larger gains nothing, smaller shows on SD cards.
const BATCH: usize = 500;
/// The lane's bound: how many messages may be stored without being searchable before the import waits for the tables.
const LANE: u64 = 2000;

type Messages = Vec<(TurnKey, Message)>;

pub async fn run(global: &Global, args: &Import) -> Result<ExitCode> {
    // The folder is only made once the files and the zone are found fit.
    let now = super::now(global);
    args.time_zone.as_deref().map(Zones::new).transpose()?;
    let parsed = read_all(args, now)?;
    let folder = open_or_make(global).await?;
    let imported = import(&folder, parsed, args, global.json).await?;
    if global.json {
        print_json(&imported);
    } else {
        imported.print();
    }
    Ok(ExitCode::SUCCESS)
}

/// What an import came to.
#[derive(Debug, Default, Serialize)]
pub struct Imported {
    pub agents: u64,
    pub accepted: u64,
    pub duplicate: u64,
    pub revised: u64,
    pub searchable: u64,
    pub dead: u64,
    ignored_fields: BTreeMap<String, u64>,
}

impl Imported {
    fn print(&self) {
        let new = plural(self.accepted, "new message");
        say!("Imported {new} for {}, {} were there already.", plural(self.agents, "agent"), self.duplicate);
        if self.revised > 0 {
            say!("{} replaced.", plural(self.revised, "message"));
        }
        if self.dead > 0 {
            say!("{} could not be made searchable; `annals dead list` says why.", plural(self.dead, "message"));
        }
        for (field, lines) in &self.ignored_fields {
            say!("The field {field:?} means nothing here and was left out ({}).", plural(*lines, "line"));
        }
    }
}

/// Imports checked messages: settings, catalog, working memory.
pub async fn import(folder: &Folder, parsed: Parsed, args: &Import, json: bool) -> Result<Imported> {
    if !args.revise {
        refuse_conflicts(folder, &parsed).await?;
    }
    if let Some(zone) = &args.time_zone {
        for (agent, _) in &parsed.agents {
            set_time_zone(folder, agent, zone).await?;
        }
    }
    let total = parsed.agents.iter().map(|(_, messages)| messages.len() as u64).sum();
    let bar = progress::bar(total, "importing", json);
    let mut imported = Imported { ignored_fields: parsed.ignored, ..Imported::default() };
    for (agent, messages) in parsed.agents {
        imported.agents += 1;
        import_agent(folder, &agent, messages, args.revise, &bar, &mut imported).await?;
    }
    bar.finish_and_clear();
    Ok(imported)
}

async fn import_agent(
    folder: &Folder,
    agent: &Agent,
    mut messages: Messages,
    revise: bool,
    bar: &ProgressBar,
    imported: &mut Imported,
) -> Result<()> {
    let mut waiting = 0;
    while !messages.is_empty() {
        let rest = messages.split_off(messages.len().min(BATCH));
        let batch = std::mem::replace(&mut messages, rest);
        let operation = folder.writer.ingest_keyed(agent, batch, revise, folder.now).await?;
        imported.accepted += operation.accepted;
        imported.duplicate += operation.duplicate;
        imported.revised += operation.revised;
        waiting += operation.accepted + operation.revised;
        bar.inc(operation.duplicate);
        tracing::info!(
            agent.folder = agent.folder(),
            messages.new = operation.accepted,
            messages.total = imported.accepted + imported.duplicate,
            "committed"
        );
        if waiting >= LANE {
            project(folder, agent, bar, imported).await?;
            waiting = 0;
        }
    }
    project(folder, agent, bar, imported).await
}

async fn project(folder: &Folder, agent: &Agent, bar: &ProgressBar, imported: &mut Imported) -> Result<()> {
    let projected = folder.writer.project(agent, folder.now, &|changes| bar.inc(changes)).await?;
    imported.searchable += projected.applied - projected.dead;
    imported.dead += projected.dead;
    Ok(())
}

async fn set_time_zone(folder: &Folder, agent: &Agent, zone: &str) -> Result<()> {
    let mut settings = folder.catalog.settings(agent).await?;
    let has_memories = folder.catalog.counts(agent).await?.memories[Grain::Working as usize] > 0;
    settings.set_time_zone(zone, has_memories, folder.now)?;
    folder.catalog.save_settings(agent, &settings).await
}

/// Before anything is stored: ids that are taken by other content, all of them.
async fn refuse_conflicts(folder: &Folder, parsed: &Parsed) -> Result<()> {
    let mut faults = Vec::new();
    for (agent, messages) in &parsed.agents {
        for (key, _) in folder.writer.conflicts(agent, messages).await? {
            let reason = format!(
                "{:?} of conversation {:?} is stored with other content; --revise replaces it",
                key.id, key.conversation
            );
            faults.push(Fault::new("id", reason));
        }
    }
    if faults.is_empty() { Ok(()) } else { Err(Error::Faults(faults)) }
}

fn read_all(args: &Import, now: annals_core::Timestamp) -> Result<Parsed> {
    let mut all = Parsed { agents: Vec::new(), ignored: BTreeMap::new() };
    let mut faults = Vec::new();
    for path in &args.files {
        match read(path, args, now) {
            Ok(parsed) => {
                all.agents.extend(parsed.agents);
                for (field, lines) in parsed.ignored {
                    *all.ignored.entry(field).or_default() += lines;
                }
            }
            Err(Error::Faults(found)) => faults.extend(found.into_iter().map(|fault| in_file(fault, path, args))),
            Err(other) => return Err(other),
        }
    }
    if faults.is_empty() { Ok(all) } else { Err(Error::Faults(faults)) }
}

fn read(path: &Path, args: &Import, now: annals_core::Timestamp) -> Result<Parsed> {
    let input: Box<dyn Read> = if path == Path::new("-") {
        Box::new(std::io::stdin())
    } else {
        let wrong = |cause| Error::storage(format!("cannot read {}", path.display()), cause);
        Box::new(File::open(path).map_err(wrong)?)
    };
    parse(BufReader::new(input), args.agent.as_deref(), args.revise, now)
}

fn in_file(fault: Fault, path: &Path, args: &Import) -> Fault {
    let several = args.files.len() > 1;
    Fault { file: several.then(|| path.display().to_string()), ..fault }
}
