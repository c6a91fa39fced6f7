//! Imports files with one JSON message per line, or exports. Checks everything first. Skips messages that are already stored,
//! so an interrupted import is completed by running it again.

use std::fs::File;
use std::io::{BufRead, Cursor, Read};
use std::path::Path;
use std::process::ExitCode;

use annals_core::{Agent, Error, Fault, Message, Result, Timestamp, Zones};
use annals_importers::Summary;
use annals_service::calls::{self, AgentNames, ExportedAgent, ImportLine, MessageItem};
use annals_service::wire::{ImportAnswer, ImportReport};
use annals_service::{MessageLine, MessageSource};
use futures::stream::{StreamExt, unfold};
use jiff::tz::TimeZone;
use tokio::sync::mpsc::{Sender, channel};
use tokio::task::spawn_blocking;

use super::{folder, no_effect, report};
use crate::cli::{Global, Import};
use crate::commands::{data, now};
use crate::failure::unreadable;
use crate::jsonl::MessageFile;
use crate::lines::Lines;
use crate::records::{self, ExportFile};
use crate::run_or_hand_over::{Client, Items};
use crate::scratch;
use crate::source::{self, Source};
use crate::view::{plural, print_json, say};

/// Maximum number of items that wait to be sent.
const WAITING: usize = 64;

pub(crate) async fn run(global: &Global, args: &Import) -> Result<ExitCode> {
    // The folder is created only after files and zone have passed their checks.
    args.time_zone.as_deref().map(Zones::new).transpose()?;
    let read = read_all(args, &data(global)?, now(global))?;
    check_options(args, &read)?;
    if args.dry_run {
        preview(global, &read);
        return Ok(ExitCode::SUCCESS);
    }
    let client = Client::open_or_create(global).await?;
    let mut request = calls::Import {
        time_zone: args.time_zone.clone(),
        revise: args.revise,
        unforget: args.unforget,
        ..calls::Import::default()
    };
    for (field, lines) in read.messages.iter().flat_map(|file| &file.ignored) {
        *request.ignored.entry(field.clone()).or_default() += lines;
    }
    let imported = client.call_with(request, items(read)).await?;
    if global.json {
        print_json(&imported);
    } else {
        print(&imported);
    }
    Ok(ExitCode::SUCCESS)
}

/// Reads the contents again on a thread of its own, and returns them as items of a call.
fn items(read: Contents) -> Items {
    let (sender, received) = channel(WAITING);
    spawn_blocking(move || {
        if let Err(error) = send(read, &sender) {
            // Fails if the call has ended; its error is the one to report.
            let _ = sender.blocking_send(Err(error));
        }
    });
    let items = unfold(received, |mut received| async {
        let line: Result<ImportLine> = received.recv().await?;
        let unsendable = |cause| Error::storage("sending an item of an import", cause);
        Some((line.and_then(|line| serde_json::to_value(line).map_err(unsendable)), received))
    });
    items.boxed()
}

fn send(read: Contents, sender: &Sender<Result<ImportLine>>) -> Result<()> {
    let ended = |_| Error::storage("reading the file", "the import ended early");
    let send = |line| sender.blocking_send(Ok(line)).map_err(ended);
    for mut file in read.messages {
        send(ImportLine::File { name: file.name().map(str::to_owned) })?;
        for line in file.messages()? {
            let MessageLine { line, agent, message } = line?;
            let Message { conversation, client_id, role, name, content, at } = message;
            let message = MessageItem { conversation, id: client_id, role, name, content, at };
            send(ImportLine::Message { agent: agent.name().to_owned(), line, message })?;
        }
    }
    for export in read.exports {
        let exported =
            |(agent, records): (&Agent, &u64)| ExportedAgent { agent: AgentNames::of(agent), records: *records };
        send(ImportLine::Export { agents: export.agents.iter().map(exported).collect() })?;
        for found in export.into_records() {
            let (agent, record) = found?;
            send(ImportLine::Record { agent: AgentNames::of(&agent), record: Box::new(record) })?;
        }
    }
    Ok(())
}

/// Refuses `--dry-run` if there is an export, and other options that have no effect on exports if there are only exports.
fn check_options(args: &Import, read: &Contents) -> Result<()> {
    if args.dry_run && !read.exports.is_empty() {
        return Err(no_effect("dry-run", "an export of Annals", "it is restored as a whole or not at all"));
    }
    if read.exports.is_empty() || !read.messages.is_empty() {
        return Ok(());
    }
    let options = [
        ("time-zone", args.time_zone.is_some(), "the export has the time zones of its agents"),
        ("revise", args.revise, "it is restored only into an agent without memories"),
        ("unforget", args.unforget, "it is restored only into an agent without memories"),
    ];
    match options.into_iter().find(|(_, is_set, _)| *is_set) {
        Some((option, _, why)) => Err(no_effect(option, "an export of Annals", why)),
        None => Ok(()),
    }
}

/// Prints what the files hold.
fn preview(global: &Global, read: &Contents) {
    let mut agents: Vec<&str> = read.messages.iter().flat_map(|file| file.agents().keys()).map(Agent::name).collect();
    agents.sort_unstable();
    agents.dedup();
    let report = ImportReport::new(&agents.join(", "), "jsonl", &read.summary, None);
    if global.json { print_json(&report) } else { report::print(&report) }
}

fn print(imported: &ImportAnswer) {
    if imported.restored > 0 {
        print_restored(imported);
    }
    if imported.restored == 0 || imported.accepted + imported.duplicate > 0 {
        let new = plural(imported.accepted, "new message");
        say!("Imported {new} for {}, {} were there already.", plural(imported.agents, "agent"), imported.duplicate);
    }
    if imported.revised > 0 {
        say!("{} replaced.", plural(imported.revised, "message"));
    }
    for replaced in &imported.replaced_corrections {
        say!(
            "{replaced} changed after it was corrected by hand: it replaces the correction, which is kept as a former version."
        );
    }
    if imported.dead > 0 {
        say!("{} could not be made searchable; `annals dead list` shows why.", plural(imported.dead, "message"));
    }
    if imported.forgotten > 0 {
        let messages = plural(imported.forgotten, "message");
        say!("{messages} skipped: forgotten before; --unforget imports what was forgotten.");
    }
    if imported.masked > 0 {
        say!("{} masked before storage.", plural(imported.masked, "credential"));
    }
    for (field, lines) in &imported.ignored_fields {
        say!("The field {field:?} is unknown and was ignored ({}).", plural(*lines, "line"));
    }
}

/// Prints what was restored from exports. All of it is new, because an export is restored only into an agent without
/// memories.
fn print_restored(imported: &ImportAnswer) {
    let kinds = [
        (imported.restored_messages, "message"),
        (imported.restored_summaries, "summary"),
        (imported.restored_facts, "fact operation"),
    ];
    let kinds = kinds.iter().filter(|(number, _)| *number > 0).map(|(number, word)| plural(*number, word));
    let kinds: Vec<String> = kinds.collect();
    let of_them = if kinds.is_empty() { String::new() } else { format!(", among them {}", kinds.join(", ")) };
    say!("Restored {} from an export{of_them}.", plural(imported.restored, "record"));
}

/// The checked files to import, by kind. Their lines are read again when they are sent.
#[derive(Default)]
struct Contents {
    messages: Vec<MessageFile>,
    exports: Vec<ExportFile>,
    /// Summary of the messages. Filled for a dry run only.
    summary: Summary,
}

/// Reads and checks all files. Fails with the faults of all of them, or at once if a file cannot be read.
fn read_all(args: &Import, data: &Path, now: Timestamp) -> Result<Contents> {
    let mut all = Contents::default();
    let mut faults = Vec::new();
    let files = folder::expanded(&args.files)?;
    let is_named = files.len() > 1 || files != args.files;
    for path in &files {
        let name = is_named.then(|| path.display().to_string());
        match read(path, name.clone(), args, data, now, &mut all) {
            Ok(()) => {}
            Err(Error::Faults(found)) => {
                faults.extend(found.into_iter().map(|fault| Fault { file: name.clone(), ..fault }));
            }
            Err(other) => return Err(other),
        }
    }
    if faults.is_empty() { Ok(all) } else { Err(Error::Faults(faults)) }
}

/// Reads and checks one file. `name` is its name in messages; `None` if the command names this file alone.
fn read(
    path: &Path,
    name: Option<String>,
    args: &Import,
    data: &Path,
    now: Timestamp,
    all: &mut Contents,
) -> Result<()> {
    let failed = |cause| unreadable(path, cause);
    let (lines, is_list) = match source::open(path)? {
        Source::File(lines) => (lines, false),
        Source::Stream(lines) => (copied(lines, data).map_err(failed)?, false),
        Source::List(lines) => (copied(Cursor::new(lines), data).map_err(failed)?, true),
    };
    let mut first = Vec::new();
    lines.read().and_then(|mut lines| lines.read_until(b'\n', &mut first)).map_err(failed)?;
    if records::is_record(&first) {
        all.exports.push(ExportFile::check(lines, args.agent.as_deref())?);
        return Ok(());
    }
    let zone = args.time_zone.as_deref().and_then(|name| TimeZone::get(name).ok()).unwrap_or(TimeZone::UTC);
    let summary = &mut all.summary;
    let mut see = |_: &Agent, message: &Message| {
        if args.dry_run {
            summary.add_message(message, &zone);
        }
    };
    let checked = MessageFile::check(lines, args.agent.as_deref(), args.revise, now, &mut see);
    let mut file = if is_list { checked.map_err(of_list) } else { checked }?;
    file.name = name;
    all.messages.push(file);
    Ok(())
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

/// Copies the input into a temporary file that can be read more than once; the input may be a pipe. The file is in the data
/// folder or, as long as there is none, in the system's temporary folder.
fn copied(mut input: impl Read, data: &Path) -> std::io::Result<Lines> {
    let folder = if data.is_dir() { data.to_owned() } else { std::env::temp_dir() };
    let mut file: File = scratch::nameless_file(&folder)?;
    std::io::copy(&mut input, &mut file)?;
    Lines::of(file)
}
