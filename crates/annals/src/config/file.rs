//! Parses `annals.toml` into a tree of values, with the line of each key. The values are JSON values, because the environment and
//! flags are merged into the same tree.

use std::collections::BTreeMap;

use annals_core::Fault;
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
pub(crate) fn parse(text: &str) -> Result<File, Vec<Fault>> {
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
    error.span().map_or(fault.clone(), |span| fault.at_line(line_of(text, span.start)))
}

fn line_of(text: &str, at: usize) -> usize {
    text.as_bytes().iter().take(at).filter(|byte| **byte == b'\n').count() + 1
}

fn note_lines(text: &str, above: &str, table: &DeTable<'_>, lines: &mut BTreeMap<String, usize>) {
    for (name, value) in table {
        let key = if above.is_empty() { name.get_ref().to_string() } else { format!("{above}.{}", name.get_ref()) };
        lines.insert(key.clone(), line_of(text, name.span().start));
        if let DeValue::Table(inner) = value.get_ref() {
            note_lines(text, &key, inner, lines);
        }
    }
}

/// Returns the text with the value of every secret key replaced by an empty string, and the full names of those keys. Returns `None`
/// if the text is not valid TOML, because then the positions of the keys are unknown.
pub(crate) fn without_secrets(text: &str) -> Option<(String, Vec<String>)> {
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
