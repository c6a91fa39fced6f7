//! The export of ChatGPT: ZIP, folder, split files (`conversations-000.json` …), one file, one conversation.
//!
//! A conversation is a tree of nodes. The active branch ends at `current_node`. Ids come from the export: a conversation has
//! the id `chatgpt:CONVERSATION`, a message the id of its node. With the option for all branches, every other branch becomes
//! the conversation `chatgpt:CONVERSATION#LEAF` with the messages that no earlier branch has. Without it, the messages of other
//! branches are counted as skipped.

mod content;
mod text;

use std::collections::HashMap;

use annals_core::{Digest, Message, Result, Role};
use serde_json::{Map, Value, json};

use super::files::{each_element, filled, is_true, keys, list, text};
use crate::dates;
use crate::detect::{Fit, Sample};
use crate::item::{Item, Location};
use crate::kind::Importer;
use crate::output::Output;
use crate::skipped::{Skip, SkipReason};
use crate::source::{Entry, Source};
use crate::tree::{Branch, Node, Span, branches, times, unread};

pub struct ChatGpt;

/// Files of an export that hold no conversations. They are counted as skipped.
const OTHER_FILES: [&str; 9] = [
    "user.json",
    "user_settings.json",
    "message_feedback.json",
    "model_comparisons.json",
    "shared_conversations.json",
    "conversation_asset_file_names.json",
    "library_files.json",
    "export_manifest.json",
    "group_chats.json",
];

impl Importer for ChatGpt {
    fn recognise(&self, sample: &mut Sample<'_>) -> Fit {
        for entry in sample.first(20, is_candidate) {
            let keys = sample.keys(&entry);
            let has = |name: &str| keys.iter().any(|key| key == name);
            if has("mapping") && (has("current_node") || has("title") || has("create_time")) {
                return Fit::Clear(format!("{} has conversations with a mapping", entry.path));
            }
        }
        match sample.first(1, |entry| entry.name() == "conversations.json.index" || entry.name() == "chat.html").first()
        {
            Some(entry) => Fit::Possible(format!("{} is there", entry.path)),
            None => Fit::No,
        }
    }

    fn read(&self, source: &mut Source, output: &mut Output<'_>) -> Result<()> {
        for entry in source.entries().to_vec() {
            if is_candidate(&entry) {
                each_element(source, &entry, output, conversation)?;
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

/// Returns whether a file may hold conversations. An export may be split into any number of files, so files are excluded by
/// name, not included.
fn is_candidate(entry: &Entry) -> bool {
    let is_json = entry.has_extension("json") || entry.has_extension("jsonl") || !entry.name().contains('.');
    is_json && !OTHER_FILES.contains(&entry.name())
}

fn conversation(value: Value, location: &Location, output: &mut Output<'_>) -> Result<()> {
    // Some tools wrap the list of conversations in an object.
    if let (Some(Value::Array(wrapped)), None) = (value.get("conversations"), value.get("mapping")) {
        return wrapped.iter().try_for_each(|inner| conversation(inner.clone(), location, output));
    }
    if let Some(captured) = captured(&value) {
        return conversation(captured.clone(), location, output);
    }
    let Some(id) = filled(&value, "conversation_id").or_else(|| filled(&value, "id")) else {
        output.skip(Skip::unknown("value that is no conversation", keys(&value), location));
        return Ok(());
    };
    let location = location.at_entry(format!("conversation {id}"));
    if let Some(shared) = shared(&value) {
        return Conversation::new(id, &value, &shared, output).send(&location, output);
    }
    match value.get("mapping") {
        Some(Value::Object(mapping)) => Conversation::new(id, &value, mapping, output).send(&location, output),
        Some(Value::Null) | None => {
            output.skip(Skip::no_message("conversation without messages", &location));
            Ok(())
        }
        Some(other) => {
            output.skip(Skip::unknown("mapping of an unknown shape", keys(other), &location));
            Ok(())
        }
    }
}

/// Returns the conversation in a capture of a browser extension: the value of one of its fields. Returns `None` for any other
/// value.
fn captured(value: &Value) -> Option<&Value> {
    let fields = value.as_object().filter(|fields| !fields.contains_key("mapping"))?;
    fields.values().find(|field| field.get("mapping").is_some_and(Value::is_object))
}

/// Returns the mapping of a shared conversation that has only a list of nodes: each node becomes the child of the node before
/// it. Leaves out nodes without an id. Returns `None` if the value has a mapping that is not empty, or no such list.
fn shared(value: &Value) -> Option<Map<String, Value>> {
    let has_mapping = value.get("mapping").and_then(Value::as_object).is_some_and(|mapping| !mapping.is_empty());
    let nodes = list(value, "linear_conversation");
    if has_mapping || nodes.is_empty() {
        return None;
    }
    let mut mapping = Map::new();
    let mut parent = Value::Null;
    for node in nodes {
        let message = node.get("message").unwrap_or(&Value::Null);
        let Some(id) = filled(node, "id").or_else(|| filled(message, "id")) else { continue };
        mapping.insert(id.to_owned(), json!({ "message": message, "parent": parent }));
        parent = Value::from(id);
    }
    Some(mapping)
}

/// One conversation. Its nodes are ordered by id, because the order of the mapping differs between exports.
struct Conversation<'v> {
    id: &'v str,
    value: &'v Value,
    names: Vec<&'v str>,
    messages: Vec<&'v Value>,
    nodes: Vec<Node>,
    span: Span,
}

impl<'v> Conversation<'v> {
    fn new(id: &'v str, value: &'v Value, mapping: &'v Map<String, Value>, output: &Output<'_>) -> Conversation<'v> {
        let mut entries: Vec<(&str, &Value)> = mapping.iter().map(|(name, node)| (name.as_str(), node)).collect();
        entries.sort_by_key(|(name, _)| *name);
        let zone = &output.options().zone;
        let time = |value: &Value, field: &str| output.past(value.get(field).and_then(|at| dates::of_json(at, zone)));
        let mut nodes: Vec<Node> = entries
            .iter()
            .map(|(_, node)| Node {
                parent: None,
                at: node.get("message").and_then(|message| time(message, "create_time")),
            })
            .collect();
        link(&entries, &mut nodes);
        let span = Span {
            created: time(value, "create_time"),
            earliest: nodes.iter().filter_map(|node| node.at).min(),
            updated: time(value, "update_time"),
        };
        let (names, values): (Vec<&str>, Vec<&Value>) = entries.into_iter().unzip();
        let messages = values.iter().map(|node| node.get("message").unwrap_or(&Value::Null)).collect();
        Conversation { id, value, names, messages, nodes, span }
    }

    fn send(&self, location: &Location, output: &mut Output<'_>) -> Result<()> {
        let current = filled(self.value, "current_node").and_then(|name| self.names.binary_search(&name).ok());
        let branches = branches(&self.nodes, current, output.options().branches);
        if branches.is_empty() {
            output.skip(Skip::no_message("conversation without messages", location));
            return Ok(());
        }
        output.conversation(&format!("chatgpt:{}", self.id), text(self.value, "title"), None, location)?;
        for (branch, number) in branches.iter().zip(0..) {
            self.send_branch(branch, number > 0, location, output)?;
        }
        for node in unread(&self.nodes, &branches).into_iter().filter(|node| !self.messages[*node].is_null()) {
            output.skip_branch(&self.location_of(node, location));
        }
        Ok(())
    }

    fn send_branch(&self, branch: &Branch, is_other: bool, location: &Location, output: &mut Output<'_>) -> Result<()> {
        let own: Vec<_> = branch.path.iter().map(|node| self.nodes[*node].at).collect();
        let times = times(&own, self.span);
        let suffix = if is_other { format!("#{}", self.names[branch.leaf]) } else { String::new() };
        let conversation = format!("chatgpt:{}{suffix}", self.id);
        for (node, at) in branch.path.iter().zip(times).skip(branch.shared) {
            self.send_node(*node, &conversation, at, &self.location_of(*node, location), output)?;
        }
        Ok(())
    }

    fn location_of(&self, node: usize, location: &Location) -> Location {
        location.at_entry(format!("conversation {}, node {}", self.id, self.names[node]))
    }

    fn send_node(
        &self,
        node: usize,
        conversation: &str,
        at: Option<annals_core::Timestamp>,
        location: &Location,
        output: &mut Output<'_>,
    ) -> Result<()> {
        let message = self.messages[node];
        let Some(role) = role(message, location, output) else { return Ok(()) };
        if let Some(memory) = message.get("content").and_then(|content| filled(content, "model_set_context")) {
            return note(memory, at, location, output);
        }
        let metadata = message.get("metadata").unwrap_or(&Value::Null);
        if is_true(metadata, "is_user_system_message") {
            output.skip(Skip::no_message("custom instructions", location));
            return Ok(());
        }
        if is_true(metadata, "is_visually_hidden_from_conversation") {
            output.skip(Skip::no_message("hidden message", location));
            return Ok(());
        }
        let pieces = content::pieces(message, role, location, output);
        let (Some(pieces), Some(at)) = (pieces, at) else {
            if at.is_none() {
                output.skip(Skip::new(SkipReason::Undated, "message without a time", "", location));
            }
            return Ok(());
        };
        let id = self.names[node];
        if !output.is_new(&format!("chatgpt:{}/{id}", self.id)) {
            output.skip(Skip::new(SkipReason::Repeated, "message that came before", "", location));
            return Ok(());
        }
        let message = Message {
            conversation: conversation.to_owned(),
            client_id: Some(id.to_owned()),
            role,
            name: output.name_of(role),
            content: String::new(),
            at,
        };
        pieces.send(&message, location, output)
    }
}

/// Sets the parents of nodes, from `parent` and, where that is missing, from `children`: the exports of some tools have only
/// one of them.
fn link(entries: &[(&str, &Value)], nodes: &mut [Node]) {
    let locations: HashMap<&str, usize> =
        entries.iter().zip(0..).map(|((name, _), location)| (*name, location)).collect();
    for (location, (_, node)) in entries.iter().enumerate() {
        nodes[location].parent =
            text(node, "parent").and_then(|name| locations.get(name)).copied().filter(|up| *up != location);
    }
    for (location, (_, node)) in entries.iter().enumerate() {
        for child in list(node, "children").iter().filter_map(Value::as_str).filter_map(|name| locations.get(name)) {
            let is_orphan = nodes[*child].parent.is_none() && entries[*child].1.get("parent").is_none();
            if is_orphan && *child != location {
                nodes[*child].parent = Some(location);
            }
        }
    }
}

/// Returns the role of a message. Returns `None` if there is no message, and for system messages and unknown roles, which are
/// counted as skipped.
fn role(message: &Value, location: &Location, output: &mut Output<'_>) -> Option<Role> {
    if message.is_null() {
        return None;
    }
    let role = message.get("author").and_then(|author| text(author, "role")).or_else(|| text(message, "role"));
    match role {
        Some("user") => Some(Role::User),
        Some("assistant") => Some(Role::Assistant),
        Some("tool") => Some(Role::Tool),
        Some("system") => {
            output.skip(Skip::no_message("system message", location));
            None
        }
        Some(other) => {
            output.skip(Skip::unknown(format!("unknown role {other:?}"), "", location));
            None
        }
        None => {
            output.skip(Skip::unknown("message without a role", keys(message), location));
            None
        }
    }
}

/// Passes on ChatGPT's memory as a document. Many conversations contain a copy of it. The first that is read gives the time,
/// and the others are counted as skipped.
fn note(memory: &str, at: Option<annals_core::Timestamp>, location: &Location, output: &mut Output<'_>) -> Result<()> {
    let id = format!("chatgpt:memory/{}", &Digest::of([memory]).to_string()[..32]);
    if !output.is_new(&id) {
        output.skip(Skip::new(SkipReason::Repeated, "memory that came before", "", location));
        return Ok(());
    }
    let item = Item::Document { id, title: "ChatGPT's memory".to_owned(), text: memory.to_owned(), at };
    output.item(item, location)
}

#[cfg(test)]
mod tests;
