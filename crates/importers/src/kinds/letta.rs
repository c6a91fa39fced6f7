//! Agents of Letta: agent files (`.af`), and the folder of Markdown files that `letta memory export` writes.
//!
//! Blocks matter more than messages here: most agent files have few. The ids of messages in an agent file are counted anew in
//! each export, so they are made of the agent's name, time, role and words.

mod envelope;
mod folder;

use std::collections::HashSet;

use annals_core::{Message, Result, Role, Timestamp};
use serde_json::Value;

use crate::dates;
use crate::detect::{Fit, Sample};
use crate::item::{Item, Place};
use crate::json::Elements;
use crate::kind::Importer;
use crate::kinds::files::{MadeIds, extension};
use crate::output::Output;
use crate::skipped::{Skip, Why};
use crate::source::{Entry, Source};
use envelope::Envelope;

/// Reads agents of Letta.
pub struct Letta;

impl Importer for Letta {
    fn recognise(&self, sample: &mut Sample<'_>) -> Fit {
        let entries = sample.entries();
        if let Some(entry) = entries.iter().find(|entry| entry.has_extension("af")) {
            return Fit::Clear(format!("{} is an agent file", entry.path));
        }
        for entry in entries.iter().filter(|entry| entry.has_extension("json")).take(3) {
            let keys = sample.keys(entry);
            let has = |key: &str| keys.iter().any(|found| found == key);
            if (has("agents") && has("blocks")) || (has("core_memory") && has("messages")) {
                return Fit::Clear(format!("{} has the keys of an agent file", entry.path));
            }
        }
        folder::recognise(&entries, sample)
    }

    fn read(&self, source: &mut Source, output: &mut Output<'_>) -> Result<()> {
        for entry in source.entries().to_vec() {
            let place = entry.place();
            if entry.has_extension("af") || entry.has_extension("json") {
                read_file(source, &entry, output)?;
            } else if entry.path.split('/').any(|part| part.starts_with('.')) {
                output.skip(Skip::no_message("hidden file", &place));
            } else if entry.has_extension("md") {
                folder::read(source, &entry, output)?;
            } else {
                output.skip(Skip::no_message(format!("other file (.{})", extension(&entry)), &place));
            }
        }
        Ok(())
    }
}

fn read_file(source: &mut Source, entry: &Entry, output: &mut Output<'_>) -> Result<()> {
    let place = entry.place();
    let read = source.open_entry(entry).and_then(|input| Elements::new(input).next());
    let value = match read {
        Ok(Some(element)) => element.value,
        Ok(None) => Err("is empty".to_owned()),
        Err(cause) => Err(cause.to_string()),
    };
    match value {
        Ok(file) if file["agents"].is_array() => agents(&file, &place, output),
        Ok(file) if file.get("core_memory").is_some() || file["messages"].is_array() => {
            first_format(&file, &place, output)
        }
        Ok(_) => {
            output.skip(Skip::unknown("JSON file that is no agent file", "", &place));
            Ok(())
        }
        Err(fault) => {
            output.skip(Skip::damaged("damaged agent file", fault, &place));
            Ok(())
        }
    }
}

fn agents(file: &Value, place: &Place, output: &mut Output<'_>) -> Result<()> {
    let no_values = Vec::new();
    let list = |name: &str| file[name].as_array().unwrap_or(&no_values);
    let agents = list("agents");
    let mut used = HashSet::new();
    for (agent, number) in agents.iter().zip(1..) {
        let name = agent["name"]
            .as_str()
            .filter(|name| !name.is_empty())
            .map_or_else(|| format!("agent {number}"), str::to_owned);
        let place = place.at_entry(format!("agent {name}"));
        // Labels repeat between agents.
        let prefix = if agents.len() > 1 { format!("{name}: ") } else { String::new() };
        let ids: Vec<&str> =
            agent["block_ids"].as_array().unwrap_or(&no_values).iter().filter_map(Value::as_str).collect();
        for id in ids {
            match list("blocks").iter().find(|block| block["id"] == id) {
                Some(found) => {
                    used.insert(id);
                    block(&prefix, found, &place, output)?;
                }
                None => output.skip(Skip::damaged("block that the file does not contain", id, &place)),
            }
        }
        for found in agent["memory_blocks"].as_array().unwrap_or(&no_values) {
            block(&prefix, found, &place, output)?;
        }
        messages(&name, agent, &place, output)?;
    }
    for found in list("blocks").iter().filter(|block| !block["id"].as_str().is_some_and(|id| used.contains(id))) {
        output.skip(Skip::no_message("block of no agent", &place.at_entry(found["id"].as_str().unwrap_or_default())));
    }
    for (name, kind) in PARTS {
        list(name).iter().for_each(|_| output.skip(Skip::no_message(kind, place)));
    }
    Ok(())
}

/// Parts of an agent file that are no memory, and what one of them is.
const PARTS: [(&str, &str); 6] = [
    ("tools", "tool definition"),
    ("files", "attached file"),
    ("sources", "data source"),
    ("groups", "group of agents"),
    ("mcp_servers", "MCP server"),
    ("skills", "skill"),
];

/// Reads the format of 2025-04: one agent, its blocks in `core_memory`.
fn first_format(file: &Value, place: &Place, output: &mut Output<'_>) -> Result<()> {
    let name = file["name"].as_str().filter(|name| !name.is_empty()).unwrap_or("agent 1");
    let place = place.at_entry(format!("agent {name}"));
    for found in file["core_memory"].as_array().into_iter().flatten() {
        block("", found, &place, output)?;
    }
    messages(name, file, &place, output)?;
    for _ in file["tools"].as_array().into_iter().flatten() {
        output.skip(Skip::no_message("tool definition", &place));
    }
    Ok(())
}

fn block(prefix: &str, block: &Value, place: &Place, output: &mut Output<'_>) -> Result<()> {
    let Some(label) = block["label"].as_str().filter(|label| !label.is_empty()) else {
        output.skip(Skip::damaged("block without a label", "", place));
        return Ok(());
    };
    let text = block["value"].as_str().unwrap_or_default().trim().to_owned();
    let at = ["updated_at", "created_at"]
        .into_iter()
        .find_map(|field| dates::of_json(&block[field], &output.options().zone));
    output.item(Item::Block { name: format!("{prefix}{label}"), text, at }, &place.at_entry(format!("block {label}")))
}

fn messages(agent: &str, value: &Value, place: &Place, output: &mut Output<'_>) -> Result<()> {
    let conversation = format!("letta:{agent}");
    let messages = value["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
    if !messages.is_empty() {
        output.conversation(&conversation, Some(agent), None, place)?;
    }
    let mut reader = Reader { conversation, ids: MadeIds::default(), last: None };
    for (message, number) in messages.iter().zip(0..) {
        let entry = message["id"].as_str().map_or_else(|| format!("message {number}"), str::to_owned);
        reader.message(message, &place.at_entry(entry), output)?;
    }
    Ok(())
}

struct Reader {
    conversation: String,
    ids: MadeIds,
    last: Option<Timestamp>,
}

impl Reader {
    fn message(&mut self, message: &Value, place: &Place, output: &mut Output<'_>) -> Result<()> {
        let zone = &output.options().zone;
        let stated = output
            .past(dates::of_json(&message["created_at"], zone).or_else(|| dates::of_json(&message["date"], zone)));
        // Undated messages follow the dated ones, whatever is read of these.
        self.last = stated.or_else(|| self.last.map(|last| dates::later(last, 1)));
        let role = match message["role"].as_str() {
            Some("user") => Role::User,
            Some("assistant") => Role::Assistant,
            Some("tool") => {
                if !output.options().tools {
                    output.skip(Skip::option("tool result (--tools)", place));
                    return Ok(());
                }
                Role::Tool
            }
            Some(role @ ("system" | "approval" | "summary" | "function")) => {
                output.skip(Skip::no_message(format!("message of the role {role}"), place));
                return Ok(());
            }
            other => {
                output.skip(Skip::unknown(format!("unknown role {:?}", other.unwrap_or("(none)")), "", place));
                return Ok(());
            }
        };
        let own = message["name"].as_str().filter(|_| role == Role::User).map(str::to_owned);
        let name = output.name_of(role).or(own);
        for (role, text) in texts(message, role, place, output) {
            self.text(message, role, name.clone().filter(|_| role == Role::User), text, place, output)?;
        }
        Ok(())
    }

    fn text(
        &mut self,
        message: &Value,
        role: Role,
        name: Option<String>,
        text: String,
        place: &Place,
        output: &mut Output<'_>,
    ) -> Result<()> {
        let text = match envelope::open(&text).filter(|_| role == Role::User) {
            Some(Envelope::Said(text)) => text,
            Some(Envelope::Event(event)) => {
                output.skip(Skip::no_message(format!("event {event}"), place));
                return Ok(());
            }
            None => text,
        };
        let Some(at) = self.last else {
            output.skip(Skip::new(Why::Undated, "message without a date", "", place));
            return Ok(());
        };
        // `otid` is unique to a message, unlike `id`; all parts of a message share it.
        let key = message["otid"].as_str().filter(|otid| !otid.is_empty());
        let created = message["created_at"].as_str().unwrap_or_default();
        let id = match key {
            Some(otid) => self.ids.named(otid),
            None => self.ids.next(&[created, role.as_str(), &text]),
        };
        let conversation = self.conversation.clone();
        output.message(Message { conversation, client_id: Some(id), role, name, content: text, at }, place)
    }
}

/// Returns the texts of a message. In the older agents the assistant speaks through the tool `send_message`, and its own text
/// is thinking.
fn texts(message: &Value, role: Role, place: &Place, output: &mut Output<'_>) -> Vec<(Role, String)> {
    let mut texts = Vec::new();
    let mut said = Vec::new();
    for call in message["tool_calls"].as_array().into_iter().flatten() {
        let function = &call["function"];
        let sent = if function["name"] == "send_message" { sent_message(&function["arguments"]) } else { None };
        match sent {
            Some(text) => said.push((Role::Assistant, text)),
            None if output.options().tools => {
                let name = function["name"].as_str().unwrap_or_default();
                texts.push((Role::Tool, format!("{name} {}", plain(&function["arguments"]))));
            }
            None => output.skip(Skip::option("tool call (--tools)", place)),
        }
    }
    let is_thinking = !said.is_empty();
    let mut plain_text = Vec::new();
    match &message["content"] {
        Value::String(text) => plain_text.push(text.clone()),
        Value::Array(blocks) => {
            for block in blocks {
                match block["type"].as_str() {
                    Some("text") => plain_text.extend(block["text"].as_str().map(str::to_owned)),
                    Some("reasoning" | "redacted_reasoning" | "omitted_reasoning" | "thinking") => {
                        let text = block["reasoning"]
                            .as_str()
                            .or(block["thinking"].as_str())
                            .filter(|_| output.options().thinking);
                        match text {
                            Some(text) => texts.push((Role::Assistant, text.to_owned())),
                            None => output.skip(Skip::option("thinking (--thinking)", place)),
                        }
                    }
                    Some(kind @ ("image" | "tool_call" | "tool_return")) => {
                        output.skip(Skip::no_message(format!("content of type {kind}"), place));
                    }
                    other => {
                        let kind = format!("unknown content type {:?}", other.unwrap_or("(none)"));
                        output.skip(Skip::unknown(kind, "", place));
                    }
                }
            }
        }
        _ => {}
    }
    let text = plain_text.join("\n");
    if text.trim().is_empty() {
    } else if is_thinking && !output.options().thinking {
        output.skip(Skip::option("thinking (--thinking)", place));
    } else {
        texts.push((role, text));
    }
    texts.extend(said);
    texts
}

/// Returns the argument `message` of a call, whose arguments are JSON in a string.
fn sent_message(arguments: &Value) -> Option<String> {
    let parsed: Value = match arguments {
        Value::String(text) => serde_json::from_str(text).ok()?,
        other => other.clone(),
    };
    parsed["message"].as_str().map(str::to_owned)
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests;
