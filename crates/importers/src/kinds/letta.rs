//! Reads agents of Letta: agent files (`.af`), and the folder of Markdown files that `letta memory export` writes.
//!
//! Most agent files have few messages, so the blocks matter more. Agent files number the messages anew in each export, so the
//! id of a message is its `otid` or, without one, is made of its time, role and words.

mod envelope;
mod folder;

use std::collections::HashSet;

use annals_core::{Message, Result, Role, Timestamp};
use serde_json::Value;

use crate::dates;
use crate::detect::{Fit, Sample};
use crate::item::{Item, Location};
use crate::json::Elements;
use crate::kind::Importer;
use crate::kinds::files::{keys, list, text};
use crate::kinds::pieces::Pieces;
use crate::kinds::texts::{MadeIds, extension, without_spans};
use crate::output::Output;
use crate::skipped::{Skip, SkipReason};
use crate::source::{Entry, Source};
use envelope::Envelope;

pub struct Letta;

impl Importer for Letta {
    fn recognise(&self, sample: &mut Sample<'_>) -> Fit {
        let entries = sample.entries().to_vec();
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
            let location = entry.location();
            if entry.has_extension("af") || entry.has_extension("json") {
                read_file(source, &entry, output)?;
            } else if entry.path.split('/').any(|part| part.starts_with('.')) {
                output.skip(Skip::no_message("hidden file", &location));
            } else if entry.has_extension("md") {
                folder::read(source, &entry, output)?;
            } else {
                output.skip(Skip::no_message(format!("other file (.{})", extension(&entry)), &location));
            }
        }
        Ok(())
    }
}

fn read_file(source: &mut Source, entry: &Entry, output: &mut Output<'_>) -> Result<()> {
    let location = entry.location();
    output.begin_file(entry, false);
    let read = source.open_entry(entry).and_then(|input| Elements::new(input).next());
    let value = match read {
        Ok(Some(element)) => element.value,
        Ok(None) => Err("is empty".to_owned()),
        Err(cause) => Err(cause.to_string()),
    };
    match value {
        Ok(file) if file["agents"].is_array() => agents(&file, &location, output),
        Ok(file) if file.get("core_memory").is_some() || file["messages"].is_array() => {
            first_format(&file, &location, output)
        }
        Ok(_) => {
            output.skip(Skip::unknown("JSON file that is no agent file", "", &location));
            Ok(())
        }
        Err(fault) => {
            output.skip(Skip::damaged("damaged agent file", fault, &location));
            Ok(())
        }
    }
}

fn agents(file: &Value, location: &Location, output: &mut Output<'_>) -> Result<()> {
    let agents = list(file, "agents");
    let written = dates::of_json(&file["created_at"], &output.options().zone);
    let mut used = HashSet::new();
    for (agent, number) in agents.iter().zip(1..) {
        if !agent.is_object() {
            output.skip(Skip::unknown("agent of an unknown shape", keys(agent), location));
            continue;
        }
        let name = agent["name"]
            .as_str()
            .filter(|name| !name.is_empty())
            .map_or_else(|| format!("agent {number}"), str::to_owned);
        let location = location.at_entry(format!("agent {name}"));
        // Several agents may have blocks with the same label.
        let prefix = if agents.len() > 1 { format!("{name}: ") } else { String::new() };
        let ids: Vec<&str> = list(agent, "block_ids").iter().filter_map(Value::as_str).collect();
        for id in ids {
            match list(file, "blocks").iter().find(|block| block["id"] == id) {
                Some(found) => {
                    used.insert(id);
                    block(&prefix, found, written, &location, output)?;
                }
                None => output.skip(Skip::damaged("block that the file does not contain", id, &location)),
            }
        }
        for found in list(agent, "memory_blocks") {
            block(&prefix, found, written, &location, output)?;
        }
        passages(&name, agent, &location, output)?;
        messages(&name, agent, &location, output)?;
    }
    for found in list(file, "blocks").iter().filter(|block| !block["id"].as_str().is_some_and(|id| used.contains(id))) {
        output
            .skip(Skip::no_message("block of no agent", &location.at_entry(found["id"].as_str().unwrap_or_default())));
    }
    for (name, kind) in PARTS {
        list(file, name).iter().for_each(|_| output.skip(Skip::no_message(kind, location)));
    }
    Ok(())
}

/// Fields of an agent file that hold no memory, and the kind under which each of their elements is counted as skipped.
const PARTS: [(&str, &str); 6] = [
    ("tools", "tool definition"),
    ("files", "attached file"),
    ("sources", "data source"),
    ("groups", "group of agents"),
    ("mcp_servers", "MCP server"),
    ("skills", "skill"),
];

/// Reads the format of 2025-04: one agent with its blocks in `core_memory`.
fn first_format(file: &Value, location: &Location, output: &mut Output<'_>) -> Result<()> {
    let name = file["name"].as_str().filter(|name| !name.is_empty()).unwrap_or("agent 1");
    let location = location.at_entry(format!("agent {name}"));
    for found in file["core_memory"].as_array().into_iter().flatten() {
        block("", found, None, &location, output)?;
    }
    passages(name, file, &location, output)?;
    messages(name, file, &location, output)?;
    for _ in file["tools"].as_array().into_iter().flatten() {
        output.skip(Skip::no_message("tool definition", &location));
    }
    Ok(())
}

/// Passes on a block. A block without a time gets the time `written`.
fn block(
    prefix: &str,
    block: &Value,
    written: Option<Timestamp>,
    location: &Location,
    output: &mut Output<'_>,
) -> Result<()> {
    let Some(label) = block["label"].as_str().filter(|label| !label.is_empty()) else {
        output.skip(Skip::damaged("block without a label", "", location));
        return Ok(());
    };
    let text = block["value"].as_str().unwrap_or_default().trim().to_owned();
    let at = ["updated_at", "created_at"]
        .into_iter()
        .find_map(|field| dates::of_json(&block[field], &output.options().zone))
        .or(written);
    output
        .item(Item::Block { name: format!("{prefix}{label}"), text, at }, &location.at_entry(format!("block {label}")))
}

/// Passes on the agent's archival memory, which is not in its prompt, as documents. Agent files do not contain it; files with
/// data from the API do.
fn passages(agent: &str, value: &Value, location: &Location, output: &mut Output<'_>) -> Result<()> {
    let mut ids = MadeIds::default();
    for passage in ["archival_memory", "archival_passages", "passages"].iter().flat_map(|field| list(value, field)) {
        let Some(text) = text(passage, "text").or(passage.as_str()) else {
            output.skip(Skip::unknown("passage of an unknown shape", keys(passage), location));
            continue;
        };
        let id = match passage["id"].as_str().filter(|id| !id.is_empty()) {
            Some(id) => ids.named(id),
            None => ids.next(&[text]),
        };
        let item = Item::Document {
            id: format!("letta:{agent}/passage/{id}"),
            title: String::new(),
            text: text.to_owned(),
            at: dates::of_json(&passage["created_at"], &output.options().zone),
        };
        output.item(item, &location.at_entry(format!("passage {id}")))?;
    }
    Ok(())
}

fn messages(agent: &str, value: &Value, location: &Location, output: &mut Output<'_>) -> Result<()> {
    let conversation = format!("letta:{agent}");
    let messages = value["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
    if !messages.is_empty() {
        output.conversation(&conversation, Some(agent), None, location)?;
    }
    let mut reader = Reader { conversation, ids: MadeIds::default(), last: None };
    for (message, number) in messages.iter().zip(0..) {
        let entry = message["id"].as_str().map_or_else(|| format!("message {number}"), str::to_owned);
        reader.message(message, &location.at_entry(entry), output)?;
    }
    Ok(())
}

/// The tags that letta-code puts around the words that it adds to a message of the person.
const REMINDER: (&str, &str) = ("<system-reminder>", "</system-reminder>");

struct Reader {
    conversation: String,
    ids: MadeIds,
    last: Option<Timestamp>,
}

impl Reader {
    fn message(&mut self, message: &Value, location: &Location, output: &mut Output<'_>) -> Result<()> {
        let zone = &output.options().zone;
        let at = output
            .past(dates::of_json(&message["created_at"], zone).or_else(|| dates::of_json(&message["date"], zone)));
        // An undated message comes a millisecond after the message before it, even if that one is not imported.
        self.last = at.or_else(|| self.last.map(|last| dates::later(last, 1)));
        let parts = role_of(message, location).and_then(|role| {
            let mut pieces = pieces(message, role, location, output);
            if role == Role::User {
                unwrap_user_text(&mut pieces, location)?;
            }
            Ok((role, pieces))
        });
        let (role, pieces) = match parts {
            Ok(parts) => parts,
            Err(skip) => {
                output.skip(skip);
                return Ok(());
            }
        };
        let Some(at) = self.last else {
            output.skip(Skip::new(SkipReason::Undated, "message without a date", "", location));
            return Ok(());
        };
        // `otid` identifies a message in all exports, unlike `id`, which each export numbers anew.
        let id = match message["otid"].as_str().filter(|otid| !otid.is_empty()) {
            Some(otid) => self.ids.named(otid),
            None => {
                let created = message["created_at"].as_str().unwrap_or_default();
                let parts = [&pieces.text, &pieces.tools, &pieces.thinking];
                let words =
                    parts.into_iter().find(|texts| !texts.is_empty()).map_or(String::new(), |texts| texts.join("\n"));
                self.ids.next(&[created, role.as_str(), &words])
            }
        };
        let own = message["name"].as_str().filter(|_| role == Role::User).map(str::to_owned);
        let message = Message {
            conversation: self.conversation.clone(),
            client_id: Some(id),
            role,
            name: output.name_of(role).or(own),
            content: String::new(),
            at,
        };
        pieces.send(&message, location, output)
    }
}

/// Returns the role of a message, or why messages of this role are left out.
fn role_of<'a>(message: &Value, location: &'a Location) -> std::result::Result<Role, Skip<'a>> {
    match message["role"].as_str() {
        Some("user") => Ok(Role::User),
        Some("assistant") => Ok(Role::Assistant),
        Some("tool") => Ok(Role::Tool),
        Some(role @ ("system" | "approval" | "summary" | "function")) => {
            Err(Skip::no_message(format!("message of the role {role}"), location))
        }
        other => Err(Skip::unknown(format!("unknown role {:?}", other.unwrap_or("(none)")), "", location)),
    }
}

/// Replaces the text of a user's message by what the user wrote: without the envelope and the reminders of the program. Returns
/// why a message that is the program's alone is left out.
fn unwrap_user_text<'a>(pieces: &mut Pieces, location: &'a Location) -> std::result::Result<(), Skip<'a>> {
    let text = pieces.text.join("\n");
    match envelope::open(&text) {
        Some(Envelope::Message(text)) => pieces.text = vec![text],
        Some(Envelope::Event(event)) => return Err(Skip::no_message(format!("event {event}"), location)),
        None if text.contains(REMINDER.0) => {
            pieces.text = vec![without_spans(&text, REMINDER.0, REMINDER.1).trim().to_owned()];
            if pieces.text[0].is_empty() {
                return Err(Skip::no_message("message of the program", location));
            }
        }
        None => {}
    }
    Ok(())
}

/// Returns the parts of a message. In older agents the assistant answers by calling the tool `send_message`, and the text of
/// its message is thinking.
fn pieces(message: &Value, role: Role, location: &Location, output: &mut Output<'_>) -> Pieces {
    let mut pieces = Pieces::default();
    match &message["content"] {
        Value::String(text) => pieces.text.push(text.clone()),
        Value::Array(blocks) => blocks.iter().for_each(|block| add(block, &mut pieces, location, output)),
        _ => {}
    }
    let mut sent = Vec::new();
    for call in list(message, "tool_calls") {
        let function = &call["function"];
        match Some(&function["arguments"]).filter(|_| function["name"] == "send_message").and_then(sent_message) {
            Some(text) => sent.push(text),
            None => pieces.tools.push(format!(
                "{} {}",
                function["name"].as_str().unwrap_or_default(),
                plain(&function["arguments"])
            )),
        }
    }
    if role == Role::Tool {
        pieces.tools.append(&mut pieces.text);
    }
    if !sent.is_empty() {
        pieces.thinking.append(&mut pieces.text);
        pieces.text = sent;
    }
    pieces
}

fn add(block: &Value, pieces: &mut Pieces, location: &Location, output: &mut Output<'_>) {
    match block["type"].as_str() {
        Some("text") => pieces.text.extend(text(block, "text").map(str::to_owned)),
        Some("reasoning" | "redacted_reasoning" | "omitted_reasoning" | "thinking") => {
            pieces.thinking.push(text(block, "reasoning").or(text(block, "thinking")).unwrap_or_default().to_owned());
        }
        Some("tool_return") => pieces.tools.extend(text(block, "content").map(str::to_owned)),
        Some(kind @ ("image" | "tool_call")) => {
            output.skip(Skip::no_message(format!("content of type {kind}"), location));
        }
        other => {
            let kind = format!("unknown content type {:?}", other.unwrap_or("(none)"));
            output.skip(Skip::unknown(kind, "", location));
        }
    }
}

/// Returns the argument `message` of a call; `None` without one. The arguments are an object, or JSON in a string.
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
