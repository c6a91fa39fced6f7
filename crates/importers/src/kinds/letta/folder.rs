//! Reads the memory folder of Letta. Files below `system`, which are always in the agent's prompt, become blocks, unless the
//! text or the name is too long for a block. All other files become documents.

use annals_core::Result;
use annals_core::ports::Block;

use crate::detect::{Fit, Sample};
use crate::item::Item;
use crate::kinds::notes::front_matter;
use crate::kinds::texts::read_text;
use crate::output::Output;
use crate::skipped::Skip;
use crate::source::{Entry, Source};

/// Returns whether the files are a memory folder: one of the first five `system/*.md` has a description.
pub fn recognise(entries: &[Entry], sample: &mut Sample<'_>) -> Fit {
    for entry in entries.iter().filter(|entry| entry.has_extension("md") && label(&entry.path).is_some()).take(5) {
        let head = String::from_utf8_lossy(sample.head(entry)).into_owned();
        if front_matter::split(&head).fields.contains_key("description") {
            return Fit::Clear(format!("{} has a description", entry.path));
        }
    }
    Fit::No
}

/// Passes on one file as a block or document. Counts an empty file as skipped.
pub fn read(source: &mut Source, entry: &Entry, output: &mut Output<'_>) -> Result<()> {
    let location = entry.location();
    let Some(text) = read_text(source, entry, output) else { return Ok(()) };
    let note = front_matter::split(&text);
    let body = note.body.trim().to_owned();
    let inner = inner(&entry.path);
    if body.is_empty() {
        output.skip(Skip::no_message("empty memory file", &location));
        return Ok(());
    }
    let fits = |label: &&str| body.len() <= Block::MAX_TEXT_BYTES && label.len() <= Block::MAX_NAME_BYTES;
    match label(&entry.path).filter(fits) {
        Some(label) => output.item(Item::Block { name: label.to_owned(), text: body, at: None }, &location),
        None => {
            let title = front_matter::first(&note.fields, &["title", "description"]).unwrap_or(inner).to_owned();
            output.item(Item::Document { id: format!("letta:{inner}"), title, text: body, at: None }, &location)
        }
    }
}

/// Returns the label of a file below `system`: its path without extension. Returns `None` for any other file.
fn label(path: &str) -> Option<&str> {
    inner(path).strip_prefix("system/")?.strip_suffix(".md")
}

/// Returns the path below the folder `memory` or, without one, the path from the folder `system` on.
fn inner(path: &str) -> &str {
    let slashed = |name: &str| path.find(name).filter(|at| *at == 0 || path[..*at].ends_with('/'));
    match (slashed("memory/"), slashed("system/")) {
        (Some(at), _) => &path[at + "memory/".len()..],
        (None, Some(at)) => &path[at..],
        (None, None) => path,
    }
}
