//! Reads the file of the MCP reference memory server: entities with observations, and relations, one per line. Also reads the
//! former `memory.json` and the answer of its tool `read_graph`. They become facts without dates. Files of similar servers may
//! have the type under another name, and observations with a time, which dates the fact.

use annals_core::{ENTITY_TYPE, OBSERVATION, Result, Timestamp};
use serde_json::Value;

use crate::dates;
use crate::detect::{Fit, Sample};
use crate::item::{Item, Location};
use crate::kind::Importer;
use crate::kinds::texts::{MadeIds, each_value};
use crate::output::Output;
use crate::skipped::{Skip, SkipReason};
use crate::source::{Entry, Source};

pub struct McpMemory;

impl Importer for McpMemory {
    fn recognise(&self, sample: &mut Sample<'_>) -> Fit {
        for entry in sample.entries().to_vec().iter().filter(|entry| is_json(entry)).take(5) {
            let keys = sample.keys(entry);
            let has = |key: &str| keys.iter().any(|found| found == key);
            if has("entities") && has("relations") {
                return Fit::Clear(format!("{} has entities and relations", entry.path));
            }
            let is_entity = has("observations") && (has("entityType") || has("entity_type"));
            let is_relation = (has("relationType") || has("relation_type")) && has("type");
            if is_entity || is_relation {
                return Fit::Clear(format!("{} has entities with observations", entry.path));
            }
        }
        Fit::No
    }

    fn read(&self, source: &mut Source, output: &mut Output<'_>) -> Result<()> {
        for entry in source.entries().to_vec() {
            let location = entry.location();
            if !is_json(&entry) {
                output.skip(Skip::no_message("file that is not JSON", &location));
                continue;
            }
            each_value(source, &entry, output, graph)?;
        }
        Ok(())
    }
}

fn is_json(entry: &Entry) -> bool {
    entry.has_extension("json") || entry.has_extension("jsonl")
}

/// Passes on the facts of a line, or of a whole graph.
fn graph(value: &Value, location: &Location, output: &mut Output<'_>) -> Result<()> {
    let (entities, relations) = (value["entities"].as_array(), value["relations"].as_array());
    if entities.is_some() || relations.is_some() {
        for found in entities.into_iter().flatten() {
            entity(found, location, output)?;
        }
        for found in relations.into_iter().flatten() {
            relation(found, location, output)?;
        }
        return Ok(());
    }
    match first(value, &["type", "_type"]) {
        Some("entity") => entity(value, location, output),
        Some("relation") => relation(value, location, output),
        other => {
            let kind = format!("unknown line type {:?}", other.unwrap_or("(none)"));
            output.skip(Skip::unknown(kind, "", location));
            Ok(())
        }
    }
}

fn entity(value: &Value, location: &Location, output: &mut Output<'_>) -> Result<()> {
    let Some(name) = first(value, &["name", "entityName", "entity_name", "id"]) else {
        output.skip(Skip::damaged("entity without a name", "", location));
        return Ok(());
    };
    let location = location.at_entry(format!("entity {name}"));
    if let Some(kind) = first(value, &["entityType", "entity_type"]) {
        fact([name, ENTITY_TYPE, kind], false, None, &location, output)?;
    }
    let observations = match &value["observations"] {
        Value::Array(observations) => observations.iter().collect(),
        Value::Null => Vec::new(),
        single => vec![single],
    };
    for observation in observations {
        // Other servers write an observation as an object with its time.
        let at = ["timestamp", "created_at", "createdAt"]
            .into_iter()
            .find_map(|field| dates::of_json(&observation[field], &output.options().zone));
        match observation.as_str().or_else(|| first(observation, &["text", "content", "contents"])) {
            Some(text) => fact([name, OBSERVATION, text], false, at, &location, output)?,
            None => output.skip(Skip::unknown("observation that is no text", "", &location)),
        }
    }
    Ok(())
}

fn relation(value: &Value, location: &Location, output: &mut Output<'_>) -> Result<()> {
    let subject = first(value, &["from", "from_id", "from_entity", "source"]);
    let predicate = first(value, &["relationType", "relation_type", "relation"]);
    let object = first(value, &["to", "to_id", "to_entity", "target"]);
    let (Some(subject), Some(predicate), Some(object)) = (subject, predicate, object) else {
        output.skip(Skip::damaged("relation without from, to or relationType", "", location));
        return Ok(());
    };
    fact([subject, predicate, object], true, None, &location.at_entry(format!("relation of {subject}")), output)
}

/// Passes on a fact. Its id is made of its words, so a fact that occurs twice is passed on once.
fn fact(
    words: [&str; 3],
    is_relation: bool,
    at: Option<Timestamp>,
    location: &Location,
    output: &mut Output<'_>,
) -> Result<()> {
    let made = MadeIds::default().next(&words);
    let id = format!("mcp-memory:{}{made}", if is_relation { "relation/" } else { "" });
    let [subject, predicate, object] = words;
    if !output.is_new(&id) {
        output.skip(Skip::new(SkipReason::Repeated, "fact that occurs twice", "", location));
        return Ok(());
    }
    let item = Item::Fact {
        id,
        subject: subject.to_owned(),
        predicate: predicate.to_owned(),
        object: object.to_owned(),
        is_relation,
        at,
    };
    output.item(item, location)
}

/// Returns the first text among these fields; `None` if there is none or it is blank.
fn first<'v>(value: &'v Value, fields: &[&str]) -> Option<&'v str> {
    fields.iter().find_map(|field| value[*field].as_str()).map(str::trim).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests;
