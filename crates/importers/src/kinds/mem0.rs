//! Reads memories of mem0: pages of its API, the list of its self-hosted server, structured exports, lines, and histories.
//!
//! A memory becomes a statement. Its time is that of the extraction by mem0, unless the memory or its metadata has the time of
//! an observation. Relations become facts.

use std::borrow::Cow;

use annals_core::{Result, Timestamp};
use serde_json::{Value, json};

use crate::dates;
use crate::detect::{Fit, Sample};
use crate::item::{Item, Location};
use crate::kind::Importer;
use crate::kinds::texts::{MadeIds, each_value};
use crate::output::Output;
use crate::skipped::{Skip, SkipReason};
use crate::source::{Entry, Source};

pub struct Mem0;

/// Fields that hold a list of memories.
const LISTS: [&str; 4] = ["results", "memories", "data", "items"];
/// Fields that hold the text of a memory. The first of them that is a text is read.
const TEXTS: [&str; 4] = ["memory", "text", "content", "data"];

impl Importer for Mem0 {
    fn recognise(&self, sample: &mut Sample<'_>) -> Fit {
        for entry in sample.entries().to_vec().iter().filter(|entry| is_json(entry)).take(5) {
            let keys = sample.keys(entry);
            let has = |key: &str| keys.iter().any(|found| found == key);
            if has("memory") && (has("user_id") || has("agent_id") || has("hash") || has("categories")) {
                return Fit::Clear(format!("{} has memories with a user", entry.path));
            }
            if has("old_memory") && has("new_memory") {
                return Fit::Clear(format!("{} is a history of memories", entry.path));
            }
            let inner = String::from_utf8_lossy(sample.head(entry)).into_owned();
            if has("results")
                && inner.contains("\"memory\"")
                && (inner.contains("\"user_id\"") || inner.contains("\"hash\""))
            {
                return Fit::Clear(format!("{} is a page of memories", entry.path));
            }
            if has("memories") && has("apps") {
                return Fit::Clear(format!("{} is an export of OpenMemory", entry.path));
            }
            if inner.contains("\"payload\"") && inner.contains("\"data\"") && inner.contains("\"hash\"") {
                return Fit::Clear(format!("{} has points of a store of memories", entry.path));
            }
            if has("memory") && has("id") {
                return Fit::Possible(format!("{} has the field memory", entry.path));
            }
        }
        Fit::No
    }

    fn read(&self, source: &mut Source, output: &mut Output<'_>) -> Result<()> {
        let mut reader = Reader { ids: MadeIds::default() };
        for entry in source.entries().to_vec() {
            let location = entry.location();
            if !is_json(&entry) {
                output.skip(Skip::no_message("file that is not JSON", &location));
                continue;
            }
            each_value(source, &entry, output, |value, location, output| reader.value(value, location, output))?;
        }
        Ok(())
    }
}

fn is_json(entry: &Entry) -> bool {
    entry.has_extension("json") || entry.has_extension("jsonl") || entry.has_extension("ndjson")
}

struct Reader {
    ids: MadeIds,
}

impl Reader {
    /// Passes on one memory, or all memories and relations of a page.
    fn value(&mut self, value: &Value, location: &Location, output: &mut Output<'_>) -> Result<()> {
        let lists: Vec<&Vec<Value>> = LISTS
            .iter()
            .filter_map(|name| value[*name].as_array())
            // Pages of the vector store have the memories here.
            .chain(value["result"]["points"].as_array())
            .collect();
        let relations = value["relations"].as_array();
        if lists.is_empty() && relations.is_none() {
            return self.memory(value, location, output);
        }
        for memory in lists.into_iter().flatten() {
            self.memory(&named(memory, &value["user"]), location, output)?;
        }
        for relation in relations.into_iter().flatten() {
            self.relation(relation, location, output)?;
        }
        skip_others(value, location, output);
        Ok(())
    }

    fn memory(&mut self, value: &Value, location: &Location, output: &mut Output<'_>) -> Result<()> {
        let id = id_of(value);
        let location = id.as_ref().map_or_else(|| location.clone(), |id| location.at_entry(format!("memory {id}")));
        if value.get("new_memory").is_some() || value.get("old_memory").is_some() {
            return self.event(value, &location, output);
        }
        if let Some(text) = value.as_str() {
            return self.memory(&json!({ "memory": text }), &location, output);
        }
        if let Some(point) = point(value) {
            return self.memory(&point, &location, output);
        }
        if !value.is_object() {
            output.skip(Skip::unknown("element that is no object", "", &location));
            return Ok(());
        }
        let Some(text) = TEXTS.iter().find_map(|name| value[*name].as_str()) else {
            let mut keys: Vec<&str> =
                value.as_object().into_iter().flat_map(|object| object.keys().map(String::as_str)).collect();
            // Whether objects keep the order of the file depends on the features of serde_json, so the keys are sorted.
            keys.sort_unstable();
            output.skip(Skip::unknown("object without a memory", format!("it has {}", keys.join(", ")), &location));
            return Ok(());
        };
        if is_set(&value["replaced_by"]) {
            output.skip(Skip::no_message("memory that was replaced", &location));
            return Ok(());
        }
        let is_deleted = value["is_deleted"] == true || value["deleted_at"].is_string() || value["state"] == "deleted";
        if is_deleted || value["lifecycle_state"] == "deleted" {
            output.skip(Skip::no_message("memory that was deleted", &location));
            return Ok(());
        }
        if time(&value["expiration_date"], output).is_some_and(|end| end < output.options().now) {
            output.skip(Skip::no_message("memory that has expired", &location));
            return Ok(());
        }
        let about = about(value, output);
        let id = id.unwrap_or_else(|| self.ids.next(&[about.as_deref().unwrap_or_default(), text]));
        let at = at_of(value, output);
        // Pages overlap if memories were added between the requests for them.
        if !output.is_new(&format!("{id}/{text}/{at:?}")) {
            output.skip(Skip::new(SkipReason::Repeated, "memory that occurs twice", "", &location));
            return Ok(());
        }
        for name in ["metadata", "metadata_", "categories"].into_iter().filter(|name| is_filled(&value[*name])) {
            output.skip(Skip::no_message(format!("{} of a memory", name.trim_end_matches('_')), &location));
        }
        output.item(Item::Statement { id: format!("mem0:{id}"), about, text: text.to_owned(), at }, &location)
    }

    /// Passes on an event in the history of a memory as a statement with the time of the event. Counts an event that deletes
    /// the memory or has no new text as skipped.
    fn event(&mut self, value: &Value, location: &Location, output: &mut Output<'_>) -> Result<()> {
        let Some(text) = value["new_memory"].as_str().filter(|_| value["event"] != "DELETE") else {
            output.skip(Skip::no_message("deletion in a history", location));
            return Ok(());
        };
        let id = id_of(value).unwrap_or_else(|| self.ids.next(&[&value["memory_id"].to_string(), text]));
        let item = Item::Statement {
            id: format!("mem0:{id}"),
            about: about(value, output),
            text: text.to_owned(),
            at: at_of(value, output),
        };
        output.item(item, location)
    }

    fn relation(&mut self, value: &Value, location: &Location, output: &mut Output<'_>) -> Result<()> {
        let filled =
            |names: &[&str]| names.iter().find_map(|name| value[*name].as_str()).filter(|text| !text.is_empty());
        let parts = (
            filled(&["source", "source_node"]),
            filled(&["relationship", "relation", "relation_type"]),
            filled(&["target", "destination", "destination_node", "target_node"]),
        );
        let (Some(subject), Some(predicate), Some(object)) = parts else {
            output.skip(Skip::damaged("relation without source, relationship or target", "", location));
            return Ok(());
        };
        let id = id_of(value).unwrap_or_else(|| self.ids.next(&[subject, predicate, object]));
        let item = Item::Fact {
            id: format!("mem0:{id}"),
            subject: subject.to_owned(),
            predicate: predicate.to_owned(),
            object: object.to_owned(),
            is_relation: true,
            at: at_of(value, output),
        };
        output.item(item, location)
    }
}

/// Returns a memory in which the id that OpenMemory gave the user of an export is replaced by the user's name.
fn named<'m>(memory: &'m Value, user: &Value) -> Cow<'m, Value> {
    let is_of_user = user["id"].is_string() && user["id"] == memory["user_id"] && user["user_id"].is_string();
    if !is_of_user {
        return Cow::Borrowed(memory);
    }
    let mut memory = memory.clone();
    memory["user_id"] = user["user_id"].clone();
    Cow::Owned(memory)
}

/// Counts the other fields of a page or export as skipped, if they are lists or objects with elements.
fn skip_others(value: &Value, location: &Location, output: &mut Output<'_>) {
    let is_read = |name: &str| LISTS.contains(&name) || matches!(name, "relations" | "result");
    for (name, _) in value.as_object().into_iter().flatten().filter(|(name, value)| is_filled(value) && !is_read(name))
    {
        output.skip(Skip::no_message(format!("field {name:?} beside the memories"), location));
    }
}

/// Returns whether a field is a list with elements, or an object with keys other than the times, which are read.
fn is_filled(value: &Value) -> bool {
    match value {
        Value::Array(values) => !values.is_empty(),
        Value::Object(fields) => fields.keys().any(|name| name != "timestamp" && name != "observation_date"),
        _ => false,
    }
}

/// Returns the memory in a point of mem0's vector store: the fields of `payload`, with the id of the point. Returns `None` if
/// the value has no `payload`.
fn point(value: &Value) -> Option<Value> {
    let mut memory = value["payload"].as_object()?.clone();
    memory.insert("id".to_owned(), value["id"].clone());
    Some(Value::Object(memory))
}

fn id_of(value: &Value) -> Option<String> {
    match &value["id"] {
        Value::String(id) if !id.is_empty() => Some(id.clone()),
        Value::Number(id) => Some(id.to_string()),
        _ => None,
    }
}

fn is_set(value: &Value) -> bool {
    !(value.is_null() || value == "" || value == false)
}

/// Returns the name of the user, agent or run that a memory is about. Returns `None` if the memory names nobody. mem0's
/// placeholders for the only user are replaced by the name of the person, if the import has one.
fn about(value: &Value, output: &Output<'_>) -> Option<String> {
    let owner = ["user_id", "agent_id", "run_id"]
        .into_iter()
        .find_map(|field| value[field].as_str())
        .filter(|id| !id.is_empty());
    // The placeholders of mem0 for the only user.
    let is_placeholder = matches!(owner, Some("default_user" | "user" | "default"));
    if is_placeholder { output.options().me.clone().or(owner.map(str::to_owned)) } else { owner.map(str::to_owned) }
}

/// Returns the time from which a memory holds. Times of the observation, as in the metadata, come before `created_at`, the time
/// of the extraction. Passes over times in the future. Returns `None` if no time is left.
fn at_of(value: &Value, output: &Output<'_>) -> Option<Timestamp> {
    let metadata = &value["metadata"];
    let observed = [
        &metadata["timestamp"],
        &metadata["observation_date"],
        &value["observation_date"],
        &value["timestamp"],
        &value["created_at"],
        &value["updated_at"],
    ];
    observed.into_iter().find_map(|field| output.past(time(field, output)))
}

/// Reads an instant, or a day as the instant of its beginning; `None` for any other value.
fn time(value: &Value, output: &Output<'_>) -> Option<Timestamp> {
    let zone = &output.options().zone;
    dates::of_json(value, zone).or_else(|| {
        let day: annals_core::Date = value.as_str()?.trim().parse().ok()?;
        day.to_zoned(zone.clone()).ok().map(|midnight| midnight.timestamp())
    })
}

#[cfg(test)]
mod tests;
