//! The content of a node: one of some twenty types.

use annals_core::Role;
use serde_json::Value;

use super::text::clean;
use crate::item::Location;
use crate::kinds::files::{filled, keys, list, text};
use crate::kinds::pieces::Pieces;
use crate::output::Output;
use crate::skipped::Skip;

/// Returns the parts of a message, or `None` if none of them is imported. Counts the parts that are not imported.
pub fn pieces(message: &Value, role: Role, location: &Location, output: &mut Output<'_>) -> Option<Pieces> {
    let content = message.get("content").unwrap_or(&Value::Null);
    let kind = match content {
        Value::String(_) => "string",
        content => text(content, "content_type").unwrap_or("text"),
    };
    let text = match kind {
        "string" => content.as_str().unwrap_or_default().to_owned(),
        "text" | "multimodal_text" => parts(content, location, output),
        "code" | "execution_output" | "system_error" | "tether_quote" => {
            text(content, "text").unwrap_or_default().to_owned()
        }
        "citable_code_output" => text(content, "output_str").unwrap_or_default().to_owned(),
        "tether_browsing_display" => {
            filled(content, "result").or_else(|| filled(content, "summary")).unwrap_or_default().to_owned()
        }
        "sonic_webpage" => text(content, "text").unwrap_or_default().to_owned(),
        // Some captures have the field `parts` instead of the thoughts.
        "thoughts" | "reasoning_recap" if content.get("parts").is_some() => {
            return some_thinking(parts(content, location, output));
        }
        "thoughts" => return some_thinking(thoughts(content)),
        "reasoning_recap" => return some_thinking(text(content, "content").unwrap_or_default().to_owned()),
        "user_editable_context" | "model_editable_context" => {
            output.skip(Skip::no_message("custom instructions", location));
            return None;
        }
        "computer_output" => {
            output.skip(Skip::no_message("screenshot", location));
            return None;
        }
        other => {
            output.skip(Skip::unknown(format!("unknown content type {other:?}"), keys(content), location));
            return None;
        }
    };
    if is_tools(message, role, kind) {
        if text.trim().is_empty() {
            output.skip(Skip::no_message("empty message", location));
            return None;
        }
        return Some(Pieces { tools: vec![text], ..Pieces::default() });
    }
    for _ in message.get("metadata").map_or(&[][..], |metadata| list(metadata, "attachments")) {
        output.skip(Skip::no_message("uploaded file", location));
    }
    let text = if role == Role::Assistant { clean(&text) } else { text };
    Some(Pieces { text: vec![text], ..Pieces::default() })
}

/// Returns whether a message is the result of a tool, or a call, which is addressed to the tool.
fn is_tools(message: &Value, role: Role, kind: &str) -> bool {
    let is_call = filled(message, "recipient").is_some_and(|recipient| recipient != "all");
    role == Role::Tool || is_call || matches!(kind, "execution_output" | "system_error" | "citable_code_output")
}

fn some_thinking(text: String) -> Option<Pieces> {
    Some(Pieces { thinking: vec![text], ..Pieces::default() })
}

/// Joins the texts among the parts. Voice chats have their transcripts in parts of a separate type. Counts images, recordings
/// and unknown parts as skipped.
fn parts(content: &Value, location: &Location, output: &mut Output<'_>) -> String {
    let mut texts: Vec<&str> = Vec::new();
    for part in list(content, "parts") {
        match (part, text(part, "content_type")) {
            (Value::String(text), _) => texts.push(text),
            (Value::Null, _) => {}
            (part, Some("audio_transcription" | "text")) => texts.extend(text(part, "text")),
            (_, Some("image_asset_pointer")) => output.skip(Skip::no_message("image", location)),
            (
                _,
                Some(
                    "audio_asset_pointer"
                    | "real_time_user_audio_video_asset_pointer"
                    | "video_container_asset_pointer",
                ),
            ) => {
                output.skip(Skip::no_message("recording", location));
            }
            (_, Some(other)) => output.skip(Skip::unknown(format!("unknown part {other:?}"), keys(part), location)),
            (part, None) => output.skip(Skip::unknown("part of an unknown shape", keys(part), location)),
        }
    }
    // The exports of some tools have a plain text instead of parts.
    texts.extend(text(content, "text").filter(|_| content.get("parts").is_none()));
    texts.retain(|text| !text.trim().is_empty());
    texts.join("\n\n")
}

fn thoughts(content: &Value) -> String {
    let thought = |thought: &Value| {
        let (summary, body) = (filled(thought, "summary"), filled(thought, "content"));
        summary.into_iter().chain(body).collect::<Vec<_>>().join("\n")
    };
    list(content, "thoughts").iter().map(thought).collect::<Vec<_>>().join("\n\n")
}
