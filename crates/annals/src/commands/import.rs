//! `annals import`: imports files of messages or exports. Checks everything first, then commits in batches. Skips messages that
//! are already stored, so an interrupted import is completed by running it again.

use annals_service::locks::{Facts, History};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, Read};
use std::path::Path;
use std::process::ExitCode;

use annals_core::ports::{Comparison, Record};
use annals_core::{Agent, Error, Fault, Message, Result, TurnKey, Zones, identify};
use serde::Serialize;

use super::extract::bring_up_to_date;
use super::open_or_make;
use crate::cli::{Global, Import};
use crate::failure::unreadable;
use crate::folder::Folder;
use crate::jsonl::{Conversations, Parsed, parse};
use crate::progress::{self, Progress};
use crate::records::{self, ExportFile};
use crate::scratch;
use crate::source::{self, Source};
use crate::view::{plural, print_json, say};

/// Messages per transaction, each with one fsync. Larger batches gain nothing; smaller ones are noticeably slower on SD cards.
const BATCH: usize = 500;
/// Records of an export per transaction.
const RECORDS: usize = 100;
/// Back-pressure: after this many messages that are stored but not searchable, the import waits until the tables are up to date.
const MOST_WAITING: u64 = 2000;

type Messages = Vec<(TurnKey, Message)>;

pub async fn run(global: &Global, args: &Import) -> Result<ExitCode> {
    // The folder is created only after files and zone have passed their checks.
    let now = super::now(global);
    args.time_zone.as_deref().map(Zones::new).transpose()?;
    let read = read_all(args, &super::data(global)?, now)?;
    let folder = open_or_make(global).await?;
    let mut imported = import(&folder, read.messages, args, global.json).await?;
    for export in read.exports {
        restore(&folder, export, &mut imported, global.json).await?;
    }
    if global.json {
        print_json(&imported);
    } else {
        imported.print();
    }
    Ok(ExitCode::SUCCESS)
}

/// The result of an import.
#[derive(Debug, Default, Serialize)]
pub struct Imported {
    pub agents: u64,
    pub accepted: u64,
    pub duplicate: u64,
    pub revised: u64,
    pub searchable: u64,
    pub dead: u64,
    pub forgotten: u64,
    pub masked: u64,
    pub restored: u64,
    /// Counts by kind, out of `restored`.
    pub restored_messages: u64,
    pub restored_summaries: u64,
    pub restored_facts: u64,
    /// Places of corrections that changed messages replace.
    replaced_corrections: Vec<String>,
    ignored_fields: BTreeMap<String, u64>,
}

impl Imported {
    fn print(&self) {
        if self.restored > 0 {
            self.print_restored();
        }
        if self.restored == 0 || self.accepted + self.duplicate > 0 {
            let new = plural(self.accepted, "new message");
            say!("Imported {new} for {}, {} were there already.", plural(self.agents, "agent"), self.duplicate);
        }
        if self.revised > 0 {
            say!("{} replaced.", plural(self.revised, "message"));
        }
        for place in &self.replaced_corrections {
            say!(
                "{place} changed after it was corrected by hand: it replaces the correction, which is kept as a former version."
            );
        }
        if self.dead > 0 {
            say!("{} could not be made searchable; `annals dead list` shows why.", plural(self.dead, "message"));
        }
        if self.forgotten > 0 {
            let messages = plural(self.forgotten, "message");
            say!("{messages} skipped, because they were forgotten before; --unforget imports them again.");
        }
        if self.masked > 0 {
            say!("{} masked before storage.", plural(self.masked, "credential"));
        }
        for (field, lines) in &self.ignored_fields {
            say!("The field {field:?} is unknown and was ignored ({}).", plural(*lines, "line"));
        }
    }
}

impl Imported {
    fn count_restored(&mut self, record: &Record) {
        match record {
            Record::Turn { .. } => self.restored_messages += 1,
            Record::Period { text: Some(_), .. } => self.restored_summaries += 1,
            Record::Operation(_) => self.restored_facts += 1,
            _ => {}
        }
    }

    /// Prints what was restored from exports. All of it is new, because an export is restored only into an agent without
    /// memories.
    fn print_restored(&self) {
        let kinds = [
            (self.restored_messages, "message"),
            (self.restored_summaries, "summary"),
            (self.restored_facts, "fact operation"),
        ];
        let kinds = kinds.iter().filter(|(number, _)| *number > 0).map(|(number, word)| plural(*number, word));
        let kinds: Vec<String> = kinds.collect();
        let of_them = if kinds.is_empty() { String::new() } else { format!(", among them {}", kinds.join(", ")) };
        say!("Restored {} from an export{of_them}.", plural(self.restored, "record"));
    }
}

/// Imports checked messages: sets time zones, commits to the catalog, updates the tables of working memory.
pub async fn import(folder: &Folder, mut parsed: Parsed, args: &Import, json: bool) -> Result<Imported> {
    let mut masked = 0;
    for Conversations { agent, messages, .. } in &mut parsed.agents {
        let plain = std::mem::take(messages).into_iter().map(|(_, message)| message).collect();
        let (safe, count) = folder.writer.prepare(agent, plain).await?;
        // Keys are computed from the masked text that is stored, as for a request.
        *messages = identify(&safe).into_iter().zip(safe).collect();
        masked += count;
    }
    let changed = changed(folder, &parsed).await?;
    if !args.revise && !changed.is_empty() {
        return Err(Error::Faults(changed.into_iter().map(|changed| changed.fault).collect()));
    }
    if let Some(zone) = &args.time_zone {
        for Conversations { agent, .. } in &parsed.agents {
            set_time_zone(folder, agent, zone).await?;
        }
    }
    let total = parsed.agents.iter().map(|of_agent| of_agent.messages.len() as u64).sum();
    let bar = progress::bar(total, "importing", json);
    let replaced_corrections = changed.into_iter().filter(|changed| changed.corrected).map(|changed| changed.place());
    let replaced_corrections = replaced_corrections.collect();
    let mut imported = Imported { replaced_corrections, ignored_fields: parsed.ignored, masked, ..Imported::default() };
    for Conversations { agent, messages, .. } in parsed.agents {
        imported.agents += 1;
        if args.unforget {
            folder.eraser.unforget(&agent, &messages).await?;
        }
        import_agent(folder, &agent, messages, args.revise, &bar, &mut imported).await?;
        bring_up_to_date(folder, &agent, json).await?;
    }
    bar.finish_and_clear();
    Ok(imported)
}

/// Restores exports, for agents that hold nothing yet. Restores each agent completely or not at all.
async fn restore(folder: &Folder, mut export: ExportFile, imported: &mut Imported, json: bool) -> Result<()> {
    let agents = std::mem::take(&mut export.agents);
    if let Err(error) = restore_records(folder, &mut export, agents.keys(), imported).await {
        for agent in agents.keys() {
            folder.store.drop_restore(agent).await?;
        }
        return Err(error);
    }
    for (agent, records) in agents {
        imported.agents += 1;
        imported.restored += records;
        let bar = progress::bar(folder.writer.backlog(&agent).await?, "embedding", json);
        project(folder, &agent, &bar, imported).await?;
        bar.finish_and_clear();
        let _facts = folder.locks().lock::<Facts>(&agent).await;
        folder.fact_writer.bring_facts(&agent).await?;
    }
    Ok(())
}

/// Stores the records in pieces. None of them is visible before all are stored.
async fn restore_records(
    folder: &Folder,
    export: &mut ExportFile,
    agents: impl Iterator<Item = &Agent> + Clone,
    imported: &mut Imported,
) -> Result<()> {
    for agent in agents.clone() {
        folder.store.begin_restore(agent).await?;
    }
    for rank in Record::RANKS {
        let mut pieces: BTreeMap<Agent, Vec<Record>> = BTreeMap::new();
        for found in export.of_rank(rank)? {
            let (agent, record) = found?;
            imported.count_restored(&record);
            let piece = pieces.entry(agent.clone()).or_default();
            piece.push(record);
            if piece.len() == RECORDS {
                folder.store.restore_some(&agent, std::mem::take(piece)).await?;
            }
        }
        for (agent, piece) in pieces {
            folder.store.restore_some(&agent, piece).await?;
        }
    }
    for agent in agents {
        folder.store.finish_restore(agent, folder.now).await?;
    }
    Ok(())
}

async fn import_agent(
    folder: &Folder,
    agent: &Agent,
    mut messages: Messages,
    revise: bool,
    bar: &Progress,
    imported: &mut Imported,
) -> Result<()> {
    let mut waiting = 0;
    while !messages.is_empty() {
        let rest = messages.split_off(messages.len().min(BATCH));
        let batch = std::mem::replace(&mut messages, rest);
        // Replacing a message changes the agent's history.
        let history = if revise { Some(folder.locks().lock::<History>(agent).await) } else { None };
        let operation = folder.writer.ingest_keyed(agent, batch, revise, folder.now).await?;
        drop(history);
        imported.accepted += operation.accepted;
        imported.duplicate += operation.duplicate;
        imported.revised += operation.revised;
        imported.forgotten += operation.forgotten;
        waiting += operation.accepted + operation.revised;
        bar.inc(operation.duplicate + operation.forgotten);
        tracing::info!(
            agent.folder = agent.folder(),
            messages.new = operation.accepted,
            messages.total = imported.accepted + imported.duplicate,
            "committed"
        );
        if waiting >= MOST_WAITING {
            project(folder, agent, bar, imported).await?;
            waiting = 0;
        }
    }
    project(folder, agent, bar, imported).await
}

async fn project(folder: &Folder, agent: &Agent, bar: &Progress, imported: &mut Imported) -> Result<()> {
    let projected = folder.make_searchable(agent, &|changes| bar.inc(changes)).await?;
    imported.searchable += projected.applied - projected.dead;
    imported.dead += projected.dead;
    Ok(())
}

async fn set_time_zone(folder: &Folder, agent: &Agent, zone: &str) -> Result<()> {
    let _history = folder.locks().lock::<History>(agent).await;
    let mut settings = folder.store.settings(agent).await?;
    let has_memories = folder.store.counts(agent).await?.has_memories();
    settings.set_time_zone(zone, has_memories, folder.now)?;
    folder.store.save_settings(agent, &settings).await
}

/// A message whose id is stored with different content.
struct Changed {
    fault: Fault,
    /// Whether the stored message was corrected by hand.
    corrected: bool,
}

impl Changed {
    fn new(of_agent: &Conversations, index: usize, corrected: bool) -> Changed {
        let TurnKey { conversation, id } = &of_agent.messages[index].0;
        let stored = if corrected {
            "was corrected by hand, and its source has changed since; --revise replaces the correction"
        } else {
            "is stored with other content; --revise replaces it"
        };
        let reason = format!("{id:?} of conversation {conversation:?} {stored}");
        let fault = Fault { file: of_agent.file.clone(), ..Fault::new("id", reason) };
        Changed { fault: fault.at_line(of_agent.lines[index]), corrected }
    }

    fn place(&self) -> String {
        let Fault { file, line, reason, .. } = &self.fault;
        let file = file.as_ref().map(|file| format!("{file}: ")).unwrap_or_default();
        let id = reason.split(" was corrected").next().unwrap_or_default();
        format!("{file}line {}: id {id}", line.unwrap_or_default())
    }
}

/// Returns all messages whose ids are stored with different content. Runs before anything is stored.
async fn changed(folder: &Folder, parsed: &Parsed) -> Result<Vec<Changed>> {
    let mut changed = Vec::new();
    for of_agent in &parsed.agents {
        let compared = folder.writer.compare_messages(&of_agent.agent, &of_agent.messages).await?;
        changed.extend(compared.into_iter().enumerate().filter_map(|(index, comparison)| match comparison {
            Comparison::New | Comparison::Same => None,
            Comparison::Different => Some(Changed::new(of_agent, index, false)),
            Comparison::DifferentFromCorrected => Some(Changed::new(of_agent, index, true)),
        }));
    }
    Ok(changed)
}

/// The contents of the files: messages and exports.
struct Contents {
    messages: Parsed,
    exports: Vec<ExportFile>,
}

fn read_all(args: &Import, data: &Path, now: annals_core::Timestamp) -> Result<Contents> {
    let mut all = Parsed { agents: Vec::new(), ignored: BTreeMap::new() };
    let mut exports = Vec::new();
    let mut faults = Vec::new();
    for path in &args.files {
        match read(path, args, data, now) {
            Ok(contents) => {
                exports.extend(contents.exports);
                let file = (args.files.len() > 1).then(|| path.display().to_string());
                let of_file = contents.messages.agents.into_iter();
                all.agents.extend(of_file.map(|of_agent| Conversations { file: file.clone(), ..of_agent }));
                for (field, lines) in contents.messages.ignored {
                    *all.ignored.entry(field).or_default() += lines;
                }
            }
            Err(Error::Faults(found)) => faults.extend(found.into_iter().map(|fault| in_file(fault, path, args))),
            Err(other) => return Err(other),
        }
    }
    if faults.is_empty() { Ok(Contents { messages: all, exports }) } else { Err(Error::Faults(faults)) }
}

fn read(path: &Path, args: &Import, data: &Path, now: annals_core::Timestamp) -> Result<Contents> {
    let (mut input, is_list): (Box<dyn BufRead>, bool) = match source::open(path)? {
        Source::Lines(lines) => (lines, false),
        Source::List(lines) => (Box::new(std::io::Cursor::new(lines)), true),
    };
    let mut first = Vec::new();
    input.read_until(b'\n', &mut first).map_err(|cause| unreadable(path, cause))?;
    let is_export = records::is_record(&first);
    let whole = std::io::Cursor::new(first).chain(input);
    if is_export {
        let source = again(whole, data).map_err(|cause| unreadable(path, cause))?;
        let messages = Parsed { agents: Vec::new(), ignored: BTreeMap::new() };
        return Ok(Contents { messages, exports: vec![ExportFile::check(source, args.agent.as_deref())?] });
    }
    let messages = parse(whole, args.agent.as_deref(), args.revise, now);
    let messages = if is_list { messages.map_err(of_list) } else { messages };
    Ok(Contents { messages: messages?, exports: Vec::new() })
}

/// Makes the faults of a JSON list name the element instead of the line.
fn of_list(error: Error) -> Error {
    let element = |fault: Fault| match fault.line {
        Some(line) => Fault { line: None, field: format!("element {line}: {}", fault.field), ..fault },
        None => fault,
    };
    match error {
        Error::Faults(faults) => Error::Faults(faults.into_iter().map(element).collect()),
        other => other,
    }
}

/// Copies the input into a temporary file that can be read more than once; the input may be a pipe.
fn again(mut input: impl Read, data: &Path) -> std::io::Result<File> {
    let folder = if data.is_dir() { data.to_owned() } else { std::env::temp_dir() };
    let mut file = scratch::nameless_file(&folder)?;
    std::io::copy(&mut input, &mut file)?;
    Ok(file)
}

fn in_file(fault: Fault, path: &Path, args: &Import) -> Fault {
    let several = args.files.len() > 1;
    Fault { file: several.then(|| path.display().to_string()), ..fault }
}
