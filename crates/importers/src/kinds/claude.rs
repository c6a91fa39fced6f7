//! The export of Claude.ai: ZIP, folder, single files, and single chats of browser exporters.
//!
//! Whether a file has conversations, projects, memories or design chats is recognised by its values, not by its name. Ids come
//! from the export: a conversation has the id `claude:CONVERSATION`, a message the id that it has in the export. `updated_at`
//! changes with each edit, so ids do not depend on it.

pub(super) mod blocks;
mod message;
mod other;

use std::collections::HashMap;

use annals_core::{Message, Result};
use serde_json::Value;

use super::files::{each_element, filled, keys, text};
use crate::dates;
use crate::detect::{Fit, Sample};
use crate::item::Location;
use crate::kind::Importer;
use crate::output::Output;
use crate::skipped::{Skip, SkipReason};
use crate::source::{Entry, Source};
use crate::tree::{Branch, Node, Span, branches, times, unread};

pub struct Claude;

impl Importer for Claude {
    fn recognise(&self, sample: &mut Sample<'_>) -> Fit {
        for entry in sample.first(20, is_candidate) {
            let keys = sample.keys(&entry);
            let has = |name: &str| keys.iter().any(|key| key == name);
            let is_project = has("prompt_template") && has("docs");
            if has("chat_messages") || has("conversations_memory") || is_project {
                return Fit::Clear(format!("{} has values of a Claude.ai export", entry.path));
            }
        }
        Fit::No
    }

    fn read(&self, source: &mut Source, output: &mut Output<'_>) -> Result<()> {
        for entry in source.entries().to_vec() {
            if is_candidate(&entry) {
                each_element(source, &entry, output, value)?;
            } else {
                output.skip(Skip::new(
                    SkipReason::NoMessage,
                    "file without conversations",
                    entry.name(),
                    &entry.location(),
                ));
            }
        }
        Ok(())
    }
}

fn is_candidate(entry: &Entry) -> bool {
    entry.has_extension("json") || entry.has_extension("jsonl") || !entry.name().contains('.')
}

fn value(value: Value, location: &Location, output: &mut Output<'_>) -> Result<()> {
    let has = |field: &str| value.get(field).is_some();
    if has("chat_messages") {
        conversation(&value, "chat_messages", location, output)
    } else if has("conversations_memory") || has("project_memories") {
        other::memories(&value, location, output)
    } else if has("docs") || has("prompt_template") {
        other::project(&value, location, output)
    } else if has("messages") && (has("uuid") || has("id")) {
        conversation(&value, "messages", location, output)
    } else if has("email_address") || has("full_name") || has("verified_phone_number") {
        output.skip(Skip::no_message("account", location));
        Ok(())
    } else {
        output.skip(Skip::unknown("value of an unknown shape", keys(&value), location));
        Ok(())
    }
}

/// Reads a conversation that has its messages in `field`.
fn conversation(value: &Value, field: &str, location: &Location, output: &mut Output<'_>) -> Result<()> {
    let Some(id) = filled(value, "uuid").or_else(|| filled(value, "id")) else {
        output.skip(Skip::unknown("conversation without a uuid", keys(value), location));
        return Ok(());
    };
    let location = location.at_entry(format!("conversation {id}"));
    match value.get(field) {
        Some(Value::Array(messages)) if !messages.is_empty() => {
            return Conversation::new(id, value, messages, output).send(&location, output);
        }
        Some(Value::Array(_) | Value::Null) => {
            output.skip(Skip::no_message("conversation without messages", &location));
        }
        other => {
            let shape = other.map(keys).unwrap_or_default();
            output.skip(Skip::unknown("messages of an unknown shape", shape, &location));
        }
    }
    Ok(())
}

struct Conversation<'v> {
    id: &'v str,
    value: &'v Value,
    messages: Vec<&'v Value>,
    nodes: Vec<Node>,
    span: Span,
}

impl<'v> Conversation<'v> {
    fn new(id: &'v str, value: &'v Value, messages: &'v [Value], output: &Output<'_>) -> Conversation<'v> {
        let zone = &output.options().zone;
        let time = |value: &Value, fields: [&str; 2]| {
            let found = fields.iter().find_map(|field| value.get(*field)).and_then(|at| dates::of_json(at, zone));
            output.past(found)
        };
        let mut messages: Vec<&Value> = messages.iter().collect();
        // Browser exporters number the messages. The order in the list is not always the order of the chat.
        if messages.iter().all(|message| message.get("index").is_some_and(Value::is_u64)) {
            messages.sort_by_key(|message| message.get("index").and_then(Value::as_u64));
        }
        let mut nodes: Vec<Node> = messages
            .iter()
            .map(|message| Node { parent: None, at: time(message, ["created_at", "createdAt"]) })
            .collect();
        link(&messages, &mut nodes);
        let span = Span {
            created: time(value, ["created_at", "createdAt"]),
            earliest: nodes.iter().filter_map(|node| node.at).min(),
            updated: time(value, ["updated_at", "updatedAt"]),
        };
        Conversation { id, value, messages, nodes, span }
    }

    fn send(&self, location: &Location, output: &mut Output<'_>) -> Result<()> {
        let title = filled(self.value, "name").or_else(|| text(self.value, "title"));
        output.conversation(&format!("claude:{}", self.id), title, text(self.value, "summary"), location)?;
        let wanted = filled(self.value, "current_leaf_message_uuid");
        let current =
            wanted.and_then(|leaf| self.messages.iter().position(|message| text(message, "uuid") == Some(leaf)));
        let branches = branches(&self.nodes, current, output.options().branches);
        for (branch, number) in branches.iter().zip(0..) {
            self.send_branch(branch, number > 0, location, output)?;
        }
        for node in unread(&self.nodes, &branches) {
            let id = message::id(self.messages[node]).unwrap_or_default();
            output.skip_branch(&location.at_entry(format!("conversation {}, message {id}", self.id)));
        }
        Ok(())
    }

    fn send_branch(&self, branch: &Branch, is_other: bool, location: &Location, output: &mut Output<'_>) -> Result<()> {
        let own: Vec<_> = branch.path.iter().map(|node| self.nodes[*node].at).collect();
        let leaf = message::id(self.messages[branch.leaf]).unwrap_or_default();
        let suffix = if is_other { format!("#{leaf}") } else { String::new() };
        let conversation = format!("claude:{}{suffix}", self.id);
        for (node, at) in branch.path.iter().zip(times(&own, self.span)).skip(branch.shared) {
            self.send_message(self.messages[*node], &conversation, at, location, output)?;
        }
        Ok(())
    }

    fn send_message(
        &self,
        message: &Value,
        conversation: &str,
        at: Option<annals_core::Timestamp>,
        location: &Location,
        output: &mut Output<'_>,
    ) -> Result<()> {
        let Some(id) = message::id(message) else {
            output.skip(Skip::unknown("message without a uuid", keys(message), location));
            return Ok(());
        };
        let location = location.at_entry(format!("conversation {}, message {id}", self.id));
        let Some(role) = message::role(message, &location, output) else { return Ok(()) };
        let Some(at) = at else {
            output.skip(Skip::new(SkipReason::Undated, "message without a time", "", &location));
            return Ok(());
        };
        if !output.is_new(&format!("claude:{}/{id}", self.id)) {
            output.skip(Skip::new(SkipReason::Repeated, "message that came before", "", &location));
            return Ok(());
        }
        let pieces = message::pieces(message, &location, output);
        let message = Message {
            conversation: conversation.to_owned(),
            client_id: Some(id.to_owned()),
            role,
            name: output.name_of(role),
            content: String::new(),
            at,
        };
        pieces.send(&message, &location, output)
    }
}

/// Sets the parents of the messages. If no message names a known parent, each message becomes the child of the message before
/// it; otherwise a message with an unknown parent becomes a root.
fn link(messages: &[&Value], nodes: &mut [Node]) {
    let locations: HashMap<&str, usize> =
        messages.iter().zip(0..).filter_map(|(message, location)| Some((message::id(message)?, location))).collect();
    let parent = |message: &Value| filled(message, "parent_message_uuid").and_then(|up| locations.get(up)).copied();
    let is_tree = messages.iter().any(|message| parent(message).is_some());
    for (location, message) in messages.iter().enumerate() {
        let up = if is_tree { parent(message) } else { location.checked_sub(1) };
        nodes[location].parent = up.filter(|up| *up != location);
    }
}

#[cfg(test)]
mod tests;
