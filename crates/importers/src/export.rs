//! Writes an agent's memory as a folder of Markdown notes, for people, Obsidian and OpenClaw.
//!
//! The result depends on the records of an export alone: the same records give the same files. Does not read or write files.
//!
//! | path | content |
//! | --- | --- |
//! | `memory/2026-03-09.md` | a day: its summary, its statements, its turns by conversation |
//! | `memory/2026-W11.md`, `memory/2026-03.md`, `memory/2026-Q1.md`, `memory/2026.md` | the summary of a period |
//! | `memory/facts.md` | all facts, as a table |
//! | `MEMORY.md`, `USER.md`, `SOUL.md`, `IDENTITY.md`, `memory/blocks/NAME.md` | blocks, under the names of OpenClaw |
//! | `memory/documents/COLLECTION/KEY.md` | documents |
//! | `.obsidian/daily-notes.json` | makes the days daily notes in Obsidian |

mod day;
mod escape;
mod facts;
mod summary;

use std::collections::BTreeMap;

use annals_core::ports::{Document, Record};
use annals_core::{Grain, Period, Result, Settings, Zones, fold};

use day::Day;
use escape::file_name;

/// The content of `.obsidian/daily-notes.json`.
const DAILY_NOTES: &str = "{\n  \"folder\": \"memory\",\n  \"format\": \"YYYY-MM-DD\"\n}\n";

/// Returns the files of an agent's memory, by path. The order of the records matters in two cases: documents with the same path
/// are numbered in this order, and of several titles of a conversation the last counts. Returns an error if the time zone in
/// the settings does not exist.
pub fn markdown(records: impl IntoIterator<Item = Record>) -> Result<BTreeMap<String, String>> {
    let mut settings = Settings::default();
    let (mut days, mut periods) = (BTreeMap::<Period, Day>::new(), BTreeMap::new());
    let mut titles = BTreeMap::new();
    let (mut operations, mut blocks, mut documents) = (Vec::new(), BTreeMap::new(), Vec::new());
    for record in records {
        match record {
            Record::Settings(found) => settings = found,
            Record::Turn { day, ref conversation, ref attachment, .. } => {
                if let Some(title) = attachment.as_deref().and_then(title) {
                    titles.insert(conversation.clone(), title);
                }
                days.entry(day).or_default().turns.push(record);
            }
            Record::Statement { statement, .. } => days.entry(statement.day).or_default().statements.push(statement),
            Record::Operation(operation) => operations.push(operation),
            Record::Period { period, text: Some(text), .. } if period.grain() == Grain::Daily => {
                days.entry(period).or_default().summary = Some(text);
            }
            Record::Period { period, text: Some(text), .. } => _ = periods.insert(period, text),
            Record::Block { name, text, .. } => _ = blocks.insert(name, text),
            Record::Document(document) => documents.push(*document),
            // Records of bookkeeping and former texts are not exported.
            Record::Period { text: None, .. }
            | Record::Version { .. }
            | Record::Gone { .. }
            | Record::Access { .. } => {}
        }
    }
    let zones = settings.zones()?;
    let mut files = note_files(days, &periods, &titles, &zones);
    if let Some(table) = facts::note(&fold(&operations), &zones) {
        files.insert("memory/facts.md".into(), table);
    }
    for (name, text) in blocks {
        let path = free_path(&block_path(&name), &files);
        files.insert(path, with_end(text));
    }
    for document in documents.iter().filter(|document| !document.key.ends_with('/')) {
        let path = free_path(&document_path(document), &files);
        files.insert(path, with_end(document.full_text()));
    }
    files.insert(".obsidian/daily-notes.json".into(), DAILY_NOTES.into());
    Ok(files)
}

fn note_files(
    days: BTreeMap<Period, Day>,
    periods: &BTreeMap<Period, String>,
    titles: &BTreeMap<String, String>,
    zones: &Zones,
) -> BTreeMap<String, String> {
    let has_note = |period: &Period| days.contains_key(period) || periods.contains_key(period);
    let mut files: BTreeMap<String, String> =
        periods.iter().map(|(period, text)| (note_path(*period), summary::note(*period, text, has_note))).collect();
    files.extend(days.iter().map(|(period, day)| (note_path(*period), day.note(*period, zones, titles, has_note))));
    files
}

/// Returns the title of a conversation from the attachment of a message; `None` if the attachment has none. An import stores
/// the title with the first message.
fn title(attachment: &str) -> Option<String> {
    let fields: serde_json::Value = serde_json::from_str(attachment).ok()?;
    fields["conversation_title"].as_str().map(str::to_owned)
}

fn note_path(period: Period) -> String {
    format!("memory/{period}.md")
}

/// Returns the path of the file for a block. Blocks that OpenClaw also has get the file names that OpenClaw uses.
fn block_path(name: &str) -> String {
    match name {
        "memory" => "MEMORY.md".into(),
        "human" => "USER.md".into(),
        "persona" => "SOUL.md".into(),
        "identity" => "IDENTITY.md".into(),
        other => format!("memory/blocks/{}.md", file_name(other)),
    }
}

/// Returns the path of the file for a document. A `.md` at the end of the key is not repeated.
fn document_path(document: &Document) -> String {
    let key = document.key.strip_suffix(".md").unwrap_or(&document.key);
    format!("memory/documents/{}/{}.md", file_name(&document.collection), file_name(key))
}

/// Returns the path, or the path with a number if a file already has it: `a.md`, `a-2.md` … Ignores case, as some file systems
/// do.
fn free_path(path: &str, files: &BTreeMap<String, String>) -> String {
    let is_free = |path: &str| !files.keys().any(|path_in_use| path_in_use.to_lowercase() == path.to_lowercase());
    let stem = path.strip_suffix(".md").unwrap_or(path);
    let mut numbered = (2..).map(|number| format!("{stem}-{number}.md"));
    if is_free(path) { path.to_owned() } else { numbered.find(|path| is_free(path)).unwrap_or_default() }
}

fn with_end(text: String) -> String {
    if text.ends_with('\n') { text } else { text + "\n" }
}

#[cfg(test)]
mod tests;
