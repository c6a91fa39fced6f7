//! Reads workspaces of OpenClaw. Curated files become blocks, dated notes become messages of the agent, transcripts inside
//! notes and session files become turns.
//!
//! The conversation of a note has the id `openclaw:PATH`, with the path within the workspace, without a leading `memory/`; the
//! conversation of a session has the id `openclaw:SESSION`.

mod marks;
mod note;
mod session;
mod transcript;

use std::collections::HashSet;

use annals_core::Result;
use annals_core::ports::Block;

use crate::detect::{Fit, Sample};
use crate::item::{Item, Location};
use crate::kind::Importer;
use crate::kinds::notes::day;
use crate::kinds::texts::{extension, is_lines, read_text};
use crate::output::Output;
use crate::skipped::{Skip, SkipReason};
use crate::source::{Entry, Source};

pub struct OpenClaw;

impl Importer for OpenClaw {
    fn recognise(&self, sample: &mut Sample<'_>) -> Fit {
        let entries = sample.entries().to_vec();
        let is_at_root = |name: &str| entries.iter().any(|entry| entry.name() == name);
        if entries.iter().any(|entry| format!("/{}", entry.path).contains("/.openclaw/")) {
            return Fit::Clear("a folder .openclaw is there".into());
        }
        if is_at_root("SOUL.md") && (is_at_root("MEMORY.md") || is_at_root("USER.md") || is_at_root("AGENTS.md")) {
            return Fit::Clear("SOUL.md is there, beside other files of a workspace".into());
        }
        let notes = entries.iter().filter(|entry| is_note(entry) && day::of_path(entry.stem()).is_some()).take(20);
        for entry in notes {
            if sample.head(entry).starts_with(b"# Session: ") {
                return Fit::Clear(format!("{} is a transcript", entry.path));
            }
        }
        for entry in entries.iter().filter(|entry| is_lines(entry) && !is_log(&entry.path)).take(3) {
            if sample.lines(entry).first().is_some_and(session::is_header) {
                return Fit::Clear(format!("{} begins with a session", entry.path));
            }
        }
        let has_folder = entries.iter().any(|entry| is_note(entry) && format!("/{}", entry.path).contains("/memory/"));
        if has_folder && (is_at_root("MEMORY.md") || is_at_root("memory.md")) {
            return Fit::Possible("MEMORY.md and a folder memory are there".into());
        }
        Fit::No
    }

    fn read(&self, source: &mut Source, output: &mut Output<'_>) -> Result<()> {
        let entries = source.entries().to_vec();
        let roots = roots(&entries);
        let sessions: HashSet<String> = entries.iter().filter(|entry| is_lines(entry)).map(session_of_name).collect();
        let mut blocks = HashSet::new();
        for entry in &entries {
            let location = entry.location();
            let (prefix, inner) = inner_path(&entry.path, &roots);
            if is_lines(entry) && is_log(inner) {
                output.skip(Skip::no_message("log of a program below memory", &location));
            } else if is_lines(entry) {
                session::read(source, entry, output)?;
            } else if let Some(reason) = not_read(entry, inner) {
                output.skip(Skip::new(SkipReason::NoMessage, reason, "", &location));
            } else if let Some(text) = read_text(source, entry, output) {
                read_note(prefix, inner, &text, &sessions, &mut blocks, &location, output)?;
            }
        }
        Ok(())
    }
}

/// Passes on a Markdown file: a block, a dated note or a document.
fn read_note(
    prefix: &str,
    inner: &str,
    text: &str,
    sessions: &HashSet<String>,
    blocks: &mut HashSet<&'static str>,
    location: &Location,
    output: &mut Output<'_>,
) -> Result<()> {
    let path = format!("{prefix}{}", inner.strip_prefix("memory/").unwrap_or(inner));
    if let Some(block) = block_name(inner) {
        if block == "human" {
            note_time_zone(text, location, output);
        }
        let text = text.trim().to_owned();
        if text.len() <= Block::MAX_TEXT_BYTES && blocks.insert(block) {
            return output.item(Item::Block { name: block.to_owned(), text, at: None }, location);
        }
        let id = format!("openclaw:{path}");
        return output.item(Item::Document { id, title: inner.to_owned(), text, at: None }, location);
    }
    let stem = path.strip_suffix(".md").unwrap_or(&path);
    note::read(stem, text, sessions, location, output)
}

/// Counts the time zone in USER.md as skipped if the import uses another zone.
fn note_time_zone(text: &str, location: &Location, output: &mut Output<'_>) {
    let line =
        text.lines().find_map(|line| line.split_once("**Timezone:**").or_else(|| line.split_once("**Time zone:**")));
    let Some(name) = line.map(|(_, name)| name.trim()).filter(|name| !name.is_empty()) else { return };
    if output.options().zone.iana_name() != Some(name) {
        output.skip(Skip::new(SkipReason::Option, "time zone of the person (--time-zone)", name, location));
    }
}

fn block_name(inner: &str) -> Option<&'static str> {
    match inner {
        "MEMORY.md" | "memory.md" | "memory/MEMORY.md" => Some("memory"),
        "USER.md" => Some("human"),
        "SOUL.md" => Some("persona"),
        "IDENTITY.md" => Some("identity"),
        _ => None,
    }
}

/// Returns the kind under which a file is skipped, or `None` for a file with memory.
fn not_read(entry: &Entry, inner: &str) -> Option<String> {
    const INSTRUCTIONS: [&str; 6] = ["AGENTS.md", "TOOLS.md", "HEARTBEAT.md", "BOOTSTRAP.md", "BOOT.md", "README.md"];
    if inner.split('/').any(|part| part.starts_with('.')) {
        return Some("hidden file".into());
    }
    if !is_note(entry) {
        return Some(format!("file that is no note (.{})", extension(entry)));
    }
    if INSTRUCTIONS.contains(&inner) {
        return Some(format!("instructions ({inner})"));
    }
    let is_memory = inner.starts_with("memory/") || !inner.contains('/') || day::in_text(entry.stem()).is_some();
    (!is_memory).then(|| "Markdown file outside memory".into())
}

fn is_note(entry: &Entry) -> bool {
    entry.has_extension("md")
}

/// Returns whether a path lies below a folder `memory`. JSONL files there are logs of programs, such as
/// `memory/.dreams/events.jsonl`. Sessions are elsewhere.
fn is_log(path: &str) -> bool {
    format!("/{path}").contains("/memory/")
}

/// Returns the id of a session: the name of its file up to the first dot.
fn session_of_name(entry: &Entry) -> String {
    entry.name().split('.').next().unwrap_or_default().to_owned()
}

/// Returns the folders of workspaces, each with its final `/`. Leaves out folders within another workspace.
fn roots(entries: &[Entry]) -> Vec<String> {
    let root = |entry: &Entry| {
        let path = &entry.path;
        let at = format!("/{path}").find("/memory/");
        if let Some(at) = at.filter(|_| is_note(entry)) {
            return Some(path[..at].to_owned());
        }
        let is_curated = matches!(entry.name(), "MEMORY.md" | "memory.md" | "USER.md" | "SOUL.md");
        is_curated.then(|| path[..path.len() - entry.name().len()].to_owned())
    };
    let mut all: Vec<String> = entries.iter().filter_map(root).collect();
    all.sort();
    let mut outer: Vec<String> = Vec::new();
    for root in all {
        if !outer.iter().any(|above| root.starts_with(above.as_str())) {
            outer.push(root);
        }
    }
    outer
}

/// Returns a prefix for the ids of a workspace, which is empty if there is only one, and the path of an entry within its
/// workspace.
fn inner_path<'p>(path: &'p str, roots: &'p [String]) -> (&'p str, &'p str) {
    let Some(root) = roots.iter().find(|root| path.starts_with(root.as_str())) else { return ("", path) };
    (if roots.len() > 1 { root } else { "" }, &path[root.len()..])
}

#[cfg(test)]
mod tests;
