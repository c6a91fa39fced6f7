//! Parses `annals.toml` into a tree of values, with the line of each key. The values are JSON values, because the environment
//! and flags are merged into the same tree.

use std::collections::BTreeMap;
use std::path::Path;

use annals_core::{Error, Fault, Result, line_at};
use serde::Deserialize;
use serde_json::{Map, Value};
use toml::de::{DeTable, DeValue};

use super::is_secret;

/// A file that is valid TOML; its keys are not yet checked.
pub(crate) struct File {
    pub tree: Map<String, Value>,
    /// Line numbers, starting at 1, by full key (`server.listen`).
    pub lines: BTreeMap<String, usize>,
}

/// Parses the text. The errors give line and reason, never the text of the line.
pub(crate) fn parse(text: &str) -> std::result::Result<File, Vec<Fault>> {
    let (table, errors) = DeTable::parse_recoverable(text);
    if !errors.is_empty() {
        return Err(errors.iter().map(|error| syntax(text, error)).collect());
    }
    let mut lines = BTreeMap::new();
    note_lines(text, "", table.get_ref(), &mut lines);
    let tree = Map::deserialize(toml::de::Deserializer::from(table)).map_err(|error| vec![syntax(text, &error)])?;
    Ok(File { tree, lines })
}

fn syntax(text: &str, error: &toml::de::Error) -> Fault {
    let fault = Fault::new("the file", format!("cannot be read: {}", error.message()));
    match error.span() {
        Some(span) => fault.at_offset(text, span.start),
        None => fault,
    }
}

fn note_lines(text: &str, above: &str, table: &DeTable<'_>, lines: &mut BTreeMap<String, usize>) {
    for (name, value) in table {
        let key = if above.is_empty() { name.get_ref().to_string() } else { format!("{above}.{}", name.get_ref()) };
        lines.insert(key.clone(), line_at(text, name.span().start));
        if let DeValue::Table(inner) = value.get_ref() {
            note_lines(text, &key, inner, lines);
        }
    }
}

/// Reads a configuration file for a backup. Returns its text without secrets, and the full names of the keys that were left
/// out; `None` without a path. Fails if the file cannot be read or is not valid TOML.
pub(crate) fn without_secrets(path: Option<&Path>) -> Result<Option<(String, Vec<String>)>> {
    let Some(path) = path else { return Ok(None) };
    let text = std::fs::read_to_string(path);
    let text = text.map_err(|cause| Error::storage(format!("copying {}", path.display()), cause))?;
    let reason = "is not valid TOML, so its secrets cannot be removed from the backup";
    redact(&text).map(Some).ok_or_else(|| Error::invalid(path.display().to_string(), reason))
}

/// Returns the text with the value of every secret key replaced by an empty string, and the full names of those keys. Returns
/// `None` if the text is not valid TOML, because then the positions of the keys are unknown.
fn redact(text: &str) -> Option<(String, Vec<String>)> {
    let table = DeTable::parse(text).ok()?;
    let mut found = Vec::new();
    find_secrets("", table.get_ref(), &mut found);
    found.sort_by_key(|(_, span)| std::cmp::Reverse(span.start));
    let mut redacted = text.to_owned();
    for (_, span) in &found {
        redacted.replace_range(span.clone(), "\"\"");
    }
    Some((redacted, found.into_iter().rev().map(|(key, _)| key).collect()))
}

fn find_secrets(above: &str, table: &DeTable<'_>, found: &mut Vec<(String, std::ops::Range<usize>)>) {
    for (name, value) in table {
        let key = if above.is_empty() { name.get_ref().to_string() } else { format!("{above}.{}", name.get_ref()) };
        match value.get_ref() {
            DeValue::Table(inner) => find_secrets(&key, inner, found),
            _ if is_secret(&key) => found.push((key, value.span())),
            _ => {}
        }
    }
}
