//! Reads the blocks for calls and results of tools, as Claude.ai and Claude Code write them.

use serde_json::Value;

use crate::kinds::files::{filled, text};

/// Returns a call as `NAME: INPUT`. If the call writes a text, such as an artifact, or has a command or query, only this field
/// of the input is used. Returns `None` without input.
pub fn call(block: &Value) -> Option<String> {
    let name = filled(block, "name").unwrap_or("tool");
    let input = block.get("input").unwrap_or(&Value::Null);
    let written = ["content", "new_str", "command", "query"].iter().find_map(|field| filled(input, field));
    match (written, input) {
        (Some(written), _) => Some(format!("{name}: {written}")),
        (None, Value::Null) => None,
        (None, input) => Some(format!("{name}: {input}")),
    }
}

/// Returns the text of a result, or `None` if it has no text.
pub fn result(block: &Value) -> Option<String> {
    let joined = match block.get("content") {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => parts.iter().filter_map(|part| text(part, "text")).collect::<Vec<_>>().join("\n"),
        _ => String::new(),
    };
    (!joined.trim().is_empty()).then_some(joined)
}
