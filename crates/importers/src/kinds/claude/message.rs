//! Reads one message of Claude.ai: its blocks, or its text if it has no blocks, and the attachments.

use annals_core::Role;
use serde_json::Value;

use super::blocks::{call, result};
use crate::item::Location;
use crate::kinds::files::{filled, keys, list, text};
use crate::kinds::pieces::Pieces;
use crate::output::Output;
use crate::skipped::Skip;

/// Returns the id that the export gives a message; `None` if it gives none.
pub fn id(message: &Value) -> Option<&str> {
    filled(message, "uuid").or_else(|| filled(message, "id"))
}

/// Returns the role of a message. Counts a message with an unknown or missing sender as skipped, and returns `None`.
pub fn role(message: &Value, location: &Location, output: &mut Output<'_>) -> Option<Role> {
    match filled(message, "sender").or_else(|| filled(message, "role")) {
        Some("human" | "user") => Some(Role::User),
        Some("assistant") => Some(Role::Assistant),
        Some(other) => {
            output.skip(Skip::unknown(format!("unknown sender {other:?}"), "", location));
            None
        }
        None => {
            output.skip(Skip::unknown("message without a sender", keys(message), location));
            None
        }
    }
}

/// Returns the parts of a message. The top-level `text` repeats the blocks as one text with placeholders, so it is used only if
/// there are no blocks, or if the blocks of a person's message give nothing. Adds the texts of attachments. Counts uploaded
/// files and attachments without text as skipped.
pub fn pieces(message: &Value, location: &Location, output: &mut Output<'_>) -> Pieces {
    let mut pieces = Pieces::default();
    let blocks = [list(message, "content"), list(message, "contentBlocks")].concat();
    for block in &blocks {
        add_block(block, &mut pieces, location, output);
    }
    // If a person sent an image with a text, the text may be in the top-level `text` only.
    let is_typed = matches!(filled(message, "sender"), Some("human")) && pieces == Pieces::default();
    if blocks.is_empty() || is_typed {
        let plain = text(message, "text").or_else(|| text(message, "content"));
        pieces.text.extend(plain.map(str::to_owned));
    }
    for attachment in list(message, "attachments") {
        let name = filled(attachment, "file_name").unwrap_or("without a name");
        match filled(attachment, "extracted_content") {
            Some(content) => pieces.text.push(format!("[Attachment {name}]\n{content}")),
            None => output.skip(Skip::no_message("attachment without text", location)),
        }
    }
    for _ in list(message, "files").iter().chain(list(message, "files_v2")) {
        output.skip(Skip::no_message("uploaded file", location));
    }
    pieces
}

fn add_block(block: &Value, pieces: &mut Pieces, location: &Location, output: &mut Output<'_>) {
    let kind = text(block, "type");
    match kind {
        Some("text") => pieces.text.extend(text(block, "text").map(str::to_owned)),
        Some("voice_note") => pieces.text.extend(text(block, "text").map(str::to_owned)),
        Some("thinking") => pieces.thinking.extend(filled(block, "thinking").map(str::to_owned)),
        Some("redacted_thinking") => output.skip(Skip::no_message("encrypted thinking", location)),
        Some("tool_use" | "server_tool_use") => pieces.tools.extend(call(block)),
        Some("tool_result" | "web_search_tool_result") => pieces.tools.extend(result(block)),
        Some("token_budget" | "flag") => output.skip(Skip::no_message("technical block", location)),
        Some("image") => output.skip(Skip::no_message("image", location)),
        Some(other) => output.skip(Skip::unknown(format!("unknown block {other:?}"), keys(block), location)),
        None => match block {
            Value::String(text) => pieces.text.push(text.clone()),
            _ => output.skip(Skip::unknown("block of an unknown shape", keys(block), location)),
        },
    }
}
