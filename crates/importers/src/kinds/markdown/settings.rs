//! Reads the settings of Obsidian and Logseq for the folder and the names of daily notes.

use std::io::Read;

use annals_core::Date;
use serde_json::Value;

use crate::kinds::notes::day;
use crate::output::Output;
use crate::skipped::Skip;
use crate::source::{Entry, Source};

/// Settings of a vault or graph.
#[derive(Debug, Default)]
pub struct Settings {
    /// The folder of the vault within the source, with a final `/`; empty if the source is the vault.
    root: String,
    /// The folder of daily notes, with a final `/`; empty for the vault itself.
    folder: String,
    /// The format of the names of daily notes, as in moment.js.
    format: Option<String>,
    /// The template of daily notes, without extension.
    template: Option<String>,
    /// Whether Logseq keeps the files.
    has_logseq: bool,
}

/// Number of bytes of a settings file that are read. A larger file is cut off there, and so counts as damaged.
const MAX_FILE_BYTES: u64 = 1 << 20;

impl Settings {
    /// Reads the settings of a source; defaults if it has none. Counts a file of settings that is damaged or too large as
    /// skipped.
    pub fn read(source: &mut Source, output: &mut Output<'_>) -> Settings {
        let mut settings = Settings::default();
        let entries = source.entries().to_vec();
        let find = |name: &str| entries.iter().find_map(|entry| Some((entry, root_before(&entry.path, name)?)));
        if let Some((_, root)) = find(".obsidian/").or(find("logseq/config.edn")) {
            settings.root = root.to_owned();
        }
        settings.has_logseq = find("logseq/config.edn").is_some();
        if let Some((entry, _)) = find(".obsidian/daily-notes.json") {
            settings.add(source, entry, None, output);
        }
        if let Some((entry, _)) = find(".obsidian/plugins/periodic-notes/data.json") {
            settings.add(source, entry, Some("daily"), output);
        }
        settings
    }

    fn add(&mut self, source: &mut Source, entry: &Entry, field: Option<&str>, output: &mut Output<'_>) {
        let mut text = String::new();
        let read = source.open_entry(entry).and_then(|input| input.take(MAX_FILE_BYTES).read_to_string(&mut text));
        let parsed = read.map_err(|cause| cause.to_string());
        let value: Value = match parsed.and_then(|_| serde_json::from_str(&text).map_err(|fault| fault.to_string())) {
            Ok(value) => value,
            Err(fault) => {
                output.skip(Skip::damaged("unreadable settings", fault, &entry.location()));
                return;
            }
        };
        let value = field.map_or(&value, |field| &value[field]);
        let filled = |name: &str| value[name].as_str().map(str::trim).filter(|text| !text.is_empty());
        if let Some(folder) = filled("folder") {
            self.folder = format!("{}/", folder.trim_matches('/'));
        }
        self.format = filled("format").map(str::to_owned).or(self.format.take());
        let template = filled("template").map(|path| path.trim_end_matches(".md").trim_start_matches('/').to_owned());
        self.template = template.or(self.template.take());
    }

    /// Returns the path relative to the vault, or the whole path of a file outside it.
    pub fn inner<'p>(&self, path: &'p str) -> &'p str {
        path.strip_prefix(&self.root).unwrap_or(path)
    }

    /// Returns the day of a daily note, read from its path with the format of the settings. Returns `None` if the settings have
    /// no format or the path does not fit them. `stem` is the path without extension.
    pub fn day_of(&self, stem: &str) -> Option<Date> {
        let format = self.format.as_ref()?;
        day::by_format(stem.strip_prefix(&self.folder)?, format)
    }

    /// Returns whether a note is the template of daily notes, or is in a folder with a name that begins with `template`.
    pub fn is_template(&self, path: &str) -> bool {
        let stem = path.strip_suffix(".md").unwrap_or(path);
        let in_folder =
            path.split('/').rev().skip(1).any(|part| part.to_lowercase().trim_matches('_').starts_with("template"));
        in_folder || self.template.as_deref() == Some(stem)
    }

    /// Returns whether a note is an outline of Logseq: any note of a Logseq graph, or a note in `journals` that begins with a
    /// bullet.
    pub fn is_logseq(&self, path: &str, body: &str) -> bool {
        self.has_logseq || (path.starts_with("journals/") && body.trim_start().starts_with("- "))
    }
}

/// Returns the part of a path before a name; `None` if the name does not begin a component of the path.
fn root_before<'p>(path: &'p str, name: &str) -> Option<&'p str> {
    path.match_indices(name).map(|(at, _)| &path[..at]).find(|root| root.is_empty() || root.ends_with('/'))
}
