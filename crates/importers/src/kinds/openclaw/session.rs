//! Reads session files of OpenClaw: a line of the type `session`, then lines of the type `message` and of events.

use annals_core::{Message, Result, Role, Timestamp};
use serde_json::Value;

use super::marks;
use crate::dates;
use crate::item::Location;
use crate::kinds::pieces::Pieces;
use crate::kinds::texts::{MadeIds, each_value};
use crate::output::Output;
use crate::skipped::{Skip, SkipReason};
use crate::source::{Entry, Source};

/// Types of lines that are not turns. They are counted as skipped.
const EVENTS: [&str; 9] = [
    "model_change",
    "thinking_level_change",
    "compaction",
    "branch_summary",
    "custom",
    "custom_message",
    "label",
    "session_info",
    "leaf",
];

/// Returns whether a line is the first line of a session of OpenClaw, or of the agent that OpenClaw is built on.
pub fn is_header(line: &Value) -> bool {
    line["type"] == "session" && line["id"].is_string() && line.get("timestamp").is_some()
}

/// Passes on the turns of a session file.
pub fn read(source: &mut Source, entry: &Entry, output: &mut Output<'_>) -> Result<()> {
    let mut session = Session {
        conversation: format!("openclaw:{}", super::session_of_name(entry)),
        last: None,
        ids: MadeIds::default(),
        is_open: false,
    };
    each_value(source, entry, output, |line, location, output| session.line(line, location, output))
}

struct Session {
    conversation: String,
    /// The time of the last message, its own or derived from the message before; at the beginning, the time of the header.
    last: Option<Timestamp>,
    ids: MadeIds,
    is_open: bool,
}

impl Session {
    fn line(&mut self, line: &Value, location: &Location, output: &mut Output<'_>) -> Result<()> {
        let at = [&line["timestamp"], &line["message"]["timestamp"]]
            .into_iter()
            .find_map(|value| dates::of_json(value, &output.options().zone));
        match line["type"].as_str() {
            Some("session") => {
                if let Some(id) = line["id"].as_str().filter(|id| !id.is_empty()) {
                    self.conversation = format!("openclaw:{id}");
                }
                self.last = output.past(at);
                Ok(())
            }
            Some("message") => {
                let at = output.past(at).or_else(|| self.last.map(|last| dates::later(last, 1)));
                self.last = at.or(self.last);
                self.message(line, at, location, output)
            }
            Some(event) if EVENTS.contains(&event) => {
                output.skip(Skip::no_message(format!("event {event}"), location));
                Ok(())
            }
            other => {
                let kind = format!("unknown line type {:?}", other.unwrap_or("(none)"));
                output.skip(Skip::unknown(kind, "", location));
                Ok(())
            }
        }
    }

    fn message(
        &mut self,
        line: &Value,
        at: Option<Timestamp>,
        location: &Location,
        output: &mut Output<'_>,
    ) -> Result<()> {
        let message = &line["message"];
        let role = match message["role"].as_str() {
            Some("user") => Role::User,
            Some("assistant") => Role::Assistant,
            Some("toolResult" | "tool") => Role::Tool,
            Some(role @ ("system" | "bashExecution" | "custom" | "compactionSummary" | "branchSummary")) => {
                output.skip(Skip::no_message(format!("message of the role {role}"), location));
                return Ok(());
            }
            other => {
                output.skip(Skip::unknown(format!("unknown role {:?}", other.unwrap_or("(none)")), "", location));
                return Ok(());
            }
        };
        let id = match line["id"].as_str().filter(|id| !id.is_empty()) {
            Some(id) => id.to_owned(),
            None => self.ids.next(&[role.as_str(), &message["content"].to_string()]),
        };
        if !output.is_new(&format!("{}/{id}", self.conversation)) {
            output.skip(Skip::new(SkipReason::Repeated, "line that occurs twice", "", location));
            return Ok(());
        }
        let mut pieces = pieces(&message["content"], role, location, output);
        let mut stamp = None;
        if !pieces.text.is_empty() {
            let cleaned = marks::clean(role, &pieces.text.join("\n"), &output.options().zone);
            if let Some(what) = cleaned.machine {
                output.skip(Skip::no_message(what, location));
                return Ok(());
            }
            (pieces.text, stamp) = (vec![cleaned.text], cleaned.at.and_then(dates::storable));
        }
        let Some(at) = at.or_else(|| output.past(stamp)) else {
            output.skip(Skip::new(SkipReason::Undated, "message without a date", "", location));
            return Ok(());
        };
        if !std::mem::replace(&mut self.is_open, true) {
            output.conversation(&self.conversation, None, None, location)?;
        }
        let message = Message {
            conversation: self.conversation.clone(),
            client_id: Some(id),
            role,
            name: output.name_of(role),
            content: String::new(),
            at,
        };
        pieces.send(&message, location, output)
    }
}

fn pieces(content: &Value, role: Role, location: &Location, output: &mut Output<'_>) -> Pieces {
    let mut pieces = Pieces::default();
    match content {
        Value::String(text) => pieces.text.push(text.clone()),
        Value::Array(blocks) => blocks.iter().for_each(|block| add(block, &mut pieces, location, output)),
        _ => output.skip(Skip::damaged("message without content", "", location)),
    }
    if role == Role::Tool {
        pieces.tools.append(&mut pieces.text);
    }
    pieces
}

fn add(block: &Value, pieces: &mut Pieces, location: &Location, output: &mut Output<'_>) {
    match block["type"].as_str() {
        Some("text") => pieces.text.extend(block["text"].as_str().map(str::to_owned)),
        Some("thinking") => pieces.thinking.extend(block["thinking"].as_str().map(str::to_owned)),
        Some("toolCall" | "toolUse" | "tool_use") => {
            pieces.tools.push(format!("{} {}", block["name"].as_str().unwrap_or_default(), block["arguments"]));
        }
        Some("image") => output.skip(Skip::no_message("image", location)),
        other => {
            let kind = format!("unknown content type {:?}", other.unwrap_or("(none)"));
            output.skip(Skip::unknown(kind, "", location));
        }
    }
}
