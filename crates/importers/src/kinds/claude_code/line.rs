//! One line of a session of Claude Code.

use annals_core::{Digest, Message, Result, Role, Timestamp};
use serde_json::Value;

use super::typed::typed;
use crate::dates;
use crate::item::Place;
use crate::kinds::claude::blocks::{call, result};
use crate::kinds::files::{filled, is_true, keys, text};
use crate::kinds::pieces::Pieces;
use crate::output::Output;
use crate::skipped::{Skip, SkipReason};

/// Lines that are no turns.
const NO_TURNS: [&str; 22] = [
    "agent-color",
    "agent-name",
    "agent-setting",
    "ai-title",
    "attachment",
    "bridge-session",
    "content-replacement",
    "continued-in",
    "custom-title",
    "file-history-snapshot",
    "last-prompt",
    "marble-origami-commit",
    "mode",
    "permission-mode",
    "pr-link",
    "progress",
    "queue-operation",
    "speculation-accept",
    "summary",
    "system",
    "tag",
    "worktree-state",
];

/// One file of a session, read line by line.
pub struct Session {
    /// The id, from the name of the file; lines that name another session belong to that one.
    id: String,
    /// The conversation of the last message that is no copy; the title is its.
    conversation: Option<String>,
    /// Titles: set by the person, made by the program, of an older version; the first typed line.
    titles: [Option<String>; 4],
    last: Option<Timestamp>,
    /// The last answer: one answer of the model may stand on several lines.
    pending: Option<Answer>,
}

struct Answer {
    /// The id that the lines of one answer share.
    answer: Option<String>,
    message: Message,
    pieces: Pieces,
    place: Place,
}

impl Session {
    /// Begins a file.
    pub fn new(id: &str) -> Session {
        Session { id: id.to_owned(), conversation: None, titles: Default::default(), last: None, pending: None }
    }

    /// Reads a line.
    pub fn line(&mut self, line: &Value, place: &Place, output: &mut Output<'_>) -> Result<()> {
        match text(line, "type") {
            Some("user") => self.turn(line, Role::User, place, output),
            Some("assistant") => self.turn(line, Role::Assistant, place, output),
            Some("attachment") if is_typed_meanwhile(line) => self.turn(line, Role::User, place, output),
            Some(kind) if NO_TURNS.contains(&kind) => {
                self.note_title(kind, line);
                output.skip(Skip::no_message(format!("line {kind:?}"), place));
                Ok(())
            }
            Some(other) => {
                output.skip(Skip::unknown(format!("unknown line {other:?}"), keys(line), place));
                Ok(())
            }
            None => {
                output.skip(Skip::unknown("line of an unknown shape", keys(line), place));
                Ok(())
            }
        }
    }

    /// Ends the file: passes on the last answer and the title.
    pub fn end(mut self, file: &Place, output: &mut Output<'_>) -> Result<()> {
        self.flush(output)?;
        let title = self.titles.iter().flatten().next();
        match &self.conversation {
            Some(conversation) => output.conversation(conversation, title.map(String::as_str), None, file),
            None => Ok(()),
        }
    }

    fn note_title(&mut self, kind: &str, line: &Value) {
        let (place, field) = match kind {
            "custom-title" => (0, "customTitle"),
            "ai-title" => (1, "aiTitle"),
            "summary" => (2, "summary"),
            _ => return,
        };
        if let Some(title) = filled(line, field).or_else(|| filled(line, "title")) {
            self.titles[place] = Some(title.to_owned());
        }
    }

    fn turn(&mut self, line: &Value, role: Role, place: &Place, output: &mut Output<'_>) -> Result<()> {
        if let Some(kind) = no_turn(line, role) {
            output.skip(Skip::no_message(kind, place));
            return Ok(());
        }
        // A forked line has a new uuid, and names the one that it is a copy of.
        let forked = line.get("forkedFrom").and_then(|origin| filled(origin, "messageUuid"));
        let id = forked.or_else(|| filled(line, "uuid")).map(str::to_owned).or_else(|| made_up_id(line));
        let Some(id) = id else {
            output.skip(Skip::unknown("turn without a uuid", keys(line), place));
            return Ok(());
        };
        if !output.is_new(&format!("claude-code:{id}")) {
            output.skip(Skip::new(SkipReason::Repeated, "copied line", "", place));
            return Ok(());
        }
        let own = line.get("timestamp").and_then(|at| dates::of_json(at, &output.options().zone));
        let at = output.past(own).or(self.last.map(|last| dates::later(last, 1)));
        let Some(at) = at else {
            output.skip(Skip::new(SkipReason::Undated, "message without a time", "", place));
            return Ok(());
        };
        self.last = Some(at);
        let pieces = pieces(line, role, place, output);
        if pieces == Pieces::default() {
            output.skip(Skip::no_message("message without text", place));
            return Ok(());
        }
        let conversation = format!("claude-code:{}", self.session_of(line));
        let name = output.name_of(role);
        let message = Message { conversation, client_id: Some(id), role, name, content: String::new(), at };
        self.add(line, message, pieces, place, output)
    }

    /// Joins lines of one answer; passes everything else on at once.
    fn add(
        &mut self,
        line: &Value,
        message: Message,
        pieces: Pieces,
        place: &Place,
        output: &mut Output<'_>,
    ) -> Result<()> {
        if self.conversation.as_ref() != Some(&message.conversation) {
            // What was typed first in a copied part is the title of another session.
            self.titles[3] = None;
            self.conversation = Some(message.conversation.clone());
        }
        if message.role == Role::User && self.titles[3].is_none() {
            self.titles[3] = pieces.text.first().map(|text| text.lines().next().unwrap_or_default().to_owned());
        }
        let answer = line.get("message").and_then(|message| filled(message, "id")).map(str::to_owned);
        if let Some(pending) =
            self.pending.as_mut().filter(|pending| pending.answer.is_some() && pending.answer == answer)
        {
            pending.pieces.text.extend(pieces.text);
            pending.pieces.thinking.extend(pieces.thinking);
            pending.pieces.tools.extend(pieces.tools);
            return Ok(());
        }
        self.flush(output)?;
        if message.role == Role::Assistant {
            self.pending = Some(Answer { answer, message, pieces, place: place.clone() });
            return Ok(());
        }
        pieces.send(&message, place, output)
    }

    fn flush(&mut self, output: &mut Output<'_>) -> Result<()> {
        match self.pending.take() {
            Some(answer) => answer.pieces.send(&answer.message, &answer.place, output),
            None => Ok(()),
        }
    }

    /// Returns the session that a line was first written in.
    fn session_of(&self, line: &Value) -> String {
        let forked = line.get("forkedFrom").and_then(|origin| filled(origin, "sessionId"));
        forked.or_else(|| filled(line, "sessionId")).unwrap_or(&self.id).to_owned()
    }
}

/// Returns why a line of a turn was neither typed nor answered, or `None` if it was.
fn no_turn(line: &Value, role: Role) -> Option<&'static str> {
    let origin = line.get("origin").and_then(|origin| text(origin, "kind"));
    let model = line.get("message").and_then(|message| text(message, "model"));
    match role {
        _ if is_true(line, "isSidechain") => Some("message of a subagent"),
        _ if is_true(line, "isCompactSummary") => Some("summary of a compacted conversation"),
        _ if is_true(line, "isMeta") => Some("message of the program"),
        _ if is_true(line, "isVisibleInTranscriptOnly") => Some("message of the program"),
        Role::User if origin.is_some_and(|kind| kind != "human") => Some("message of the program"),
        Role::Assistant if is_true(line, "isApiErrorMessage") || model == Some("<synthetic>") => {
            Some("error of the API")
        }
        _ => None,
    }
}

/// Returns whether a line is what a person typed while the assistant was at work. No other line has it.
fn is_typed_meanwhile(line: &Value) -> bool {
    let attachment = line.get("attachment").unwrap_or(&Value::Null);
    let origin = attachment.get("origin").or_else(|| line.get("origin")).and_then(|origin| text(origin, "kind"));
    text(attachment, "type") == Some("queued_command")
        && text(attachment, "commandMode").is_none_or(|mode| mode == "prompt")
        && origin.is_none_or(|kind| kind == "human")
        && !is_true(attachment, "isMeta")
}

/// Returns what a line says: a text or blocks.
fn content(line: &Value) -> Option<&Value> {
    let content = line.get("message").and_then(|message| message.get("content"));
    content.or_else(|| line.get("attachment").and_then(|attachment| attachment.get("prompt")))
}

/// Returns an id for a line without one, from its time and content.
fn made_up_id(line: &Value) -> Option<String> {
    let (time, content) = (line.get("timestamp")?.to_string(), content(line)?.to_string());
    Some(format!("line-{}", &Digest::of([time, content]).to_string()[..32]))
}

fn pieces(line: &Value, role: Role, place: &Place, output: &mut Output<'_>) -> Pieces {
    let mut pieces = Pieces::default();
    match content(line) {
        Some(Value::String(content)) => pieces.text.push(content.clone()),
        Some(Value::Array(blocks)) => {
            for block in blocks {
                add_block(block, &mut pieces, place, output);
            }
        }
        Some(Value::Null) | None => {}
        Some(other) => output.skip(Skip::unknown("content of an unknown shape", keys(other), place)),
    }
    // A line with a result is the tool's, and text beside it is the program's.
    if role == Role::User
        && (line.get("toolUseResult").is_some_and(|result| !result.is_null()) || !pieces.tools.is_empty())
    {
        let text = std::mem::take(&mut pieces.text);
        if pieces.tools.is_empty() {
            pieces.tools = text;
        }
    }
    if role == Role::User {
        pieces.text = pieces.text.iter().map(|text| typed(text)).collect();
    }
    pieces.text.retain(|text| !text.trim().is_empty());
    pieces
}

fn add_block(block: &Value, pieces: &mut Pieces, place: &Place, output: &mut Output<'_>) {
    match text(block, "type") {
        Some("text") => pieces.text.extend(text(block, "text").map(str::to_owned)),
        Some("thinking") => pieces.thinking.extend(filled(block, "thinking").map(str::to_owned)),
        Some("redacted_thinking") => output.skip(Skip::no_message("encrypted thinking", place)),
        Some("tool_use" | "server_tool_use") => pieces.tools.extend(call(block)),
        // A result without text is still a result: what stands beside it was not typed.
        Some("tool_result" | "web_search_tool_result") => {
            pieces.tools.push(result(block).unwrap_or_else(|| "(no text)".to_owned()));
        }
        Some("image" | "document") => output.skip(Skip::no_message("image or document", place)),
        Some(other) => output.skip(Skip::unknown(format!("unknown block {other:?}"), keys(block), place)),
        None => output.skip(Skip::unknown("block of an unknown shape", keys(block), place)),
    }
}
