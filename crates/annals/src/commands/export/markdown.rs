//! `annals export --markdown`: writes an agent's memory as a folder of Markdown notes.
//!
//! A file in the folder lists the notes that were written, so that the next export removes those that it no longer has. Other
//! files stay as they are; if a note gets the path of one, the export is refused.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{ErrorKind, Result as IoResult};
use std::path::{Component, Path};

use annals_core::ports::Record;
use annals_core::{Agent, Error, Fault, Result};
use annals_objects::replace_file;
use annals_service::calls::{Export, GetSettings};
use serde::{Deserialize, Serialize};

use crate::records::{Line, parse};
use crate::run_or_hand_over::Client;
use crate::view::{plural, say};

/// The file in the folder that lists the notes of the last export.
const LIST: &str = ".annals-export.json";

/// Content of the file [`LIST`]: the notes that the last export wrote, and the agent that they belong to.
#[derive(Default, Serialize, Deserialize)]
struct Written {
    workspace: String,
    agent: String,
    files: BTreeSet<String>,
}

pub(crate) async fn run(client: &Client, agent: &str, target: &Path, json: bool) -> Result<()> {
    // The present name, if the given one is a former name.
    let agent = &Agent::new(&name_of(client, agent).await?)?;
    let before = written(client, target, agent).await?;
    let mut records: Vec<Record> = Vec::new();
    let take = |line: String| {
        if let (_, Line::Record { record, .. }) = parse(line.as_bytes(), None).map_err(Error::Invalid)? {
            records.push(*record);
        }
        Ok(())
    };
    client.each(Export { agent: agent.name().to_owned() }, take).await?;
    records.sort_by_key(Record::rank);
    let files = annals_importers::export::markdown(records)?;
    let failed = |cause| Error::storage(format!("writing into {}", target.display()), cause);
    let names: BTreeSet<String> = files.keys().cloned().collect();
    let list = |files: BTreeSet<String>| Written {
        workspace: agent.workspace().to_owned(),
        agent: agent.name().to_owned(),
        files,
    };
    refuse_files_of_others(target, &before.files, &files)?;
    fs::create_dir_all(target).map_err(failed)?;
    // The list has former and new notes, so that the next export also replaces the notes of this one if it is interrupted.
    write_list(target, &list(names.union(&before.files).cloned().collect())).map_err(failed)?;
    for (name, text) in &files {
        write(&target.join(name), text).map_err(failed)?;
    }
    for name in before.files.difference(&names).filter(|name| is_inside(name)) {
        remove(&target.join(name)).map_err(failed)?;
    }
    write_list(target, &list(names)).map_err(failed)?;
    if !json {
        say!("Wrote {} of {agent} into {}.", plural(files.len() as u64, "note"), target.display());
    }
    Ok(())
}

/// Fails if a new note would replace a file with other content that no export wrote, such as a daily note of an editor. Lists
/// all such files.
fn refuse_files_of_others(target: &Path, before: &BTreeSet<String>, files: &BTreeMap<String, String>) -> Result<()> {
    let is_of_others = |(name, text): &(&String, &String)| {
        !before.contains(*name) && fs::read(target.join(name)).is_ok_and(|found| found != text.as_bytes())
    };
    let reason = "was not written by an export, and a note has the same path; move it, or name another folder";
    let fault = |(name, _): (&String, &String)| Fault::new(target.join(name).display().to_string(), reason);
    let faults: Vec<Fault> = files.iter().filter(is_of_others).map(fault).collect();
    if faults.is_empty() { Ok(()) } else { Err(Error::Faults(faults)) }
}

/// Returns the present name of the agent that has or had this name.
async fn name_of(client: &Client, agent: &str) -> Result<String> {
    Ok(client.call(GetSettings { agent: agent.to_owned() }).await?.agent)
}

/// Returns the notes of the last export into a folder; none for a new or empty folder. Refuses a folder that holds files but no
/// list of notes, the export of another agent, or a damaged list.
async fn written(client: &Client, target: &Path, agent: &Agent) -> Result<Written> {
    let refuse = |reason: &str| Err(Error::invalid(target.display().to_string(), reason));
    let failed = |cause| Error::storage(format!("reading {}", target.display()), cause);
    let text = match fs::read_to_string(target.join(LIST)) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let is_empty = match fs::read_dir(target) {
                Ok(mut entries) => entries.next().is_none(),
                Err(error) if error.kind() == ErrorKind::NotFound => true,
                Err(error) => return Err(failed(error)),
            };
            if is_empty {
                return Ok(Written::default());
            }
            return refuse("is not empty, and no export of this agent wrote it; name another folder");
        }
        Err(error) => return Err(failed(error)),
    };
    match serde_json::from_str::<Written>(&text) {
        Ok(written) if written.workspace == agent.workspace() && is_of(client, &written.agent, agent).await => {
            Ok(written)
        }
        Ok(_) => refuse("holds the export of another agent; name another folder"),
        Err(_) => refuse("has a damaged .annals-export.json; name another folder"),
    }
}

/// Returns whether a name is the agent's name, or was before it was renamed.
async fn is_of(client: &Client, name: &str, agent: &Agent) -> bool {
    name == agent.name() || name_of(client, name).await.is_ok_and(|now| now == agent.name())
}

fn write_list(target: &Path, written: &Written) -> IoResult<()> {
    write(&target.join(LIST), &serde_json::to_string_pretty(written)?)
}

/// Writes a file completely or not at all. Does not write a file that has the same text already, so that its modification time
/// does not change.
fn write(path: &Path, text: &str) -> IoResult<()> {
    if fs::read(path).is_ok_and(|found| found == text.as_bytes()) {
        return Ok(());
    }
    let folder = path.parent().unwrap_or(path);
    fs::create_dir_all(folder)?;
    replace_file(path, text.as_bytes())
}

fn remove(path: &Path) -> IoResult<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Returns whether a listed name stays within the folder; somebody may have edited the list.
fn is_inside(name: &str) -> bool {
    Path::new(name).components().all(|part| matches!(part, Component::Normal(_)))
}
