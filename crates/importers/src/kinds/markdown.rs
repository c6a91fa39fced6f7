//! Reads notes in Markdown: daily notes of Obsidian, journals of Logseq, and plain files with a date in their name.
//!
//! A dated note becomes a conversation with the id `markdown:PATH`; each section, or each block of Logseq, becomes a message of
//! the person. A note without a date becomes a document. Front matter, comments (`%%…%%`) and the brackets of links are
//! removed; in Logseq's outlines also the dash of each message and some properties.

mod logseq;
mod marks;
mod settings;

use annals_core::{Date, Result, Role, Timestamp};
use jiff::tz::TimeZone;

use crate::dates;
use crate::detect::{Fit, Sample};
use crate::item::{Item, Location};
use crate::kind::Importer;
use crate::kinds::notes::{daily::Daily, day, front_matter};
use crate::kinds::texts::{extension, read_text};
use crate::output::Output;
use crate::skipped::Skip;
use crate::source::{Entry, Source};
use settings::Settings;

pub struct Markdown;

impl Importer for Markdown {
    fn recognise(&self, sample: &mut Sample<'_>) -> Fit {
        let entries = sample.entries().to_vec();
        let has_folder = |name: &str| entries.iter().any(|entry| format!("/{}", entry.path).contains(name));
        if has_folder("/.obsidian/") {
            return Fit::Clear("a folder .obsidian is there".into());
        }
        if has_folder("/logseq/config.edn") {
            return Fit::Clear("logseq/config.edn is there".into());
        }
        let dated = |entry: &&Entry| is_note(entry) && day::of_path(path_without_extension(&entry.path)).is_some();
        match entries.iter().find(dated) {
            // The folder `memory` of OpenClaw has such files too, so the kind is not clear.
            Some(entry) => Fit::Possible(format!("{} has a date in its name", entry.path)),
            None => Fit::No,
        }
    }

    fn read(&self, source: &mut Source, output: &mut Output<'_>) -> Result<()> {
        let settings = Settings::read(source, output);
        for entry in source.entries().to_vec() {
            let location = entry.location();
            if let Some(reason) = not_read(&entry, &settings) {
                output.skip(Skip::no_message(reason, &location));
            } else if let Some(text) = read_text(source, &entry, output) {
                read_note(&entry.path, &text, &settings, &location, output)?;
            }
        }
        Ok(())
    }
}

/// Returns the kind under which a file is skipped, or `None` for a note.
fn not_read(entry: &Entry, settings: &Settings) -> Option<String> {
    let path = settings.inner(&entry.path);
    if path.split('/').any(|part| part.starts_with('.')) {
        return Some("hidden file".into());
    }
    if path.starts_with("logseq/") {
        return Some("file of Logseq".into());
    }
    if !is_note(entry) {
        return Some(format!("file that is no note (.{})", extension(entry)));
    }
    settings.is_template(path).then(|| "template".into())
}

fn read_note(path: &str, text: &str, settings: &Settings, location: &Location, output: &mut Output<'_>) -> Result<()> {
    let path = settings.inner(path);
    let stem = path_without_extension(path);
    let note = front_matter::split(text);
    let zone = &output.options().zone;
    let created = front_matter::first(&note.fields, &["date", "created", "created_at", "day"])
        .and_then(|text| moment(text, zone));
    let day = settings.day_of(stem).or_else(|| day::of_path(stem)).or(created.map(|(day, _)| day));
    let body = marks::clean(note.body);
    let title = front_matter::first(&note.fields, &["title"]).or(stem.rsplit('/').next());
    let id = format!("markdown:{path}");
    let Some(day) = day else {
        let title = title.unwrap_or_default().to_owned();
        return output.item(Item::Document { id, title, text: body.trim().to_owned(), at: None }, location);
    };
    // A creation time on another day than the note's does not give the time of the note.
    let at = created.filter(|(of, _)| *of == day).and_then(|(_, at)| output.past(at));
    let daily =
        Daily { conversation: id, title, day, at, role: Role::User, body: &body, lines_above: note.lines, location };
    if settings.is_logseq(path, &body) { logseq::write(&daily, output) } else { daily.write(output) }
}

/// Reads a date of a front matter, with its instant if it has a time. Returns `None` if the text has no date.
fn moment(text: &str, zone: &TimeZone) -> Option<(Date, Option<Timestamp>)> {
    let day = day::in_text(text)?;
    let at = text.contains(':').then(|| dates::of_text(text, zone)).flatten();
    Some((at.map_or(day, |at| at.to_zoned(zone.clone()).date()), at))
}

fn is_note(entry: &Entry) -> bool {
    entry.has_extension("md") || entry.has_extension("markdown") || entry.has_extension("txt")
}

fn path_without_extension(path: &str) -> &str {
    let name = path.rfind('/').map_or(0, |slash| slash + 1);
    path[name..].rfind('.').map_or(path, |dot| &path[..name + dot])
}

#[cfg(test)]
mod tests;
