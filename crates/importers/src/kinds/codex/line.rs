//! Reads the lines of a session of Codex.

use std::collections::HashMap;

use annals_core::{Digest, Message, Result, Role, SignedDuration, Timestamp};
use serde_json::Value;

use super::payload::{is_known_event, texts, tool, typed};
use super::{Survey, time_of};
use crate::dates;
use crate::item::Location;
use crate::kinds::files::{filled, keys, list, text};
use crate::kinds::pieces::Pieces;
use crate::output::Output;
use crate::skipped::{Skip, SkipReason};

/// Maximum time between the beginning of a session and a line that counts as copied by its time: the copy of a parent session
/// is written at once.
const COPIED_WITHIN: SignedDuration = SignedDuration::from_secs(1);

/// One file of a session, read line by line.
pub struct Session {
    survey: Survey,
    conversation: String,
    title: Option<String>,
    has_messages: bool,
    last: Option<Timestamp>,
    /// The digest of the roles and texts of all messages so far.
    chain: Digest,
    /// Whether all messages so far are copies of messages in an older session.
    is_copy: bool,
    /// How often each message occurred so far, by the digest of its time, role and parts.
    repeats: HashMap<Digest, u64>,
}

impl Session {
    /// Begins a file. `stem` is the name of the file, which stands for the id of the session if the file does not say it.
    pub fn new(survey: Survey, stem: &str) -> Session {
        let conversation = format!("codex:{}", survey.id.as_deref().unwrap_or(stem));
        // Forked sessions name their parent. In older versions, a resumed session was a new file that began with a copy of the
        // old file, without times.
        let is_copy = survey.parent.is_some() || !survey.has_times;
        Session {
            survey,
            conversation,
            title: None,
            has_messages: false,
            last: None,
            chain: Digest::of(["codex"]),
            is_copy,
            repeats: HashMap::new(),
        }
    }

    /// Reads a line: passes on the message in it, or counts the line as skipped.
    pub fn line(&mut self, line: &Value, location: &Location, output: &mut Output<'_>) -> Result<()> {
        let payload = line.get("payload").unwrap_or(&Value::Null);
        let skipped = match text(line, "type") {
            Some("event_msg") => return self.event(line, payload, location, output),
            Some("response_item") => return self.item(line, payload, location, output),
            Some(
                "session_meta"
                | "turn_context"
                | "compacted"
                | "world_state"
                | "session_state"
                | "inter_agent_communication_metadata",
            ) => Skip::no_message(format!("line {:?}", text(line, "type").unwrap_or_default()), location),
            // Old files have the items without an envelope.
            Some("message" | "reasoning" | "function_call" | "function_call_output" | "local_shell_call") => {
                return self.item(line, line, location, output);
            }
            Some(other) => Skip::unknown(format!("unknown line {other:?}"), keys(line), location),
            None if line.get("record_type").is_some()
                || line.get("instructions").is_some()
                || line.get("git").is_some() =>
            {
                Skip::no_message("line of the session", location)
            }
            None => Skip::unknown("line of an unknown shape", keys(line), location),
        };
        output.skip(skipped);
        Ok(())
    }

    /// Ends the file: passes on the title.
    pub fn end(self, file: &Location, output: &mut Output<'_>) -> Result<()> {
        if !self.has_messages {
            return Ok(());
        }
        output.conversation(&self.conversation, self.title.as_deref(), None, file)
    }

    fn event(&mut self, line: &Value, payload: &Value, location: &Location, output: &mut Output<'_>) -> Result<()> {
        let kind = text(payload, "type").unwrap_or_default();
        let mut pieces = Pieces::default();
        let role = match kind {
            "user_message" => Role::User,
            "agent_message" | "agent_reasoning" => Role::Assistant,
            known if is_known_event(known) => {
                output.skip(Skip::no_message(format!("event {known:?}"), location));
                return Ok(());
            }
            other => {
                output.skip(Skip::unknown(format!("unknown event {other:?}"), keys(payload), location));
                return Ok(());
            }
        };
        match kind {
            "agent_reasoning" => pieces.thinking.extend(filled(payload, "text").map(str::to_owned)),
            _ if filled(payload, "kind").is_some_and(|kind| kind != "plain") => {
                output.skip(Skip::no_message("injected context", location));
                return Ok(());
            }
            "user_message" => {
                for _ in list(payload, "images").iter().chain(list(payload, "local_images")) {
                    output.skip(Skip::no_message("image", location));
                }
                pieces.text.extend(filled(payload, "message").and_then(typed));
            }
            _ => pieces.text.extend(filled(payload, "message").map(str::to_owned)),
        }
        self.message(line, role, pieces, location, output)
    }

    fn item(&mut self, line: &Value, payload: &Value, location: &Location, output: &mut Output<'_>) -> Result<()> {
        let mut pieces = Pieces::default();
        let mut role = Role::Assistant;
        match text(payload, "type").unwrap_or_default() {
            "message" if self.is_in_events(payload) => {
                output.skip(Skip::no_message("second copy of a message", location));
                return Ok(());
            }
            "message" => match text(payload, "role") {
                Some("user") => {
                    role = Role::User;
                    pieces.text = texts(payload).into_iter().filter_map(typed).collect();
                }
                Some("assistant") => pieces.text = texts(payload).into_iter().map(str::to_owned).collect(),
                other => {
                    let kind = format!("message of the role {:?}", other.unwrap_or_default());
                    output.skip(Skip::no_message(kind, location));
                    return Ok(());
                }
            },
            // If the file has events, the reasoning is read from them.
            "reasoning" if !(self.survey.has_typed || self.survey.has_answers) => {
                pieces.thinking = list(payload, "summary")
                    .iter()
                    .filter_map(|part| filled(part, "text"))
                    .map(str::to_owned)
                    .collect();
            }
            "reasoning" => {
                output.skip(Skip::no_message("second copy of thinking", location));
                return Ok(());
            }
            "function_call"
            | "custom_tool_call"
            | "local_shell_call"
            | "web_search_call"
            | "tool_search_call"
            | "function_call_output"
            | "custom_tool_call_output"
            | "tool_search_output" => pieces.tools.extend(tool(payload)),
            "ghost_snapshot" | "compaction" | "compaction_summary" | "context_compaction" | "image_generation_call" => {
                output.skip(Skip::no_message("technical item", location));
                return Ok(());
            }
            other => {
                output.skip(Skip::unknown(format!("unknown item {other:?}"), keys(payload), location));
                return Ok(());
            }
        }
        self.message(line, role, pieces, location, output)
    }

    /// Returns whether the events of the file have the messages of this role, so that the item is skipped. Items of other roles
    /// are injected context; they are skipped if the file has any events.
    fn is_in_events(&self, payload: &Value) -> bool {
        match text(payload, "role") {
            Some("user") => self.survey.has_typed,
            Some("assistant") => self.survey.has_answers,
            _ => self.survey.has_typed || self.survey.has_answers,
        }
    }

    fn message(
        &mut self,
        line: &Value,
        role: Role,
        pieces: Pieces,
        location: &Location,
        output: &mut Output<'_>,
    ) -> Result<()> {
        if pieces == Pieces::default() {
            output.skip(Skip::no_message("message without text", location));
            return Ok(());
        }
        let own = output.past(time_of(line));
        let at = own.or(self.last.map(|last| dates::later(last, 1))).or(self.survey.begins);
        if self.is_repeated(role, &pieces, own, output) {
            output.skip(Skip::new(SkipReason::Repeated, "copied message", "", location));
            return Ok(());
        }
        let Some(at) = at else {
            output.skip(Skip::new(SkipReason::Undated, "message without a time", "", location));
            return Ok(());
        };
        let id = self.id_of(role, &pieces, own);
        // The file of a session may be in two folders, for example after archiving.
        if !output.is_new(&format!("{}/{id}", self.conversation)) {
            output.skip(Skip::new(SkipReason::Repeated, "copied message", "", location));
            return Ok(());
        }
        self.last = Some(at);
        self.has_messages = true;
        if role == Role::User && self.title.is_none() {
            self.title = pieces.text.first().and_then(|text| text.lines().next()).map(str::to_owned);
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

    /// Returns whether a message is a copy of a message in an older session. Records the message for later sessions.
    fn is_repeated(&mut self, role: Role, pieces: &Pieces, at: Option<Timestamp>, output: &mut Output<'_>) -> bool {
        let text = pieces.text.join("\n\n");
        if text.is_empty() {
            // Thinking and tool calls count as copied if the messages around them are.
            return self.is_copy && self.is_written_at_begin(at);
        }
        self.chain = Digest::of([&self.chain.0[..], role.as_str().as_bytes(), text.as_bytes()]);
        let is_new = output.is_new(&format!("codex:{}", self.chain));
        // If the parent is not among the files, copied messages are recognised by their times, which are those of the copying.
        let is_orphan = self.survey.parent.is_some() && !self.survey.has_parent;
        self.is_copy = self.is_copy && (!is_new || is_orphan && self.is_written_at_begin(at));
        self.is_copy
    }

    fn is_written_at_begin(&self, at: Option<Timestamp>) -> bool {
        match (at, self.survey.begins) {
            (Some(at), Some(begins)) => at.duration_since(begins) <= COPIED_WITHIN,
            _ => false,
        }
    }

    /// Returns an id made of the time, role and parts of a message. It depends on other messages only if they are equal: equal
    /// messages are numbered.
    fn id_of(&mut self, role: Role, pieces: &Pieces, at: Option<Timestamp>) -> String {
        let at = at.map(|at| at.to_string()).unwrap_or_default();
        let parts = pieces.text.iter().chain(&pieces.thinking).chain(&pieces.tools).map(String::as_str);
        let digest = Digest::of([at.as_str(), role.as_str()].into_iter().chain(parts));
        let repeat = self.repeats.entry(digest).or_default();
        *repeat += 1;
        Digest::of([&digest.0[..], &repeat.to_le_bytes()]).to_string()[..32].to_owned()
    }
}
