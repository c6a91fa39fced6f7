//! Imports files with one JSON message per line, or exports. Checks everything first. Skips messages that are already stored, so an
//! interrupted import is completed by running it again.

use std::fs::File;
use std::io::{BufRead, Read};
use std::path::Path;
use std::process::ExitCode;

use annals_core::ports::Record;
use annals_core::{Agent, Error, Fault, Message, Result, Zones};
use annals_service::calls::{self, ImportLine, MessageLine};
use annals_service::wire::ImportAnswer;
use annals_service::{ImportRequest, ImportedMessages};
use futures::StreamExt;
use futures::stream::iter;
use serde_json::Value;

use crate::cli::{Global, Import};
use crate::client::Client;
use crate::commands::{data, now};
use crate::failure::unreadable;
use crate::jsonl::parse;
use crate::records::{self, ExportFile};
use crate::scratch;
use crate::source::{self, Source};
use crate::view::{plural, print_json, say};

pub async fn run(global: &Global, args: &Import) -> Result<ExitCode> {
    // The folder is created only after files and zone have passed their checks.
    let now = now(global);
    args.time_zone.as_deref().map(Zones::new).transpose()?;
    let Contents { messages, exports } = read_all(args, &data(global)?, now)?;
    let client = Client::open_or_create(global).await?;
    let request = calls::Import {
        time_zone: args.time_zone.clone(),
        revise: args.revise,
        unforget: args.unforget,
        ignored: messages.ignored,
    };
    let lines = messages.agents.into_iter().flat_map(of_messages).map(Ok);
    let lines = lines.chain(exports.into_iter().flat_map(of_export)).map(|line| as_value(line?));
    let imported = client.call_with(request, iter(lines).boxed()).await?;
    if global.json {
        print_json(&imported);
    } else {
        print(&imported);
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the items of a call that imports these messages.
fn of_messages(of_agent: ImportedMessages) -> impl Iterator<Item = ImportLine> + Send + 'static {
    let ImportedMessages { agent, file, messages, lines } = of_agent;
    messages.into_iter().zip(lines).map(move |((_, message), line)| {
        let Message { conversation, client_id, role, name, content, at } = message;
        let message = MessageLine { conversation, id: client_id, role, name, content, at };
        ImportLine::Message { agent: agent.name().to_owned(), file: file.clone(), line, message }
    })
}

/// Returns the items of a call that restores an export.
fn of_export(export: ExportFile) -> impl Iterator<Item = Result<ImportLine>> + Send + 'static {
    let agents = export.agents.iter().map(|(agent, records)| (agent.name().to_owned(), *records)).collect();
    let line = |found: Result<(Agent, Record)>| {
        let (agent, record) = found?;
        Ok(ImportLine::Record { agent: agent.name().to_owned(), record: Box::new(record) })
    };
    std::iter::once(Ok(ImportLine::Export { agents })).chain(export.into_records().map(line))
}

fn as_value(line: ImportLine) -> Result<Value> {
    serde_json::to_value(line).map_err(|cause| Error::storage("sending an item of an import", cause))
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
    for place in &imported.replaced_corrections {
        say!(
            "{place} changed after it was corrected by hand: it replaces the correction, which is kept as a former version."
        );
    }
    if imported.dead > 0 {
        say!("{} could not be made searchable; `annals dead list` shows why.", plural(imported.dead, "message"));
    }
    if imported.forgotten > 0 {
        let messages = plural(imported.forgotten, "message");
        say!("{messages} skipped, because they were forgotten before; --unforget imports them again.");
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

/// The contents of the files: messages and exports.
struct Contents {
    messages: ImportRequest,
    exports: Vec<ExportFile>,
}

fn read_all(args: &Import, data: &Path, now: annals_core::Timestamp) -> Result<Contents> {
    let mut all = ImportRequest::default();
    let mut exports = Vec::new();
    let mut faults = Vec::new();
    for path in &args.files {
        match read(path, args, data, now) {
            Ok(contents) => {
                exports.extend(contents.exports);
                let file = (args.files.len() > 1).then(|| path.display().to_string());
                let of_file = contents.messages.agents.into_iter();
                all.agents.extend(of_file.map(|of_agent| ImportedMessages { file: file.clone(), ..of_agent }));
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
        let messages = ImportRequest::default();
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
